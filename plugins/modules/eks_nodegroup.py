#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_nodegroup
version_added: 0.1.0
short_description: Manage a node group of an EKS cluster
description:
  - Creates a managed node group of Amazon EKS, changes its settings and versions, or removes it. The module waits until EKS has
    completed each change.
  - C(community.aws.eks_nodegroup) also manages node groups. It lacks the AMI types of Amazon Linux 2023, instance types and AMI
    types together with a launch template, Capacity Blocks, node repair and versions. Its changes of taints and tags fail, and it
    does not report the reasons of EKS.
  - The module sends all differences in numbers, labels, taints, update settings and repair settings in one call. If a version
    differs, it then makes a second call, after which EKS replaces all nodes. With O(wait=false), a later run makes the second
    call.
  - EKS can't change the role, the subnets, the instance types, the AMI type, the capacity type, the disk size and the launch
    template of a node group. If one of them differs, the module fails before any change. To replace a group, create a group with
    another name, move the Pods, and then remove the old group. The role C(training_cluster) does this for the groups in
    C(training_cluster_remove_groups).
  - If EKS reports health issues, the message contains their codes, their texts and the next steps. A group in the status
    C(DEGRADED) causes a warning if nothing changes. A group in the status C(CREATE_FAILED) must be removed with O(state=absent)
    before it can be created again.
  - If nodes do not join the cluster, EKS does not report the cause. The module then reads the policies and the access entry of the
    node role, the security groups, the routes, and the user data of the launch template, and reports the causes that it finds. A
    part that it may not read is reported as unknown. Network ACLs and the nodes themselves are not read.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  name:
    description:
      - Name of the node group, with at most 63 characters.
    type: str
    required: true
  state:
    description:
      - Whether the node group exists. With V(absent), the module waits until EKS has removed the group and its nodes.
    type: str
    choices: [present, absent]
    default: present
  node_role_arn:
    description:
      - ARN of the IAM role of the nodes. Required for a new group.
    type: str
  subnet_ids:
    description:
      - IDs of the subnets of the nodes. Required for a new group.
    type: list
    elements: str
  instance_types:
    description:
      - Instance types of the nodes, in order of preference. Omit this option if the launch template has an instance type.
      - A group with one type or several types, V(1) to V(20). The module ignores the order for an existing group.
    type: list
    elements: str
  ami_type:
    description:
      - AMI type of the nodes.
      - One of V(AL2023_x86_64_STANDARD), V(AL2023_x86_64_NVIDIA), V(AL2023_x86_64_NEURON), V(AL2023_ARM_64_STANDARD),
        V(AL2023_ARM_64_NVIDIA) and V(CUSTOM). V(CUSTOM) requires a launch template that contains an AMI.
      - Other types of EKS are accepted only for a group that already has this type.
    type: str
  capacity_type:
    description:
      - How EC2 provides the nodes. EKS's default is V(ON_DEMAND). V(CAPACITY_BLOCK) requires a launch template with the
        reservation and the instance type.
    type: str
    choices: [ON_DEMAND, SPOT, CAPACITY_BLOCK]
  launch_template:
    description:
      - EC2 launch template of the nodes. An existing group can change only to another version of its template.
      - Check mode also accepts V((known after apply\)) as C(id) and C(version), which M(mlfleet.hyperpod.efa_launch_template)
        returns in check mode.
    type: dict
    suboptions:
      id:
        description:
          - ID of the template. Mutually exclusive with C(name).
        type: str
      name:
        description:
          - Name of the template. Mutually exclusive with C(id).
        type: str
      version:
        description:
          - Number of the version. If omitted, a new group gets the default version of the template.
          - V($Latest) and V($Default) are refused, because EKS returns only numbers.
        type: str
  disk_size:
    description:
      - Size of the root volume in GiB, V(1) or more. With a launch template, the template sets the size.
    type: int
  scaling:
    description:
      - Number of nodes. A new group for which it is omitted gets the defaults of EKS.
      - For a new group, O(scaling.min) and O(scaling.max) are required, and O(scaling.desired) defaults to O(scaling.min).
    type: dict
    suboptions:
      min:
        description:
          - Minimum number of nodes, V(0) or more.
          - If it is higher than the current number of nodes, the module raises the number as well, because EKS requires it.
        type: int
      max:
        description:
          - Maximum number of nodes, V(1) or more.
          - If it is lower than the current number of nodes, O(scaling.desired) is required, because EKS then terminates nodes.
        type: int
      desired:
        description:
          - Current number of nodes, V(0) or more. Omit this option if an autoscaler sets the number.
        type: int
  labels:
    description:
      - All Kubernetes labels that EKS sets on the nodes. V({}) removes all of them.
    type: dict
  taints:
    description:
      - All Kubernetes taints that EKS sets on the nodes. V([]) removes all of them.
    type: list
    elements: dict
    suboptions:
      key:
        description:
          - Key of the taint. Required.
        type: str
      value:
        description:
          - Value of the taint.
        type: str
      effect:
        description:
          - Effect of the taint. Required.
        type: str
        choices: [NO_SCHEDULE, NO_EXECUTE, PREFER_NO_SCHEDULE]
  update_config:
    description:
      - How EKS replaces the nodes when a version changes.
    type: dict
    suboptions:
      max_unavailable:
        description:
          - Number of nodes that EKS replaces at the same time, V(1) to V(100). Mutually exclusive with
            C(max_unavailable_percentage).
        type: int
      max_unavailable_percentage:
        description:
          - Percentage of nodes that EKS replaces at the same time, V(1) to V(100). Mutually exclusive with C(max_unavailable).
        type: int
      strategy:
        description:
          - V(DEFAULT) launches new nodes before it terminates old ones. V(MINIMAL) terminates old nodes first, so it needs no
            further capacity.
        type: str
        choices: [DEFAULT, MINIMAL]
  node_repair:
    description:
      - Automatic repair of unhealthy nodes. Without the add-on C(eks-node-monitoring-agent), EKS does not detect failures of
        accelerators.
    type: dict
    suboptions:
      enabled:
        description:
          - Whether EKS repairs nodes.
        type: bool
      max_unhealthy_node_threshold_count:
        description:
          - Unhealthy nodes above which EKS repairs no node, as a number of nodes, V(1) or more. Mutually exclusive with
            C(max_unhealthy_node_threshold_percentage).
        type: int
      max_unhealthy_node_threshold_percentage:
        description:
          - Unhealthy nodes above which EKS repairs no node, as a percentage of the nodes, V(1) to V(100). Mutually exclusive with
            C(max_unhealthy_node_threshold_count).
        type: int
      max_parallel_nodes_repaired_count:
        description:
          - Nodes that EKS repairs at the same time, as a number of nodes, V(1) or more. Mutually exclusive with
            C(max_parallel_nodes_repaired_percentage).
        type: int
      max_parallel_nodes_repaired_percentage:
        description:
          - Nodes that EKS repairs at the same time, as a percentage of the nodes, V(1) to V(100). Mutually exclusive with
            C(max_parallel_nodes_repaired_count).
        type: int
      overrides:
        description:
          - All rules for certain conditions of nodes. V([]) removes all of them.
        type: list
        elements: dict
        suboptions:
          condition:
            description:
              - Condition that the monitoring agent reports, such as V(AcceleratedHardwareReady). Required.
            type: str
          reason:
            description:
              - Reason that the monitoring agent reports, such as V(NvidiaXID13Error). Required.
            type: str
          min_repair_wait_minutes:
            description:
              - Minutes before the repair, V(1) or more. Required.
            type: int
          action:
            description:
              - What EKS does with the node. Required.
            type: str
            choices: [Replace, Reboot, NoAction]
  version:
    description:
      - Kubernetes version of the nodes. EKS creates a group only with the version of the cluster. An existing group keeps its
        version if this option is omitted, and can't be downgraded.
    type: str
  release_version:
    description:
      - Release of the AMI of EKS, such as V(1.34.2-20261015). A new group, and a group whose O(version) changes, get the newest
        release if this option is omitted.
    type: str
  force_update:
    description:
      - Whether EKS terminates a node during an update of O(version), O(release_version) or O(launch_template) even if a Pod
        disruption budget blocks the eviction of its Pods.
    type: bool
    default: false
  tags:
    description:
      - Tags to set. If omitted, tags are not changed. EKS does not copy them to the nodes.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except those of AWS. If O(tags) is omitted, no tag is removed.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for each change, V(1) to V(86400).
    type: int
    default: 2400
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
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeCluster), C(eks:DescribeNodegroup), and to change something C(eks:CreateNodegroup),
    C(eks:UpdateNodegroupConfig), C(eks:UpdateNodegroupVersion), C(eks:DescribeUpdate), C(eks:DeleteNodegroup),
    C(eks:TagResource) and C(eks:UntagResource), and C(iam:PassRole) for the role of the nodes. For the first node group of an
    account, EKS creates a service-linked role, which requires C(iam:CreateServiceLinkedRole). With a launch template, EKS also
    checks whether the caller may start and tag instances with it, which requires C(ec2:RunInstances) and C(ec2:CreateTags). If
    nodes do not join, the module reads the causes with C(eks:DescribeAccessEntry), C(eks:DescribeAddon),
    C(eks:ListPodIdentityAssociations), C(iam:ListAttachedRolePolicies), C(iam:ListRolePolicies),
    C(ec2:DescribeLaunchTemplateVersions), C(ec2:DescribeRouteTables), C(ec2:DescribeSecurityGroups), C(ec2:DescribeSubnets) and
    C(ec2:DescribeVpcEndpoints)."
  - The launch template must not contain a subnet, an instance profile, a shutdown behavior or Spot options. If it contains
    security groups, EKS does not add the security group of the cluster to the nodes.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_nodegroup_info
  - module: mlfleet.hyperpod.eks_addon
  - name: Amazon EKS managed node groups
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
"""

EXAMPLES = r"""
- name: Ensure a node group for system Pods
  mlfleet.hyperpod.eks_nodegroup:
    eks_cluster: training
    region: us-west-2
    name: system
    node_role_arn: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes
    subnet_ids: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]
    instance_types: [m7i.xlarge]
    ami_type: AL2023_x86_64_STANDARD
    disk_size: 100
    scaling: {min: 2, max: 4}

