#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: security_group_rule
version_added: 0.1.0
short_description: Manage one tagged rule of a security group and nothing else
description:
  - Adds, retags or removes a single rule of a security group. No other rule of the group is read into the plan, changed
    or removed.
  - C(amazon.aws.ec2_security_group) manages whole groups and purges what it is not told about. In the group of HyperPod
    nodes that would remove the self-referencing rules of EFA and stop all training. This module is for groups of other
    people.
  - A rule is the same when direction, protocol, ports and peer are. An identical rule without the tag of O(cluster_arn)
    satisfies O(state=present) and stays as it is, and O(state=absent) leaves it alone.
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
      - Id of the security group that has the rule.
    type: str
  group_name:
    description:
      - Name of the security group that has the rule, with O(vpc_id). In check mode it may not exist yet.
    type: str
  vpc_id:
    description:
      - VPC in which O(group_name) and O(source_group_name) are looked up.
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
      - Protocol that the rule allows.
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
      - Last port. The same as O(from_port) if omitted.
    type: int
  source_group_id:
    description:
      - Id of the security group at the other end. With O(direction=egress) that is the destination.
    type: str
  source_group_name:
    description:
      - Name of the security group at the other end, with O(vpc_id). In check mode it may not exist yet.
    type: str
  cidr:
    description:
      - Network at the other end, IPv4 or IPv6.
    type: str
  description:
    description:
      - Description of the rule. Left alone if omitted.
    type: str
  tags:
    description:
      - Further tags to ensure. Tags are never removed.
    type: dict
    aliases:
      - resource_tags
  cluster_arn:
    description:
      - ARN of the cluster that the rule belongs to, kept in its tag C(mlfleet.hyperpod/cluster).
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
  - "IAM actions: C(ec2:DescribeSecurityGroupRules), C(ec2:DescribeSecurityGroups) where groups are given by name, and
    to change something C(ec2:AuthorizeSecurityGroupIngress) or C(ec2:AuthorizeSecurityGroupEgress),
    C(ec2:RevokeSecurityGroupIngress) or C(ec2:RevokeSecurityGroupEgress),
    C(ec2:ModifySecurityGroupRules) for the description, and C(ec2:CreateTags)."
  - Not yet run against live AWS.
seealso:
  - module: amazon.aws.ec2_security_group
  - module: mlfleet.hyperpod.network_load_balancer
  - name: Security group rules
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html
"""

EXAMPLES = r"""
- name: Let the load balancer in where people log in
  mlfleet.hyperpod.security_group_rule:
    group_id: sg-0123456789abcdef0
    source_group_name: mlfleet-hyperpod-ml-4574af3f
    vpc_id: vpc-0123456789abcdef0
    from_port: 222
    description: SSH from the login balancer
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456

- name: Remove that rule again, and only that
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
  description: The rule; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the rule exists.
      type: bool
      sample: true
    owned:
      description: Whether it carries the tag of O(cluster_arn). A rule that is there and not owned is somebody else's.
      type: bool
      sample: true
    security_group_rule_id:
      description: Its id.
      type: str
      sample: sgr-0123456789abcdef0
    group_id:
      description: Id of the security group that has it.
      type: str
      sample: sg-0123456789abcdef0
    direction:
      description: Whether it is for incoming or outgoing connections.
      type: str
      sample: ingress
    protocol:
      description: Its protocol.
      type: str
      sample: tcp
    from_port:
      description: First port; -1 for all protocols.
      type: int
      sample: 222
    to_port:
      description: Last port; -1 for all protocols.
      type: int
      sample: 222
    peer:
      description: Id of the group, or the network, at the other end.
      type: str
      sample: sg-0123456789abcdef1
    description:
      description: Its description.
      type: str
      sample: SSH from the login balancer
    tags:
      description: Its tags.
      type: dict
      sample: {"mlfleet.hyperpod/component": "login_balancer"}
    other_ports:
      description: First ports of the owner's other rules between the same two, of the same direction and protocol.
      type: list
      elements: int
      sample: [223]
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: ingress rule tcp 22 from sg-0123456789abcdef1 of security group sg-0123456789abcdef0
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


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC, mutually_exclusive=ENDS, required_one_of=ENDS), resource)


if __name__ == "__main__":
    main()
