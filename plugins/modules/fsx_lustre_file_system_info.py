#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fsx_lustre_file_system_info
version_added: 0.1.0
short_description: List file systems of Amazon FSx for Lustre
description:
  - Returns the file systems of FSx for Lustre in a Region, with their settings, their Availability Zones and the updates that FSx
    performs. The file systems do not need the tags of M(mlfleet.hyperpod.fsx_lustre_file_system).
  - No maintained collection has a module for FSx. C(community.aws) and C(amazon.aws) support EFS only.
options:
  name:
    description:
      - Return only file systems with this value of the tag C(Name).
    type: str
  file_system_id:
    description:
      - Return only the file system with this ID. An unknown ID gives an empty list.
    type: str
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(fsx:DescribeFileSystems), C(ec2:DescribeNetworkInterfaces) and C(ec2:DescribeSubnets)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.fsx_lustre_file_system
  - module: mlfleet.hyperpod.named_resource_info
"""

EXAMPLES = r"""
- name: List all file systems
  mlfleet.hyperpod.fsx_lustre_file_system_info:
    region: us-west-2

- name: Get the updates of a file system
  mlfleet.hyperpod.fsx_lustre_file_system_info:
    region: us-west-2
    name: ml-checkpoints
"""

RETURN = r"""
fsx_lustre_file_systems:
  description: The file systems, sorted by ID.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the file system.
      type: str
      sample: fs-0123456789abcdef0
    arn:
      description: ARN of the file system.
      type: str
      sample: arn:aws:fsx:us-west-2:111111111111:file-system/fs-0123456789abcdef0
    name:
      description: Name of the file system, from its tag C(Name), or an empty string.
      type: str
      sample: ml-checkpoints
    lifecycle:
      description: Lifecycle of the file system, as AWS returns it.
      type: str
      sample: AVAILABLE
    failure:
      description: Why the file system failed or is misconfigured, or an empty string.
      type: str
      sample: ''
    dns_name:
      description: DNS name of the file system. Null unless the lifecycle is C(AVAILABLE) or C(UPDATING).
      type: str
      sample: fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com
    mount_name:
      description: Mount name of the file system. Null unless the lifecycle is C(AVAILABLE) or C(UPDATING).
      type: str
      sample: abcdefgh
    availability_zone:
      description: Availability Zone of the subnet. Null if the subnet was not found.
      type: str
      sample: us-west-2a
    vpc_id:
      description: VPC of the file system.
      type: str
      sample: vpc-0123456789abcdef0
    network_interface_ids:
      description: Network interfaces of the file system.
      type: list
      elements: str
      sample: [eni-0123456789abcdef0]
    storage_type:
      description: Storage class, as AWS returns it.
      type: str
      sample: SSD
    subnet_id:
      description: Subnet of the file system.
      type: str
      sample: subnet-0123456789abcdef0
    security_group_ids:
      description: Security groups of the network interfaces. Null while the file system has no network interfaces.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    storage_capacity:
      description: Storage capacity in GiB.
      type: int
      sample: 4800
    deployment_type:
      description: Deployment type.
      type: str
      sample: PERSISTENT_2
    per_unit_throughput:
      description: Throughput in MB/s for each TiB of storage. Null for scratch file systems.
      type: int
      sample: 250
    efa:
      description: Whether clients can use EFA.
      type: bool
      sample: false
    metadata_iops:
      description: Rate of metadata operations, or C(AUTOMATIC). Null for a file system without a metadata configuration.
      type: str
      sample: AUTOMATIC
    compression:
      description: Compression.
      type: str
      sample: LZ4
    kms_key_id:
      description: ARN of the KMS key.
      type: str
      sample: arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef
    file_system_version:
      description: Version of Lustre.
      type: str
      sample: '2.15'
    backup_retention_days:
      description: Days for which FSx keeps automatic backups. Null for scratch file systems.
      type: int
      sample: 7
    weekly_maintenance:
      description: Start of the weekly maintenance window in UTC.
      type: str
      sample: '7:09:00'
    administrative_actions:
      description: Updates that FSx performs or has performed.
      type: list
      elements: dict
      contains:
        type:
          description: Type of the action, as AWS returns it.
          type: str
          sample: FILE_SYSTEM_UPDATE
        status:
          description: Status of the action, as AWS returns it.
          type: str
          sample: UPDATED_OPTIMIZING
        requested:
          description: Time of the request in UTC.
          type: str
          sample: '2026-11-29T11:00:00.000Z'
        progress_percent:
          description: Progress of the action. Null if FSx does not return it.
          type: int
          sample: 20
        failure:
          description: Why the action failed, or an empty string.
          type: str
          sample: ''
    created:
      description: Time of the creation in UTC.
      type: str
      sample: '2026-11-29T10:00:00.000Z'
    tags:
      description: Tags of the file system.
      type: dict
      sample: {"Name": "ml-checkpoints"}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.info import info
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.network import FileSystemNetwork

SPEC = {"name": {"type": "str"}, "file_system_id": {"type": "str"}}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "fsx"), FileSystemNetwork(Network(connect(module, "ec2").client)), module.params)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