- name: Ensure a group of GPU nodes whose launch template has the network interfaces for EFA
  mlfleet.hyperpod.eks_nodegroup:
    eks_cluster: training
    region: us-west-2
    name: p5
    node_role_arn: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes
    subnet_ids: [subnet-0123456789abcdef0]
    instance_types: [p5.48xlarge]
    ami_type: AL2023_x86_64_NVIDIA
    launch_template: {name: training-p5, version: "3"}
    scaling: {min: 0, max: 8, desired: 8}
    labels: {team: research}
    taints:
      - {key: nvidia.com/gpu, effect: NO_SCHEDULE}
    update_config: {max_unavailable: 1, strategy: MINIMAL}
    node_repair: {enabled: true}
    wait_timeout: 3600

- name: Upgrade the nodes to the version of the cluster
  mlfleet.hyperpod.eks_nodegroup:
    eks_cluster: training
    region: us-west-2
    name: system
    version: "1.34"

- name: Remove a node group
  mlfleet.hyperpod.eks_nodegroup:
    eks_cluster: training
    region: us-west-2
    name: p5
    state: absent
"""

RETURN = r"""
eks_nodegroup:
  description: The node group. In check mode, the predicted node group.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the node group exists. If not, only C(exists), C(name) and C(eks_cluster) are returned.
      type: bool
      sample: true
    name:
      description: Name of the node group.
      type: str
      sample: p5
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: training
    nodegroup_arn:
      description: ARN of the node group.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:nodegroup/training/p5/0a1b2c3d
    status:
      description: Status of the node group, as AWS returns it.
      type: str
      sample: ACTIVE
    issues:
      description: Health issues that EKS reports.
      type: list
      elements: dict
      contains:
        code:
          description: Code of the issue, as AWS returns it.
          type: str
          sample: NodeCreationFailure
        message:
          description: Text of EKS.
          type: str
          sample: Instances failed to join the kubernetes cluster
        resources:
          description: IDs of the affected resources.
          type: list
          elements: str
          sample: [i-0123456789abcdef0]
        next_step:
          description: What to do about the issue.
          type: str
          sample: correct the problem that EKS reports
    node_role_arn:
      description: ARN of the IAM role of the nodes.
      type: str
      sample: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes
    subnet_ids:
      description: IDs of the subnets of the nodes.
      type: list
      elements: str
      sample: [subnet-0123456789abcdef0]
    instance_types:
      description: Instance types of the nodes. Null if the launch template has the instance type.
      type: list
      elements: str
      sample: [p5.48xlarge]
    ami_type:
      description: AMI type of the nodes.
      type: str
      sample: AL2023_x86_64_NVIDIA
    capacity_type:
      description: How EC2 provides the nodes.
      type: str
      sample: ON_DEMAND
    launch_template:
      description: The launch template with C(id), C(name) and C(version). Null if the group was created without one.
      type: dict
      sample: {"id": "lt-0123456789abcdef0", "name": "training-p5", "version": "3"}
    disk_size:
      description: Size of the root volume in GiB. Null if the group has a launch template.
      type: int
      sample: 100
    scaling:
      description: Number of nodes, as C(min), C(max) and C(desired).
      type: dict
      sample: {"min": 0, "max": 8, "desired": 8}
    labels:
      description: Kubernetes labels that EKS sets on the nodes.
      type: dict
      sample: {"team": "research"}
    taints:
      description: Kubernetes taints that EKS sets on the nodes.
      type: list
      elements: dict
      sample: [{"key": "nvidia.com/gpu", "value": "", "effect": "NO_SCHEDULE"}]
    update_config:
      description: How EKS replaces the nodes, with the fields of the option O(update_config).
      type: dict
      sample: {"max_unavailable": 1, "strategy": "MINIMAL"}
    node_repair:
      description: Automatic repair of nodes, with the fields of the option O(node_repair).
      type: dict
      sample: {"enabled": true}
    version:
      description: Kubernetes version of the nodes.
      type: str
      sample: "1.34"
    release_version:
      description: Release of the AMI, or the ID of the AMI if it is in the launch template.
      type: str
      sample: 1.34.2-20261015
    auto_scaling_groups:
      description: Names of the EC2 Auto Scaling groups of the node group.
      type: list
      elements: str
      sample: [eks-p5-0a1b2c3d]
    tags:
      description: Tags of the node group.
      type: dict
      sample: {"team": "research"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: node group p5
      field: scaling.max
      before: 4
      after: 8
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.explanation import Explanation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws


def specification() -> dict[str, t.Any]:
    return {
        "eks_cluster": {"type": "str", "required": True},
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        **options.specification(),
        "force_update": {"type": "bool", "default": False},
        "cluster_arn": {"type": "str"},
        **TAG_OPTIONS,
        **wait_options(timeout=2400),
        **LOCK_OPTION,
    }


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region, check_mode=module.check_mode)
    eks = connect(module, "eks")
    options.require_known(eks, desired)
    observer = Observer(eks, desired, waits=waits_of(module), explain=Explanation(module, eks, desired.cluster))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(eks, desired, observer),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.about} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=specification()), resource)


if __name__ == "__main__":
    main()
