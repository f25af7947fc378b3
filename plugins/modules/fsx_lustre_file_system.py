#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fsx_lustre_file_system
version_added: 0.1.0
short_description: Manage a file system of Amazon FSx for Lustre
description:
  - Creates, changes and removes a file system of FSx for Lustre with SSD storage. The module waits until the file system can be
    mounted, until each change is complete, and until a removed file system no longer exists.
  - No maintained collection has a module for FSx. C(community.aws) and C(amazon.aws) support EFS only.
  - The module finds a file system by its tag C(Name) together with the tags C(mlfleet.hyperpod/cluster) and
    C(mlfleet.hyperpod/component), which it sets. It neither changes nor removes a file system without these tags. If two file
    systems have these tags and the same name, the module refuses the name and prints both IDs.
  - Before it creates a file system, the module checks whether the security groups allow the traffic of Lustre. It names missing
    rules, but does not create them. Use M(mlfleet.hyperpod.security_group_rule) or M(amazon.aws.ec2_security_group).
  - The module does not create a second file system if the reply of FSx is lost.
options:
  name:
    description:
      - Name of the file system, for the tag C(Name). Required to create a file system.
      - With O(file_system_id), the module sets this name.
    type: str
  file_system_id:
    description:
      - ID of an existing file system with the tags of this module, such as V(fs-0123456789abcdef0).
    type: str
  state:
    description:
      - Whether the file system exists.
      - V(absent) removes the file system, its data and its automatic backups. See O(skip_final_backup).
    type: str
    choices: [present, absent]
    default: present
  cluster_arn:
    description:
      - ARN of the HyperPod cluster or EKS cluster that the file system belongs to, for the tag C(mlfleet.hyperpod/cluster).
    type: str
    required: true
  subnet_id:
    description:
      - Subnet of the file system. All data is in the Availability Zone of this subnet. Cannot be changed.
      - Choose a subnet in the zone of the nodes. Traffic between zones is slower, and AWS charges for it.
      - Required to create a file system.
    type: str
  security_group_ids:
    description:
      - Security groups of the file system's network interfaces. Cannot be changed.
      - They must allow TCP ports 988 and 1018 to 1023 between their own members, and from O(client_security_group_ids). With
        O(efa=true), they must allow all traffic in both directions, in rules that refer to the groups.
      - Required to create a file system. 1 to 50 groups of the VPC of O(subnet_id).
    type: list
    elements: str
  client_security_group_ids:
    description:
      - Security groups of the clients, such as the nodes of a cluster. Before it creates a file system, the module checks whether
        O(security_group_ids) allow traffic from each of these groups.
    type: list
    elements: str
  storage_capacity:
    description:
      - Storage capacity in GiB. Can only be increased. Required to create a file system.
      - V(1200), or a multiple of V(2400). With O(efa=true), a multiple of V(38400), V(19200), V(9600) or V(4800) for an
        O(per_unit_throughput) of V(125), V(250), V(500) or V(1000).
      - AWS refuses a second increase within 6 hours. After an increase, FSx redistributes the data for hours or days. The module
        does not wait for this.
    type: int
  deployment_type:
    description:
      - Durability and performance of the file system. Cannot be changed. A new file system is V(PERSISTENT_2) if this option is
        omitted.
      - V(SCRATCH_2) does not replicate data. The failure of a server loses data.
    type: str
    choices: [PERSISTENT_2, PERSISTENT_1, SCRATCH_2]
  per_unit_throughput:
    description:
      - Throughput in MB/s for each TiB of storage. Required to create a persistent file system.
      - V(125), V(250), V(500) or V(1000) for V(PERSISTENT_2). V(50), V(100) or V(200) for V(PERSISTENT_1). Not allowed for
        V(SCRATCH_2).
      - A change makes the file system unavailable for some minutes. With O(efa=true), it cannot be changed.
    type: int
  efa:
    description:
      - Whether clients can use Elastic Fabric Adapter (EFA) and GPUDirect Storage. Cannot be changed.
      - Requires O(deployment_type=PERSISTENT_2) and O(metadata_iops).
    type: bool
  metadata_iops:
    description:
      - Rate of metadata operations. It is V(AUTOMATIC) for a rate that depends on the storage capacity, or V(1500), V(3000),
        V(6000), V(12000), or a multiple of V(12000) up to V(192000).
      - Requires O(deployment_type=PERSISTENT_2). Can only be increased. If it is omitted when the file system is created, it can't
        be set later.
    type: str
  compression:
    description:
      - Compression of data that is written from now on.
    type: str
    choices: [NONE, LZ4]
  kms_key_id:
    description:
      - ID or ARN of the KMS key that encrypts the data. Cannot be changed. Aliases are not supported. Not allowed for
        V(SCRATCH_2).
      - If omitted, FSx uses its own key of the account.
    type: str
  file_system_version:
    description:
      - Version of Lustre. It can only be raised, which makes the file system unavailable for a while. Write the version in
        quotation marks, because YAML reads V(2.10) as a number.
      - V(PERSISTENT_2) requires at least V(2.12), and O(metadata_iops) requires V(2.15).
    type: str
    choices: ['2.10', '2.12', '2.15']
  backup_retention_days:
    description:
      - Days for which FSx keeps automatic daily backups. Allowed range is 0 to 90. V(0) disables them.
      - Not allowed for V(SCRATCH_2).
    type: int
  weekly_maintenance:
    description:
      - Start of the weekly maintenance window in UTC, as day, hour and minute. Day V(1) is Monday. An example is V(7:09:00).
    type: str
  skip_final_backup:
    description:
      - With O(state=absent), whether all data is lost. By default, FSx takes a final backup, which you must remove yourself.
      - FSx can't back up file systems of type V(SCRATCH_2) and file systems that have failed, so their data is always lost.
    type: bool
    default: false
  tags:
    description:
      - Further tags to set, at most 47. If omitted, tags are not changed.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except those of AWS and of this module. If O(tags) is omitted, no tag is
        removed.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for each operation, V(1) to V(86400). FSx creates a file system in 5 to 15 minutes, and needs longer for a
        large one.
    type: int
    default: 3600
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
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(fsx:DescribeFileSystems), C(ec2:DescribeNetworkInterfaces), C(ec2:DescribeSubnets), to create a file system
    C(fsx:CreateFileSystem), C(fsx:TagResource), C(ec2:DescribeSecurityGroups), C(ec2:DescribeSecurityGroupRules),
    C(ec2:DescribeVpcs), and for the first file system of an account C(iam:CreateServiceLinkedRole), to change one
    C(fsx:UpdateFileSystem), C(fsx:TagResource) and C(fsx:UntagResource), and to remove one C(fsx:DeleteFileSystem), with a final
    backup also C(fsx:CreateBackup) and C(fsx:TagResource)."
  - With O(kms_key_id), the caller also needs the rights on the KMS key that FSx documents.
  - Data repositories in S3, HDD and Intelligent-Tiering storage, root squash and logs are not supported.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.fsx_lustre_file_system_info
  - module: mlfleet.hyperpod.security_group_rule
  - name: FSx for Lustre
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/fsx/latest/LustreGuide/what-is.html
"""

EXAMPLES = r"""
- name: Create a file system for checkpoints, and wait until nodes can mount it
  mlfleet.hyperpod.fsx_lustre_file_system:
    region: us-west-2
    name: ml-checkpoints
    cluster_arn: arn:aws:eks:us-west-2:111111111111:cluster/ml
    subnet_id: subnet-0123456789abcdef0
    security_group_ids: [sg-0123456789abcdef0]
    client_security_group_ids: [sg-0fedcba9876543210]
    storage_capacity: 4800
    per_unit_throughput: 250
    metadata_iops: AUTOMATIC
    compression: LZ4
    backup_retention_days: 7
  register: checkpoints

