#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: target_group
version_added: 0.1.0
short_description: Manage the target group of a Network Load Balancer for SSH
description:
  - Creates, changes and removes a target group for TCP with IP addresses as targets.
  - C(community.aws.elb_target_group) skips check mode and cannot disable C(deregistration_delay.connection_termination) and
    C(stickiness). It does not support C(target_health_state), C(target_group_health) and the cross-zone setting of the target
    group. This module can enable and disable every attribute.
  - The module sends only attributes that differ, all in one call. A change of a property that AWS cannot change (protocol, port,
    VPC, target type) is refused before anything changes.
options:
  name:
    description:
      - Name of the target group, unique in the account and Region. At most 32 letters, digits and hyphens.
    type: str
    required: true
  state:
    description:
      - Whether the target group exists.
    type: str
    choices:
      - present
      - absent
    default: present
  protocol:
    description:
      - Protocol of the targets. Cannot be changed.
    type: str
    choices:
      - TCP
    default: TCP
  port:
    description:
      - Default port of the targets. Cannot be changed.
      - Allowed range is 1 to 65535.
    type: int
  vpc_id:
    description:
      - VPC of the targets. Cannot be changed.
    type: str
  target_type:
    description:
      - Type of the targets. HyperPod's instances are in an account of AWS, so only their addresses can be targets. Cannot be
        changed.
    type: str
    choices:
      - ip
    default: ip
  health_check:
    description:
      - Health check of the targets. Omitted settings are not changed.
    type: dict
    suboptions:
      protocol:
        description:
          - Protocol of the health check. A target is healthy if it accepts a connection.
          - The default of AWS is V(TCP).
        type: str
        choices:
          - TCP
      port:
        description:
          - Port of the health check. V(traffic-port) is the port of the target.
          - Allowed range is 1 to 65535, or V(traffic-port). The default of AWS is V(traffic-port).
        type: str
      interval:
        description:
          - Seconds between two checks.
          - Allowed range is 5 to 300. The default of AWS is V(30).
        type: int
      timeout:
        description:
          - Seconds without an answer after which a check fails. Must not exceed the interval.
          - Allowed range is 2 to 120. The default of AWS is V(10).
        type: int
      healthy_threshold:
        description:
          - Number of consecutive successful checks after which a target is healthy.
          - Allowed range is 2 to 10. The default of AWS is V(5).
        type: int
      unhealthy_threshold:
        description:
          - Number of consecutive failed checks after which a target is unhealthy.
          - Allowed range is 2 to 10. The default of AWS is V(2).
        type: int
  attributes:
    description:
      - Attributes of the target group. Omitted attributes are not changed.
    type: dict
    suboptions:
      deregistration_delay:
        description:
          - Seconds for which a deregistered target is V(draining) and keeps its connections.
          - Allowed range is 0 to 3600. The default of AWS is V(300).
        type: int
      deregistration_connection_termination:
        description:
          - Whether connections are closed at the end of the deregistration delay.
          - The default of AWS is V(false).
        type: bool
      unhealthy_connection_termination:
        description:
          - Whether connections to a target are closed when the target becomes unhealthy. V(true) ends every login on a node whose
            health check fails.
          - The default of AWS is V(true).
        type: bool
      unhealthy_draining_interval:
        description:
          - Seconds for which connections to an unhealthy target stay open. With V(0), there is no limit. Requires
            O(attributes.unhealthy_connection_termination=false).
          - Allowed range is 0 to 360000. The default of AWS is V(0).
        type: int
      preserve_client_ip:
        description:
          - Whether targets receive the address of the client. If they do, a client that is also a target cannot connect.
          - The default of AWS is V(false).
        type: bool
      proxy_protocol_v2:
        description:
          - Whether connections start with a proxy protocol header, which sshd does not support.
          - The default of AWS is V(false).
        type: bool
      stickiness:
        description:
          - Whether connections from the same client address go to the same target.
          - The default of AWS is V(false).
        type: bool
      stickiness_type:
        description:
          - Property that identifies a client.
          - The default of AWS is V(source_ip).
        type: str
        choices:
          - source_ip
      cross_zone:
        description:
          - Whether targets in all zones are used. V(true) and V(false) override the setting of the load balancer.
          - The default of AWS is V(use_load_balancer_configuration).
        type: str
        choices:
          - 'true'
          - 'false'
          - use_load_balancer_configuration
      dns_failover_minimum_count:
        description:
          - Number of healthy targets below which a zone is removed from DNS.
          - At least 1, or V(off). The default of AWS is V(1).
        type: str
      dns_failover_minimum_percentage:
        description:
          - Percentage of healthy targets below which a zone is removed from DNS.
          - Allowed range is 1 to 100, or V(off). The default of AWS is V(off).
        type: str
      unhealthy_routing_minimum_count:
        description:
          - Number of healthy targets below which all targets get connections, including unhealthy ones.
          - At least 1. The default of AWS is V(1).
        type: int
      unhealthy_routing_minimum_percentage:
        description:
          - Percentage of healthy targets below which all targets get connections, including unhealthy ones.
          - Allowed range is 1 to 100, or V(off). The default of AWS is V(off).
        type: str
  tags:
    description:
      - Tags to set. If omitted, only the tag of O(cluster_arn) is set.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags). Tags of AWS and the tag of O(cluster_arn) are never removed.
    type: bool
    default: true
  cluster_arn:
    description:
      - ARN of the cluster that owns the target group, stored in the tag C(mlfleet.hyperpod/cluster).
      - If set, the module changes or removes only a target group with this tag. Required with O(lock=true).
    type: str
  adopt:
    description:
      - Whether to adopt an existing target group without the tag of O(cluster_arn).
      - A target group with the tag of a different cluster is never adopted.
    type: bool
    default: false
  wait:
    description:
      - With O(state=absent), whether to wait until no load balancer uses the target group.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait.
    type: int
    default: 120
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
  - "IAM actions: C(elasticloadbalancing:DescribeTargetGroups), C(elasticloadbalancing:DescribeTargetGroupAttributes),
    C(elasticloadbalancing:DescribeTags), and to change something C(elasticloadbalancing:CreateTargetGroup),
    C(elasticloadbalancing:ModifyTargetGroup), C(elasticloadbalancing:ModifyTargetGroupAttributes),
    C(elasticloadbalancing:DeleteTargetGroup), C(elasticloadbalancing:AddTags), C(elasticloadbalancing:RemoveTags). Elastic
    Load Balancing also requires C(ec2:DescribeInternetGateways) and C(ec2:DescribeVpcs) of the caller."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.network_load_balancer
  - module: mlfleet.hyperpod.login_targets
  - name: Target groups for Network Load Balancers
    description: The AWS documentation of the attributes.
    link: https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-target-groups.html
