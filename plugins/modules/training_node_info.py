#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: training_node_info
version_added: 0.1.0
short_description: Check whether nodes of a Kubernetes cluster have what a training job needs
description:
  - Compares the GPUs and EFA devices that the kubelets report with those of the instance type. The module also checks whether the
    nodes are ready and have the instance type, whether a job tolerates their taints, and whether the device plugins of NVIDIA and
    AWS are ready.
  - Compares the driver and the processor architecture of the nodes with the requirements of the Deep Learning Containers in
    O(images).
  - On each node, either a device plugin or a driver for dynamic resource allocation (DRA) must offer the devices, but not both.
    Nodes that offer GPUs only through DRA are not verified, because M(mlfleet.hyperpod.training_job) requests C(nvidia.com/gpu).
  - A device plugin that is part of the node's image, as in Bottlerocket and EKS Auto Mode, has no Pod. The module recognizes it
    by the devices that the kubelet reports.
  - The modules of C(kubernetes.core) return such objects one by one. They do not compare them with an instance type.
options:
  nodes:
    description:
      - Names of the nodes in Kubernetes, 1 to 1024. HyperPod names a node C(hyperpod-) with the instance ID.
    type: list
    elements: str
    required: true
  instance_type:
    description:
      - Instance type of all nodes, such as V(ml.p5.48xlarge) or V(p5.48xlarge).
    type: str
    required: true
  gpus:
    description:
      - Number of GPUs of each node, V(1) to V(16), as M(mlfleet.hyperpod.instance_type_info) returns it.
    type: int
    required: true
  efa_devices:
    description:
      - Number of EFA devices of each node, V(0) to V(64). With V(0), no EFA devices are required.
    type: int
    default: 0
  images:
    description:
      - Container images of the training jobs. The module knows the CUDA version and the architectures of AWS's Deep Learning
        Containers with PyTorch, and the oldest driver for each major version of CUDA that NVIDIA publishes.
      - A driver that is older fails, even if the image has NVIDIA's package for forward compatibility. For an image or a driver
        that is not known, the module returns a note.
    type: list
    elements: str
    default: []
  idle:
    description:
      - Whether to leave out nodes that do not exist, that accept no Pods, or that have Pods with accelerators.
    type: bool
    default: false
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "Kubernetes permissions of the caller: list nodes and ResourceSlices (C(resource.k8s.io)), and the Pods and DaemonSets of all
    namespaces. Objects that the caller may not list are not verified."
  - This module has not yet run against live AWS, nor on GPUs.
seealso:
  - module: mlfleet.hyperpod.training_job
  - module: mlfleet.hyperpod.instance_type_info
  - module: mlfleet.hyperpod.accelerator_jobs
"""

EXAMPLES = r"""
- name: Check two nodes
  mlfleet.hyperpod.training_node_info:
    eks_cluster: training
    region: us-west-2
    nodes: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    instance_type: ml.p5.48xlarge
    gpus: 8
    efa_devices: 32
    images: [public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023]
  register: found

- name: Stop unless the nodes can train
  ansible.builtin.assert:
    that: found.training_nodes.verdict == 'passed'
    fail_msg: "{{ found.training_nodes.text }}"
"""

RETURN = r"""
training_nodes:
  description: The nodes and the verdict. All texts are printable.
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(passed), V(failed) or V(not_run). V(failed) means that a problem is proven. V(not_run) means that no problem is
          proven, but something could not be verified.
      type: str
      sample: passed
    text:
      description: Summary of the nodes, or the first problem.
      type: str
      sample: "2 nodes of ml.p5.48xlarge: 8 GPUs and 32 EFA devices each."
    problems:
      description:
        - Problems, each with C(code) and C(text). The text names up to eight nodes.
        - Codes of proven problems are V(node-missing), V(takes-no-pods), V(instance-type-differs), V(taint-not-tolerated),
          V(gpus-differ), V(efa-differ), V(plugin-missing), V(plugin-not-ready), V(two-providers), V(driver-too-old) and
          V(architecture-differs).
        - Codes of what could not be verified are V(dra-only), V(instance-type-unknown), V(nodes-not-read), V(plugins-not-read),
          V(slices-not-read) and, with O(idle), V(none-idle).
      type: list
      elements: dict
      sample: [{code: node-missing, text: "Nodes do not exist in Kubernetes: a. Check that they have joined the cluster."}]
    notes:
      description:
        - Observations that do not change the verdict, each with C(code) and C(text). The codes are V(huge-pages-missing),
          V(image-unknown), V(driver-unknown) and V(architecture-unknown).
      type: list
      elements: dict
      sample: []
    left_out:
      description: Names of the nodes that O(idle) left out.
      type: list
      elements: str
      sample: []
    images:
      description: The images of O(images).
      type: list
      elements: dict
      contains:
        name:
          description: Image as in O(images).
          type: str
          sample: public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023
        cuda:
          description: Version of CUDA in the image. Empty if it is unknown.
          type: str
          sample: "13.0"
        minimum_driver:
          description: Oldest driver for this version of CUDA. Empty if it is unknown.
          type: str
          sample: "580"
        architectures:
          description: Architectures for which the image exists. Empty if they are unknown.
          type: list
          elements: str
          sample: [amd64]
    nodes:
      description: The checked nodes that exist, in the order of O(nodes).
      type: list
      elements: dict
      contains:
        name:
          description: Name of the node in Kubernetes.
          type: str
          sample: hyperpod-i-0123456789abcdef0
        instance_type:
          description: Instance type in the label of the node. Empty if the node has no such label.
          type: str
          sample: ml.p5.48xlarge
        gpus:
          description: Number of GPUs that the kubelet offers.
          type: int
          sample: 8
        efa_devices:
          description: Number of EFA devices that the kubelet offers.
          type: int
          sample: 32
        huge_pages_mib:
          description: Huge pages of 2 MiB that the kubelet offers, in MiB.
          type: int
          sample: 5128
        driver:
          description: Version of NVIDIA's driver in the labels of GPU feature discovery. Empty if the node has no such labels.
          type: str
          sample: 580.159.03
        architecture:
          description: Processor architecture in the label of the node. Empty if the node has no such label.
          type: str
          sample: amd64
        plugins:
          description:
            - What offers the devices C(gpu) and C(efa), each V(device-plugin), V(dra), V(both), V(none) or V(not-read).
          type: dict
          sample: {gpu: device-plugin, efa: device-plugin}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.result import result

SPEC = {**options.SPEC, **CONNECTION}


def check(module: t.Any) -> dict[str, t.Any]:
    desired = options.desired(module.params)
    return {"training_nodes": result(desired, observe(connect_kubernetes(module), desired.nodes))}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), check)


if __name__ == "__main__":
    main()
