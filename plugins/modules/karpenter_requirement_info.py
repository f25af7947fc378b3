#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: karpenter_requirement_info
version_added: 0.1.0
short_description: Tell whether managed Karpenter can scale instance groups
description:
  - Returns what HyperPod's managed Karpenter asks of a cluster, of what runs in Kubernetes, and of the instance groups that are
    to be under a C(HyperpodNodeClass), and what is there. Each requirement comes with its remedy.
  - Some of it neither AWS nor Kubernetes refuses, such as a group that has nodes, which Karpenter ends, or topology-aware
    scheduling, which it does not support. No other collection knows HyperPod's Karpenter.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster.
    type: str
    required: true
  node_class:
    description:
      - Name of the C(HyperpodNodeClass), which need not exist.
    type: str
    required: true
  instance_groups:
    description:
      - Names of the instance groups that are to be under it.
    type: list
    elements: str
    required: true
  keda_triggers:
    description:
      - Triggers of KEDA that C(ScaledObjects) are to have. With any, KEDA is asked about, too, and for those that read from AWS
        without an authentication of their own the identity of its operator.
    type: list
    elements: dict
    default: []
    suboptions:
      type:
        description:
          - Its type, such as V(aws-sqs-queue).
        type: str
        required: true
      authenticated:
        description:
          - Whether it has an authentication of its own (C(authenticationRef)).
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
    C(ec2:DescribeInstanceTypeOfferings), with O(keda_triggers) C(eks:ListPodIdentityAssociations). In
    Kubernetes the caller needs to read daemon sets, deployments, config maps, service accounts, custom resource definitions and
    C(hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com), as EKS's policy C(AmazonEKSClusterAdminPolicy) allows."
  - Without O(kubeconfig) and O(context), the API server of the cluster's own EKS cluster is asked, with the caller's AWS
    credentials as a password; they need an access entry there.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_autoscaling
  - name: Autoscaling on SageMaker HyperPod EKS
    description: What AWS says of managed Karpenter.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: Can Karpenter have the two groups?
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
  description: Whether nothing is known to be missing.
  returned: success
  type: bool
  sample: false
requirements:
  description: What is asked, and what is there, in the order in which to mend it.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: What it is about.
      type: str
      sample: zones
    met:
      description: Whether it is as asked, or null where nobody tells.
      type: bool
      sample: false
    found:
      description: What is there.
      type: str
      sample: g5-a is in us-west-2a, us-west-2b
    needed:
      description: What is asked.
      type: str
      sample: one a group, unless it has several instance types
    remedy:
      description: What to do where it is not as asked.
      type: str
      sample: Give each group subnets of one zone (override_vpc_config).
cluster_nodes:
  description: Nodes that the cluster has, or is to have, whichever is more in each group; a quota is about them.
  returned: success
  type: int
  sample: 2
instance_groups:
  description: The asked groups that exist.
  returned: success, with EKS
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group.
      type: str
      sample: g5-a
    nodes:
      description: Nodes that it has, or is to have, whichever is more.
      type: int
      sample: 0
    instance_types:
      description: Its instance types; several where it is flexible.
      type: list
      elements: str
      sample: [ml.g5.8xlarge]
    zones:
      description: Availability zones of its subnets.
      type: list
      elements: str
      sample: [us-west-2a]
    spot:
      description: Whether its nodes are Spot instances.
      type: bool
      sample: false
    node_class:
      description: The C(HyperpodNodeClass) that has it already, or an empty string.
      type: str
      sample: ""
    new:
      description:
        - Whether Karpenter does not have it yet. It ends the nodes that such a group has. While the autoscaler is off, each group
          is new, whether a C(HyperpodNodeClass) has it or not.
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
    asked = options.asked(module.params)
    network = Network(connect(module, "ec2").client)
    eks = connect(module, "eks")
    state = observe(connect_hyperpod(module), network, eks, lambda arn: connect_cluster(module, arn), asked)
    found = judge(asked, state)
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