- name: Print the mount source
  ansible.builtin.debug:
    msg: >-
      {{ checkpoints.fsx_lustre_file_system.dns_name }}@tcp:/{{ checkpoints.fsx_lustre_file_system.mount_name }}

- name: Increase the capacity
  mlfleet.hyperpod.fsx_lustre_file_system:
    region: us-west-2
    name: ml-checkpoints
    cluster_arn: arn:aws:eks:us-west-2:111111111111:cluster/ml
    storage_capacity: 9600

- name: Remove the file system, but keep its data in a final backup
  mlfleet.hyperpod.fsx_lustre_file_system:
    region: us-west-2
    name: ml-checkpoints
    cluster_arn: arn:aws:eks:us-west-2:111111111111:cluster/ml
    state: absent
"""

RETURN = r"""
fsx_lustre_file_system:
  description: The file system. In check mode, the predicted file system.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the file system exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    id:
      description: ID of the file system.
      type: str
      sample: fs-0123456789abcdef0
    arn:
      description: ARN of the file system.
      type: str
      sample: arn:aws:fsx:us-west-2:111111111111:file-system/fs-0123456789abcdef0
    name:
      description: Name of the file system, from its tag C(Name).
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
    created:
      description: Time of the creation in UTC.
      type: str
      sample: '2026-11-29T10:00:00.000Z'
    tags:
      description: Tags of the file system.
      type: dict
      sample: {"Name": "ml-checkpoints"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: file system ml-checkpoints (fs-0123456789abcdef0)
      field: storage_capacity
      before: 4800
      after: 9600
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.network import FileSystemNetwork
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import TABLE, member
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

GROUPS = {"type": "list", "elements": "str"}
SPEC = {
    "name": {"type": "str"},
    "file_system_id": {"type": "str"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_arn": {"type": "str", "required": True},
    **fields.argument_spec(TABLE),
    "security_group_ids": GROUPS,
    "client_security_group_ids": GROUPS,
    "skip_final_backup": {"type": "bool", "default": False},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    **wait_options(timeout=3600),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region)
    fsx = connect(module, "fsx")
    for field in TABLE:
        if field.option in desired.settings:
            fsx.require_member("CreateFileSystem", member(field))
    if "file_system_version" in desired.settings:
        fsx.require("UpdateFileSystem", "FileSystemTypeVersion")
    network = FileSystemNetwork(Network(connect(module, "ec2").client))
    observer = Observer(fsx, network, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(fsx, desired, observer),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.resource} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC, required_one_of=[("name", "file_system_id")]), resource)


if __name__ == "__main__":
    main()
