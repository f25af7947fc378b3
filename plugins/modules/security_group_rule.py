#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: security_group_rule
version_added: 0.1.0
short_description: Manage an individual rule of a security group
description:
  - Adds, retags or removes an individual rule of a security group. The module does not change other rules of the group.
  - C(amazon.aws.ec2_security_group) manages a complete group and removes rules that are not listed. In the security group of
    HyperPod nodes, this would remove the self-referencing rules for EFA and stop all training. Use this module for groups that
    you do not own.
  - Two rules are identical if their direction, protocol, ports and peer are the same. An identical rule without the tag of
    O(cluster_arn) satisfies O(state=present) and is not changed. O(state=absent) does not remove such a rule.
options:
  state:
    description:
      - Whether the rule exists.
    type: str
    choices:
      - present
      - absent
    default: present
  group_id:
    description:
      - ID of the security group of the rule.
    type: str
  group_name:
    description:
      - Name of the security group of the rule. Requires O(vpc_id). In check mode, the group does not need to exist.
    type: str
  vpc_id:
    description:
      - ID of the VPC of O(group_name) and O(source_group_name).
    type: str
  direction:
    description:
      - Whether the rule allows incoming or outgoing connections.
    type: str
    choices:
      - ingress
      - egress
    default: ingress
  protocol:
    description:
      - Protocol of the rule.
    type: str
    choices:
      - tcp
      - udp
      - all
    default: tcp
  from_port:
    description:
      - First port, 1 to 65535. Required unless O(protocol=all).
    type: int
  to_port:
    description:
      - Last port. The default is O(from_port).
    type: int
  source_group_id:
    description:
      - ID of the security group at the other end. With O(direction=egress), this is the destination.
    type: str
  source_group_name:
    description:
      - Name of the security group at the other end. Requires O(vpc_id). In check mode, the group does not need to exist.
    type: str
  cidr:
    description:
      - IPv4 or IPv6 network at the other end, in CIDR notation.
    type: str
  description:
    description:
      - Description of the rule. If omitted, the description is not changed.
    type: str
  tags:
    description:
      - Additional tags to set. Tags are never removed.
    type: dict
    aliases:
      - resource_tags
  cluster_arn:
    description:
      - ARN of the cluster that owns the rule, stored in the rule's tag C(mlfleet.hyperpod/cluster).
    type: str
    required: true
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
  - "IAM actions: C(ec2:DescribeSecurityGroupRules), C(ec2:DescribeSecurityGroups) for groups by name, and to change something
    C(ec2:AuthorizeSecurityGroupIngress) or C(ec2:AuthorizeSecurityGroupEgress), C(ec2:RevokeSecurityGroupIngress) or
    C(ec2:RevokeSecurityGroupEgress), C(ec2:ModifySecurityGroupRules) for the description, and C(ec2:CreateTags)."
  - This module has not yet run against live AWS.
seealso:
  - module: amazon.aws.ec2_security_group
  - module: mlfleet.hyperpod.network_load_balancer
  - name: Security group rules
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html
"""

EXAMPLES = r"""
- name: Admit the load balancer to the port for users
  mlfleet.hyperpod.security_group_rule:
    group_id: sg-0123456789abcdef0
    source_group_name: mlfleet-hyperpod-ml-4574af3f
    vpc_id: vpc-0123456789abcdef0
    from_port: 222
    description: SSH from the login balancer
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456

- name: Remove only that rule
  mlfleet.hyperpod.security_group_rule:
    group_id: sg-0123456789abcdef0
    source_group_name: mlfleet-hyperpod-ml-4574af3f
    vpc_id: vpc-0123456789abcdef0
    from_port: 222
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    state: absent
"""

RETURN = r"""
security_group_rule:
  description: The rule. In check mode, the predicted rule.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the rule exists.
      type: bool
      sample: true
    owned:
      description: Whether the rule exists and has the tag of O(cluster_arn). A rule without this tag has a different owner.
      type: bool
      sample: true
    security_group_rule_id:
      description: ID of the rule.
      type: str
      sample: sgr-0123456789abcdef0
    group_id:
      description: ID of the security group of the rule.
      type: str
      sample: sg-0123456789abcdef0
    direction:
      description: Whether the rule is for incoming or outgoing connections.
      type: str
      sample: ingress
    protocol:
      description: Protocol of the rule.
      type: str
      sample: tcp
    from_port:
      description: First port. V(-1) if the rule is for all protocols.
      type: int
      sample: 222
    to_port:
      description: Last port. V(-1) if the rule is for all protocols.
      type: int
      sample: 222
    peer:
      description: ID of the security group at the other end, or the network at the other end.
      type: str
      sample: sg-0123456789abcdef1
    description:
      description: Description of the rule.
      type: str
      sample: SSH from the login balancer
    tags:
      description: Tags of the rule.
      type: dict
      sample: {"mlfleet.hyperpod/component": "login_balancer"}
    other_ports:
      description:
        - First ports of other rules that have the tag of O(cluster_arn) and differ from this rule only in their ports.
      type: list
      elements: int
      sample: [223]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: ingress rule tcp 222 from sg-0123456789abcdef1 of security group sg-0123456789abcdef0
      field: null
      before: null
      after: {"peer": "sg-0123456789abcdef1", "tags": {}}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "group_id": {"type": "str"},
    "group_name": {"type": "str"},
    "vpc_id": {"type": "str"},
    "direction": {"type": "str", "choices": ["ingress", "egress"], "default": "ingress"},
    "protocol": {"type": "str", "choices": ["tcp", "udp", "all"], "default": "tcp"},
    "from_port": {"type": "int"},
    "to_port": {"type": "int"},
    "source_group_id": {"type": "str"},
    "source_group_name": {"type": "str"},
    "cidr": {"type": "str"},
    "description": {"type": "str"},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "cluster_arn": {"type": "str", "required": True},
    **LOCK_OPTION,
}
ENDS = [("group_id", "group_name"), ("source_group_id", "source_group_name", "cidr")]
SETTINGS = {"argument_spec": SPEC, "mutually_exclusive": ENDS, "required_one_of": ENDS}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    ec2 = connect(module, "ec2")
    apply = Applier(ec2, desired)
    return Resource(
        observe=Observer(ec2, desired, apply, needs_groups=desired.present and not module.check_mode),
        plan=lambda state: plan(desired, state, check_mode=module.check_mode),
        apply=apply,
        result=lambda state: result(desired, state),
    )


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
