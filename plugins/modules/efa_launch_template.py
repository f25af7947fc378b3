#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: efa_launch_template
version_added: 0.1.0
short_description: Manage an EC2 launch template for EKS nodes that use all their EFA devices
description:
  - Creates an EC2 launch template for a managed node group of EKS, with one network interface for each EFA device of the instance
    type. The module derives the interfaces from the network cards that EC2 returns for the type, for example 33 interfaces for
    C(p5.48xlarge).
  - C(amazon.aws.ec2_launch_template) can't create such a template, because its network interfaces have neither C(interface_type)
    nor C(network_card_index). It also lacks capacity reservations and the market type of capacity blocks.
  - A launch template can't be changed. If the settings of the default version differ from the options, the module creates a new
    version and makes it the default version. It compares settings by their meaning. The order of security groups and the boundary
    of the user data do not matter. Settings without an option are not part of the new version.
  - Earlier versions are kept. EC2 allows 10,000 versions of a template. If this number is reached, the module fails before it
    changes anything else, until you delete versions.
  - A node group uses the version that it was created or updated with. A new default version does not change the nodes. Pass
    RV(efa_launch_template.version) to the node group.
  - The template has the instance type. The node group must not have C(instanceTypes), C(diskSize) or C(remoteAccess).
  - Instances with several network interfaces get no public address. The subnets of the node group need a NAT gateway or VPC
    endpoints.
options:
  name:
    description:
      - Name of the launch template, which is unique in the Region.
    type: str
    required: true
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster of the node group, in the Region of O(region). The template gets the tag
        C(mlfleet.hyperpod/cluster) with the ARN of the cluster as its value. The cluster does not need to exist yet.
      - The module refuses to change or remove a template without this tag, and a template with the tag of another cluster.
    type: str
    required: true
  state:
    description:
      - Whether the launch template exists. V(absent) removes all its versions. Remove the node groups first, because EC2 removes
        a template that a node group uses.
    type: str
    choices: [present, absent]
    default: present
  instance_type:
    description:
      - Instance type of the nodes, such as V(p5.48xlarge). Required with O(state=present).
      - A type that the Region does not have is refused, and a type whose EFA devices EC2 does not return.
    type: str
  cluster_security_group_id:
    description:
      - Cluster security group of the EKS cluster. Required with O(state=present).
      - All interfaces have this group. EKS does not add it to the nodes if the launch template has security groups.
      - Check mode also accepts V((known after apply\)).
    type: str
  security_group_ids:
    description:
      - Further security groups of all interfaces. An interface can have at most 16 groups, including the cluster security group.
        The default quota is 5.
      - EFA requires a group that allows all traffic to and from itself. If no group does, the module prints a warning. EKS adds
        these rules to the cluster security group from Kubernetes 1.33 on.
      - In check mode, groups do not need to exist, and V((known after apply\)) is accepted.
    type: list
    elements: str
    default: []
  efa:
    description:
      - Whether the nodes use all EFA devices of the instance type. The default is V(true) if the type has EFA.
      - V(false) gives the nodes one plain network interface.
    type: bool
  capacity_reservation_id:
    description:
      - Capacity reservation in which the nodes run. It must be active or scheduled and reserve O(instance_type).
      - The module detects a capacity block, and then sets the market type C(capacity-block). The node group then needs the capacity
        type in RV(efa_launch_template.capacity_type), and subnets only in the Availability Zone of the reservation.
      - If the capacity is reserved in a placement group, the template gets this placement group.
      - An empty text removes the reservation from the template. If omitted, the reservation is not changed, unless
        O(placement_group) replaces it.
    type: str
  placement_group:
    description:
      - Name of an existing placement group with strategy C(cluster). Mutually exclusive with O(capacity_reservation_id), because
        capacity that was reserved outside of the group can't be used in it.
      - An empty text removes the placement group from the template. If omitted, the placement group is not changed, unless
        O(capacity_reservation_id) replaces it.
      - In check mode, the placement group does not need to exist.
    type: str
  volume_size:
    description:
      - Size of the root volume in GiB, V(50) to V(65536). The volume has type C(gp3) and is encrypted.
      - Container images are stored on this volume, unless O(local_storage=RAID0). A Deep Learning Container has about 20 GB.
    type: int
    default: 200
  volume_kms_key_id:
    description:
      - ID, alias or ARN of the KMS key of the root volume. The service-linked role of EC2 Auto Scaling must be allowed to use the
        key.
      - An empty text selects the default key of EBS. If omitted, the key is not changed.
    type: str
  local_storage:
    description:
      - V(RAID0) combines the local disks of the instance type to one file system, for images, logs and temporary files of Pods.
        Pods can also use it as C(/mnt/k8s-disks/0). Local disks lose their data when the instance stops. It requires an image
        of EKS with Amazon Linux 2023.
      - V(none) does not configure local disks.
    type: str
    choices: [RAID0, none]
    default: none
  metadata_hop_limit:
    description:
      - Number of network hops for the instance metadata service, V(1) or V(2). IMDSv2 is always required.
      - With V(2), every Pod can use the IAM role of the node. Use pod identities instead.
    type: int
    default: 1
  image_id:
    description:
      - AMI of your own. The node group then needs the AMI type C(CUSTOM). The user data contains the endpoint of O(eks_cluster),
        which must exist. The image must contain C(nodeadm), as images of EKS with Amazon Linux 2023 do.
      - An empty text removes the AMI from the template, so that EKS chooses an image by the AMI type of the node group. If
        omitted, the AMI is not changed.
    type: str
  instance_tags:
    description:
      - Tags of the instances and their volumes. V({}) removes them from the template. If omitted, they are not changed.
    type: dict
  tags:
    description:
      - Tags of the launch template. If omitted, tags are not changed.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether to remove tags of the launch template that are not in O(tags), except those of AWS and of this collection. If
        O(tags) is omitted, no tag is removed.
    type: bool
    default: true
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
  - mlfleet.hyperpod.lock_option.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ec2:DescribeLaunchTemplates), C(ec2:DescribeLaunchTemplateVersions), C(ec2:DescribeInstanceTypes),
    C(ec2:DescribeSecurityGroups), with O(capacity_reservation_id) C(ec2:DescribeCapacityReservations), with O(placement_group)
    C(ec2:DescribePlacementGroups), with O(image_id) C(ec2:DescribeImages) and C(eks:DescribeCluster), and to change something
    C(ec2:CreateLaunchTemplate), C(ec2:CreateLaunchTemplateVersion), C(ec2:ModifyLaunchTemplate), C(ec2:DeleteLaunchTemplate),
    C(ec2:CreateTags) and C(ec2:DeleteTags)."
  - This module has not yet run against live AWS.
