#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: named_resource_info
version_added: 0.1.0
short_description: Find subnets, security groups and FSx file systems by ID or name
description:
  - Returns all resources that have one of the given IDs or names. The caller can thus detect names that match no resource or
    several resources.
  - C(amazon.aws.ec2_vpc_subnet_info) and C(amazon.aws.ec2_security_group_info) combine their filters with "and". IDs, tags and
    names of groups would therefore each require a call and a task. C(amazon.aws) has no module for FSx.
options:
  subnets:
    description:
      - IDs or Name tags of subnets.
    type: list
    elements: str
    default: []
  security_groups:
    description:
      - IDs, names or Name tags of security groups.
    type: list
    elements: str
    default: []
  file_systems:
    description:
      - IDs or Name tags of FSx file systems.
    type: list
    elements: str
    default: []
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ec2:DescribeSubnets), C(ec2:DescribeSecurityGroups), C(fsx:DescribeFileSystems)."
  - Each action is required only if its option is set.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
"""

EXAMPLES = r"""
- name: Find subnets, security groups and file systems
  mlfleet.hyperpod.named_resource_info:
    region: us-west-2
    subnets: [private-a, private-b]
    security_groups: [hyperpod-nodes]
    file_systems: [fs-0123456789abcdef0]
  register: found
"""

RETURN = r"""
subnets:
  description: Subnets with one of the IDs or names, sorted by ID.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the subnet.
      type: str
      sample: subnet-0123456789abcdef0
    name:
      description: Name tag of the subnet, or an empty string.
      type: str
      sample: private-a
    vpc_id:
      description: ID of the VPC.
      type: str
      sample: vpc-0123456789abcdef0
security_groups:
  description: Security groups with one of the IDs or names, sorted by ID.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the security group.
      type: str
      sample: sg-0123456789abcdef0
    name:
      description: Name tag of the security group, or an empty string.
      type: str
      sample: ""
    group_name:
      description: Name of the security group.
      type: str
      sample: hyperpod-nodes
    vpc_id:
      description: ID of the VPC.
      type: str
      sample: vpc-0123456789abcdef0
file_systems:
  description: File systems with one of the IDs or names, sorted by ID. File systems that are being deleted are left out.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the file system.
      type: str
      sample: fs-0123456789abcdef0
    name:
      description: Name tag of the file system, or an empty string.
      type: str
      sample: shared
    type:
      description: Type of the file system, such as V(LUSTRE) or V(OPENZFS).
      type: str
      sample: LUSTRE
    dns_name:
      description: DNS name for mounts.
      type: str
      sample: fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com
    mount_name:
      description: Mount name of FSx for Lustre. Empty for other types.
      type: str
      sample: abcdefgh
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import named_resources
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws

SPEC = {name: {"type": "list", "elements": "str", "default": []} for name in ("subnets", "security_groups", "file_systems")}


def find(module: t.Any) -> dict[str, t.Any]:
    subnets, groups, file_systems = (named_resources.wanted(option, module.params[option]) for option in SPEC)
    ec2 = connect(module, "ec2")
    return {
        "subnets": named_resources.subnets(ec2, subnets),
        "security_groups": named_resources.security_groups(ec2, groups),
        "file_systems": named_resources.file_systems(connect(module, "fsx"), file_systems) if file_systems else [],
    }


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), find)


if __name__ == "__main__":
    main()
