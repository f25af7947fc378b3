#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_node_info
version_added: 0.1.0
short_description: List the nodes of an EKS cluster with their EC2 instances
description:
  - Returns the nodes that Kubernetes has, each with its EC2 instance. Instance type, node group and zone come from EC2, because a
    node can set its own labels. If a label of the node differs, the module reports this.
  - A node whose instance EC2 does not confirm is returned with the reason. Examples are nodes of HyperPod and Fargate, hybrid
    nodes, and nodes that claim the instance of another cluster.
  - C(kubernetes.core.k8s_info) returns the nodes as they describe themselves, without their instances.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
      - If neither O(kubeconfig) nor O(context) is set, the module connects to its endpoint with the caller's AWS credentials.
    type: str
    required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ec2:DescribeInstances), and without O(kubeconfig) and O(context) C(eks:DescribeCluster)."
  - "Kubernetes permissions of the caller: list nodes."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_nodegroup_info
  - module: mlfleet.hyperpod.training_node_info
"""

EXAMPLES = r"""
- name: Get the nodes of a cluster
  mlfleet.hyperpod.eks_node_info:
    eks_cluster: training
    region: us-west-2
  register: found

- name: Report nodes whose instance is unknown
  ansible.builtin.debug:
    msg: "{{ found.eks_nodes | rejectattr('unknown', 'equalto', '') | list }}"
"""

RETURN = r"""
eks_nodes:
  description: The nodes, sorted by name. All texts are printable.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node in Kubernetes.
      type: str
      sample: ip-10-0-1-17.us-west-2.compute.internal
    provider_id:
      description: Provider ID of the node in Kubernetes. Empty if it is not set.
      type: str
      sample: aws:///us-west-2a/i-0123456789abcdef0
    instance_id:
      description: ID of the EC2 instance. This value and the next four values are null if the instance is unknown.
      type: str
      sample: i-0123456789abcdef0
    zone:
      description: Availability Zone of the instance.
      type: str
      sample: us-west-2a
    instance_type:
      description: Type of the instance.
      type: str
      sample: p5.48xlarge
    node_group:
      description: Managed node group of the instance. Empty without a node group.
      type: str
      sample: p5
    efa_interfaces:
      description: Number of network interfaces of the instance with EFA.
      type: int
      sample: 32
    unknown:
      description: Why the instance is unknown. Empty if EC2 confirms that a running instance is a node of the cluster.
      type: str
      sample: ""
    differences:
      description: Differences between the node and EC2, as sentences.
      type: list
      elements: str
      sample: []
    labels:
      description:
        - Values of the node's labels for the instance type and the node group. A value is empty if the node lacks its label.
      type: dict
      sample: {instance_type: p5.48xlarge, node_group: p5}
    gpus:
      description: Number of GPUs that the kubelet offers.
      type: int
      sample: 8
    ready:
      description: Whether the kubelet can start Pods.
      type: bool
      sample: true
    unschedulable:
      description: Whether the node is cordoned.
      type: bool
      sample: false
    taints:
      description: Taints of the node.
      type: list
      elements: str
      sample: ["nvidia.com/gpu=true:NoSchedule"]
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import KUBECONFIG, connect_cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.eks import cluster_name

SPEC = {"eks_cluster": {"type": "str", "required": True}, **KUBECONFIG}


def read(module: t.Any) -> dict[str, t.Any]:
    name = cluster_name(module.params["eks_cluster"], module.region)
    return result(observe(connect_cluster(module, name), connect(module, "ec2"), name))


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