seealso:
  - module: amazon.aws.ec2_launch_template
  - module: mlfleet.hyperpod.instance_type_info
  - module: mlfleet.hyperpod.security_group_rule
  - name: Launch templates of managed node groups
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
  - name: EFA interfaces of accelerated instance types
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
"""

EXAMPLES = r"""
- name: Create a launch template for nodes in a placement group
  mlfleet.hyperpod.efa_launch_template:
    name: ml-p4d
    eks_cluster: ml
    region: us-west-2
    instance_type: p4d.24xlarge
    cluster_security_group_id: sg-0123456789abcdef0
    placement_group: ml-p4d
    local_storage: RAID0
  register: template

- name: Show the version that the node group must use
  ansible.builtin.debug:
    msg: "{{ template.efa_launch_template.launch_template_id }} version {{ template.efa_launch_template.version }}"

- name: Create a launch template for a capacity block
  mlfleet.hyperpod.efa_launch_template:
    name: ml-p5
    eks_cluster: ml
    region: us-west-2
    instance_type: p5.48xlarge
    cluster_security_group_id: sg-0123456789abcdef0
    capacity_reservation_id: cr-0123456789abcdef0
    volume_size: 500
    instance_tags:
      team: research

- name: Remove a launch template
  mlfleet.hyperpod.efa_launch_template:
    name: ml-p4d
    eks_cluster: ml
    region: us-west-2
    state: absent
