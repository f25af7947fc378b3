#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: balancer_adoption
version_added: 0.1.0
short_description: Adopt an existing load balancer and target group
description:
  - Tags an existing Network Load Balancer and its target group as resources of a cluster.
    M(mlfleet.hyperpod.network_load_balancer) and M(mlfleet.hyperpod.target_group) can then manage them. The module changes only
    the tags.
  - The module refuses resources that those two modules could not manage. These are a load balancer of a different type or scheme,
    a listener that forwards to a different target group, a target group with a different protocol, target type or VPC, and
    resources with the tag of another cluster.
  - The port of the target group applies only to targets without a port of their own, so any port is accepted.
options:
  load_balancer:
    description:
      - Name or ARN of the load balancer.
    type: str
    required: true
  target_group:
    description:
      - Name or ARN of the target group to which the listener on O(port) forwards.
    type: str
    required: true
  state:
    description:
      - Whether both resources have the tags.
    type: str
    choices:
      present: Both resources have the tags.
      absent: Neither resource has the tags. The module removes only tags, not the resources.
    default: present
  cluster_arn:
    description:
      - ARN of the cluster, stored in the tag C(mlfleet.hyperpod/cluster).
    type: str
    required: true
  port:
    description:
      - Port of the listener, 1 to 65535.
    type: int
    default: 22
  scheme:
    description:
      - Scheme that the load balancer must have. If omitted, both schemes are accepted.
    type: str
    choices:
      - internal
      - internet-facing
  tags:
    description:
      - Additional tags to set. With O(state=absent), these tags are removed if they have the given values.
    type: dict
    aliases:
      - resource_tags
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(elasticloadbalancing:DescribeLoadBalancers),
    C(elasticloadbalancing:DescribeLoadBalancerAttributes), C(elasticloadbalancing:DescribeListeners),
    C(elasticloadbalancing:DescribeListenerAttributes), C(elasticloadbalancing:DescribeTargetGroups),
    C(elasticloadbalancing:DescribeTargetGroupAttributes), C(elasticloadbalancing:DescribeTags), and to change something
    C(elasticloadbalancing:AddTags), C(elasticloadbalancing:RemoveTags)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.network_load_balancer
  - module: mlfleet.hyperpod.target_group
"""

EXAMPLES = r"""
- name: Adopt a load balancer that was created by hand
  mlfleet.hyperpod.balancer_adoption:
    load_balancer: smhp-login-node-lb
    target_group: smhp-login-node-tg
    scheme: internal
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
"""

RETURN = r"""
balancer_adoption:
  description: The load balancer and the target group. In check mode, with the predicted tags.
  returned: success
  type: dict
  contains:
    adopted:
      description: Whether both resources have the tag of the cluster.
      type: bool
      sample: true
    load_balancer:
      description: The load balancer, as M(mlfleet.hyperpod.network_load_balancer) returns it.
      type: dict
      sample: {"exists": true, "name": "smhp-login-node-lb", "security_groups": [], "tags": {}}
    target_group:
      description: The target group, as M(mlfleet.hyperpod.target_group) returns it.
      type: dict
      sample: {"exists": true, "name": "smhp-login-node-tg", "port": 22, "tags": {}}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: load balancer smhp-login-node-lb
      field: tags.mlfleet.hyperpod/cluster
      before: null
      after: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "load_balancer": {"type": "str", "required": True},
    "target_group": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_arn": {"type": "str", "required": True},
    "port": {"type": "int", "default": 22},
    "scheme": {"type": "str", "choices": ["internal", "internet-facing"]},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    balancing = Balancing(connect(module, "elbv2").client)
    return Resource(
        observe=lambda: observe(balancing, desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(balancing, about=f"load balancer {desired.load_balancer}", timeout=0),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