"""

EXAMPLES = r"""
- name: Create a target group for long SSH sessions with a readiness gate
  mlfleet.hyperpod.target_group:
    name: hp-ml-4574af3f
    port: 222
    vpc_id: vpc-0123456789abcdef0
    health_check:
      port: "223"
      interval: 10
      healthy_threshold: 2
      unhealthy_threshold: 2
    attributes:
      deregistration_delay: 3600
      deregistration_connection_termination: false
      unhealthy_connection_termination: false
      preserve_client_ip: false
      proxy_protocol_v2: false
      stickiness: false
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    lock: true

- name: Set Region, cluster and lock once for all modules
  module_defaults:
    group/mlfleet.hyperpod.aws:
      region: us-west-2
    group/mlfleet.hyperpod.cluster:
      cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    group/mlfleet.hyperpod.lock:
      lock: true
  block:
    - name: Remove the load balancer
      mlfleet.hyperpod.network_load_balancer:
        name: hp-ml-4574af3f
        state: absent

    - name: Remove the target group
      mlfleet.hyperpod.target_group:
        name: hp-ml-4574af3f
        state: absent
"""

RETURN = r"""
target_group:
  description: The target group. In check mode, the predicted target group.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the target group exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the target group.
      type: str
      sample: hp-ml-4574af3f
    target_group_arn:
      description: ARN of the target group.
      type: str
      sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml-4574af3f/73e2d6bc24d8a067
    protocol:
      description: Protocol of the targets.
      type: str
      sample: TCP
    port:
      description: Default port of the targets.
      type: int
      sample: 222
    vpc_id:
      description: VPC of the targets.
      type: str
      sample: vpc-0123456789abcdef0
    target_type:
      description: Type of the targets.
      type: str
      sample: ip
    health_check:
      description: Health check of the targets, with the names of the options.
      type: dict
      sample: {"protocol": "TCP", "port": "223", "interval": 10, "timeout": 10}
    attributes:
      description: Attributes of the target group, with the names of the options.
      type: dict
      sample: {"deregistration_delay": 3600, "preserve_client_ip": false}
    tags:
      description: Tags of the target group.
      type: dict
      sample: {"mlfleet.hyperpod/component": "login_balancer"}
    load_balancer_arns:
      description: ARNs of the load balancers that forward to the target group.
      type: list
      elements: str
      sample: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: target group hp-ml-4574af3f
      field: deregistration_delay
      before: 300
      after: 3600
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.model import (
    ATTRIBUTES,
    HEALTH_CHECK,
    PROPERTIES,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

OWN = fields.argument_spec(PROPERTIES)

SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    **OWN,
    "protocol": {**OWN["protocol"], "default": "TCP"},
    "target_type": {**OWN["target_type"], "default": "ip"},
    "health_check": {"type": "dict", "options": fields.argument_spec(HEALTH_CHECK)},
    "attributes": {"type": "dict", "options": fields.argument_spec(ATTRIBUTES)},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    "cluster_arn": {"type": "str"},
    "adopt": {"type": "bool", "default": False},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 120},
    **LOCK_OPTION,
}
SETTINGS = {"argument_spec": SPEC}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    balancing = Balancing(connect(module, "elbv2").client)
    wait, timeout = module.params["wait"], module.params["wait_timeout"]
    return Resource(
        observe=lambda: State(observe(balancing, desired.name)),
        plan=lambda state: plan(desired, state),
        apply=Applier(balancing, about=desired.resource, timeout=timeout, wait=wait),
        result=lambda state: result(desired, state),
    )


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
