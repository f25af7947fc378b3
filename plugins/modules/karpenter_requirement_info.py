#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: karpenter_requirement_info
version_added: 0.1.0
short_description: Check whether managed Karpenter can scale instance groups
description:
  - Returns the requirements of HyperPod's managed Karpenter, and whether they are met. The requirements are about the cluster,
    about software in Kubernetes, and about the instance groups of a C(HyperpodNodeClass). Each requirement has a remedy.
  - Neither AWS nor Kubernetes enforces all of these requirements. For example, both accept a group that still has nodes, although
    Karpenter then removes these nodes. Both also accept topology-aware scheduling, which Karpenter does not support. No other
    collection supports HyperPod's Karpenter.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster.
    type: str
    required: true
  node_class:
    description:
      - Name of the C(HyperpodNodeClass). The object does not need to exist.
    type: str
    required: true
  instance_groups:
    description:
      - Names of the instance groups of the C(HyperpodNodeClass).
    type: list
    elements: str
    required: true
  keda_triggers:
    description:
      - KEDA triggers of planned C(ScaledObjects). If there are any triggers, the module also checks KEDA. If a trigger reads from
        AWS without its own authentication, the module also checks the identity of KEDA's operator.
    type: list
    elements: dict
    default: []
    suboptions:
      type:
        description:
          - Type of the trigger, such as V(aws-sqs-queue).
        type: str
        required: true
      authenticated:
        description:
          - Whether the trigger has its own authentication (C(authenticationRef)).
        type: bool
        default: false
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(eks:DescribeCluster), C(ec2:DescribeSubnets),
    C(ec2:DescribeInstanceTypeOfferings), and with O(keda_triggers) also C(eks:ListPodIdentityAssociations). Kubernetes
    permissions of the caller: read daemon sets, deployments, config maps, service accounts, custom resource definitions and
    C(hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com). The EKS policy C(AmazonEKSClusterAdminPolicy) allows this."
  - Without O(kubeconfig) and O(context), the module connects to the EKS cluster of the HyperPod cluster with the caller's AWS
    credentials. The caller then needs an access entry there.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_autoscaling
  - name: Autoscaling on SageMaker HyperPod EKS
    description: The AWS guide about managed Karpenter.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: Check whether Karpenter can scale two groups
  mlfleet.hyperpod.karpenter_requirement_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    node_class: gpus
    instance_groups: [g5-a, g5-b]
  register: karpenter
  failed_when: not karpenter.met
"""

RETURN = r"""
met:
  description: False if at least one requirement is known to be unmet. A requirement that can't be checked counts as met.
  returned: success
  type: bool
  sample: false
requirements:
  description: The requirements. Fix unmet requirements in this order.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the requirement.
      type: str
      sample: zones
    met:
      description: Whether the requirement is met. Null if unknown.
      type: bool
      sample: false
    found:
      description: Current value.
      type: str
      sample: g5-a is in us-west-2a, us-west-2b
    needed:
      description: Required value.
      type: str
      sample: one per group, unless the group has several instance types
    remedy:
      description: How to fix an unmet requirement.
      type: str
      sample: Give each group subnets of one zone (override_vpc_config).
cluster_nodes:
  description:
    - Number of nodes of the cluster, for comparison with a quota. It is the sum over all groups of the current or the requested
      number of nodes, whichever is larger.
  returned: success
  type: int
  sample: 2
instance_groups:
  description: The existing groups of O(instance_groups).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group.
      type: str
      sample: g5-a
    nodes:
      description: Current or requested number of nodes of the group, whichever is larger.
      type: int
      sample: 0
    instance_types:
      description: Instance types of the group. A group can have several.
      type: list
      elements: str
      sample: [ml.g5.8xlarge]
    zones:
      description: Availability Zones of the group's subnets.
      type: list
      elements: str
      sample: [us-west-2a]
    spot:
      description: Whether the group's nodes are Spot Instances.
      type: bool
      sample: false
    node_class:
      description: Name of the C(HyperpodNodeClass) that already contains the group, or an empty string.
      type: str
      sample: ""
    new:
      description:
        - Whether Karpenter does not manage the group yet. Karpenter removes the existing nodes of such a group. While the
          autoscaler is disabled, every group is new, even if a C(HyperpodNodeClass) contains it.
      type: bool
      sample: true
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import KUBECONFIG, connect_cluster

TRIGGER = {"type": {"type": "str", "required": True}, "authenticated": {"type": "bool", "default": False}}
SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "node_class": {"type": "str", "required": True},
    "instance_groups": {"type": "list", "elements": "str", "required": True},
    "keda_triggers": {"type": "list", "elements": "dict", "default": [], "options": TRIGGER},
    **KUBECONFIG,
}


def requirements(module: t.Any) -> dict[str, t.Any]:
    desired = options.asked(module.params)
    network = Network(connect(module, "ec2").client)
    eks = connect(module, "eks")
    state = observe(connect_hyperpod(module), network, eks, lambda arn: connect_cluster(module, arn), desired)
    found = judge(desired, state)
    return {
        "met": all(each.met is not False for each in found),
        "requirements": [each.to_result() for each in found],
        "cluster_nodes": state.nodes,
        "instance_groups": state.group_results(),
    }


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), requirements)


if __name__ == "__main__":
    main()
