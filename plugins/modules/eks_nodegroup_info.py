#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_nodegroup_info
version_added: 0.1.0
short_description: List node groups of an EKS cluster
description:
  - Returns the managed node groups of an EKS cluster with their settings, and with the next step for each health issue.
  - C(community.aws) has a module to manage node groups, but none that lists them.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  name:
    description:
      - Return only the node group with this name. If it does not exist, the list is empty.
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
  - "IAM actions: C(eks:DescribeNodegroup), and without O(name) C(eks:ListNodegroups)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_nodegroup
"""

EXAMPLES = r"""
- name: Get the node groups of a cluster
  mlfleet.hyperpod.eks_nodegroup_info:
    eks_cluster: training
    region: us-west-2
  register: groups

- name: Report the node groups with health issues
  ansible.builtin.debug:
    msg: "{{ groups.eks_nodegroups | rejectattr('issues', 'equalto', []) | list }}"
"""

RETURN = r"""
eks_nodegroups:
  description: The node groups, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
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
      description: How EKS replaces the nodes, with the fields of the option C(update_config) of M(mlfleet.hyperpod.eks_nodegroup).
      type: dict
      sample: {"max_unavailable": 1, "strategy": "MINIMAL"}
    node_repair:
      description: Automatic repair of nodes, with the fields of the option C(node_repair) of M(mlfleet.hyperpod.eks_nodegroup).
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
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.info import info

SPEC = {"eks_cluster": {"type": "str", "required": True}, "name": {"type": "str"}}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