"""

RETURN = r"""
efa_launch_template:
  description: The launch template with the settings of its default version. In check mode, the predicted launch template.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the launch template exists. If not, only C(exists), C(name) and C(eks_cluster) are returned.
      type: bool
      sample: true
    name:
      description: Name of the launch template.
      type: str
      sample: ml-p5
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    launch_template_id:
      description: ID of the launch template.
      type: str
      sample: lt-0123456789abcdef0
    version:
      description: Number of the default version. V((known after apply\)) in check mode if a new version would be created.
      type: raw
      sample: 3
    instance_type:
      description: Instance type.
      type: str
      sample: p5.48xlarge
    network_interface_count:
      description: Number of network interfaces.
      type: int
      sample: 33
    efa_interface_count:
      description: Number of network interfaces with EFA, which is the number of EFA devices of a node.
      type: int
      sample: 32
    efa_source:
      description:
        - Member of EC2's answer from which the EFA devices were derived. C(InterfaceTypes) describes each network card. If
          botocore does not support it yet, C(MaximumEfaInterfaces) is used for types with one EFA device for each network card.
        - C(EfaSupported) if the type has no EFA, and an empty text with O(efa=false) or O(state=absent).
      type: str
      sample: InterfaceTypes
    efa_traffic_allowed:
      description:
        - Whether a security group allows all traffic to and from itself, which EFA requires. Null without EFA, and in check mode
          if no group exists yet.
      type: bool
      sample: true
    security_group_ids:
      description: Security groups of all interfaces.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    capacity_type:
      description: Capacity type that the node group must have, C(ON_DEMAND) or C(CAPACITY_BLOCK).
      type: str
      sample: CAPACITY_BLOCK
    capacity_reservation:
      description: The capacity reservation. Null if the template does not have one.
      type: dict
      contains:
        id:
          description: ID of the reservation.
          type: str
          sample: cr-0123456789abcdef0
        type:
          description: Type of the reservation, as AWS returns it.
          type: str
          sample: capacity-block
        instance_type:
          description: Reserved instance type.
          type: str
          sample: p5.48xlarge
        state:
          description: State of the reservation, as AWS returns it.
          type: str
          sample: active
        availability_zone:
          description: Availability Zone of the reservation. The node group can have subnets only in this zone.
          type: str
          sample: us-west-2a
        availability_zone_id:
          description: ID of the Availability Zone, which is the same in all accounts.
          type: str
          sample: usw2-az1
        start:
          description: Start of the reservation. Empty if AWS returns none.
          type: str
          sample: '2026-12-01T11:30:00.000Z'
        end:
          description: End of the reservation. Empty if it ends only when it is canceled.
          type: str
          sample: '2026-12-08T11:30:00.000Z'
        total_instance_count:
          description: Number of reserved instances.
          type: int
          sample: 4
        available_instance_count:
          description: Number of reserved instances that are not in use.
          type: int
          sample: 4
    placement_group:
      description: Name of the placement group, or an empty text.
      type: str
      sample: ''
    placement_group_state:
      description:
        - State of the group in O(placement_group), as AWS returns it. Empty without this option, and in check mode if the group
          does not exist.
      type: str
      sample: ''
    image_id:
      description: ID of the AMI. Empty if EKS chooses the image.
      type: str
      sample: ''
    device_name:
      description: Device name of the root volume.
      type: str
      sample: /dev/xvda
    volume_size:
      description: Size of the root volume in GiB.
      type: int
      sample: 500
    volume_kms_key_id:
      description: KMS key of the root volume. Empty for the default key of EBS.
      type: str
      sample: ''
    metadata_hop_limit:
      description: Number of network hops for the instance metadata service.
      type: int
      sample: 1
    user_data:
      description: The decoded user data, or an empty text.
      type: str
      sample: ''
    instance_tags:
      description: Tags of the instances and their volumes.
      type: dict
      sample: {"team": "research"}
    tags:
      description: Tags of the launch template.
      type: dict
      sample: {"mlfleet.hyperpod/cluster": "arn:aws:eks:us-west-2:111111111111:cluster/ml"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: launch template ml-p5
      field: volume_size
      before: 200
      after: 500
    - action: update
      resource: launch template ml-p5
      field: version
      before: 1
      after: (known after apply)
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.plan import is_as_wanted, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "name": {"type": "str", "required": True},
    "eks_cluster": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "instance_type": {"type": "str"},
    "cluster_security_group_id": {"type": "str"},
    "security_group_ids": {"type": "list", "elements": "str", "default": []},
    "efa": {"type": "bool"},
    "capacity_reservation_id": {"type": "str"},
    "placement_group": {"type": "str"},
    "volume_size": {"type": "int", "default": 200},
    "volume_kms_key_id": {"type": "str"},
    "local_storage": {"type": "str", "choices": ["RAID0", "none"], "default": "none"},
    "metadata_hop_limit": {"type": "int", "default": 1},
    "image_id": {"type": "str"},
    "instance_tags": {"type": "dict"},
    "cluster_arn": {"type": "str"},
    **TAG_OPTIONS,
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    check_mode = module.check_mode
    desired = options.desired(module.params, module.region, check_mode=check_mode)
    ec2 = connect(module, "ec2")
    observer = Observer(ec2, desired, service=lambda name: connect(module, name), check_mode=check_mode)
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state, check_mode=check_mode),
        apply=Applier(ec2, desired, observer, made=lambda state: is_as_wanted(desired, state), warn=module.warn),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.resource} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
