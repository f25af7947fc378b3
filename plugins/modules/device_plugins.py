#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: device_plugins
version_added: 0.1.0
short_description: Manage the device plugins for GPUs and EFA on an EKS cluster
description:
  - Installs NVIDIA's device plugin, which offers C(nvidia.com/gpu), and AWS's EFA device plugin, which offers
    C(vpc.amazonaws.com/efa). Each is a DaemonSet in the namespace C(kube-system), limited to nodes of given instance types.
  - "The module first searches for other providers of the same devices in the whole cluster: DaemonSets that run such a plugin, as
    eksctl, Helm charts, NVIDIA's GPU operator and HyperPod's chart create them; drivers for dynamic resource allocation (DRA); and
    nodes with Bottlerocket, whose image contains NVIDIA's plugin. It does not install a plugin for instance types that another
    provider covers, and returns the provider in C(in_use_by). A DaemonSet that is limited to other instance types does not count."
  - The module never changes another provider. If its own plugin and another provider share nodes, it fails and names both.
  - The module then waits until the plugin works on each ready node of these types. The Pod of the DaemonSet must be ready, and the
    kubelet must offer the devices. Nodes of EKS Auto Mode are left out, because their image contains the plugins.
  - The plugins that eksctl installs have a fixed list of instance types, and the chart of AWS's EFA plugin does not tolerate the
    taints of GPU nodes. On other nodes the devices are missing without an error. M(kubernetes.core.helm) and
    M(kubernetes.core.k8s) do not check what the kubelets offer.
options:
  state:
    description:
      - Whether the plugins are installed. V(absent) removes only the DaemonSets of this module.
    type: str
    choices: [present, absent]
    default: present
  gpu_instance_types:
    description:
      - Instance types of the nodes with NVIDIA GPUs, at most 200. An empty list removes NVIDIA's plugin of this module.
      - Nodes of HyperPod have types with the prefix C(ml.).
      - If omitted, NVIDIA's plugin is left unchanged. With O(state=present), this or O(efa_instance_types) is required.
    type: list
    elements: str
  efa_instance_types:
    description:
      - Instance types of the nodes with EFA devices, at most 200. An empty list removes the EFA plugin of this module.
      - The nodes must have EFA interfaces, which M(mlfleet.hyperpod.efa_launch_template) declares.
      - If omitted, the EFA plugin is left unchanged.
    type: list
    elements: str
  nvidia_image:
    description:
      - Image of NVIDIA's plugin, with a tag other than V(latest) or with a digest.
      - Default is C(nvcr.io/nvidia/k8s-device-plugin:v0.20.0) of August 2026.
    type: str
  efa_image:
    description:
      - Image of AWS's EFA plugin, with a tag other than V(latest) or with a digest.
      - Default is C(eks/aws-efa-k8s-device-plugin:v0.5.20) of June 2026, in the registry of EKS in the Region of O(region). AWS
        publishes it only there. In Regions whose registry is not known, the option is required.
    type: str
  tolerations:
    description:
      - Tolerations of the Pods. The default tolerates all taints. This does not place Pods on other nodes, because the DaemonSets
        are limited to the given instance types. A node with a taint that is not tolerated offers no devices.
    type: list
    elements: dict
    default: [{operator: Exists}]
    suboptions:
      key:
        description: Key of the taint. Required with C(operator=Equal). Without a key, all keys are tolerated.
        type: str
      operator:
        description: How the taint is compared.
        type: str
        choices: [Exists, Equal]
        default: Equal
      value:
        description: Value of the taint, only with C(operator=Equal).
        type: str
      effect:
        description: Effect of the taint. Without it, all effects are tolerated.
        type: str
        choices: [NoSchedule, PreferNoSchedule, NoExecute]
  wait_timeout:
    description:
      - Seconds to wait until the plugins work, V(1) to V(86400).
    type: int
    default: 600
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the values about nodes and Pods are those before the changes.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - The nodes pull AWS's image from a private registry. Their role needs the managed policy AmazonEC2ContainerRegistryPullOnly or
    AmazonEC2ContainerRegistryReadOnly.
  - "Kubernetes permissions of the caller: list nodes, DeviceClasses and ResourceSlices (C(resource.k8s.io)), the DaemonSets of all
    namespaces and the Pods of C(kube-system). Also get, create, patch and delete DaemonSets in C(kube-system)."
  - AWS's EFA plugin runs privileged and in the network of the host, as in AWS's chart. NVIDIA's plugin has no privileges.
  - This module has not yet run against live AWS, nor on GPUs.
seealso:
  - module: mlfleet.hyperpod.training_node_info
  - module: mlfleet.hyperpod.efa_launch_template
  - name: Manage hardware devices on Amazon EKS
    description: Compares device plugins with DRA drivers.
    link: https://docs.aws.amazon.com/eks/latest/userguide/device-management.html
"""

EXAMPLES = r"""
- name: Install both device plugins on nodes of P5 instances
  mlfleet.hyperpod.device_plugins:
    eks_cluster: training
    region: us-west-2
    gpu_instance_types: [p5.48xlarge]
    efa_instance_types: [p5.48xlarge]
  register: installed

- name: Require that this module's plugin works on nodes
  ansible.builtin.assert:
    that: installed.device_plugins.nvidia.nodes_ready > 0

- name: Install only NVIDIA's plugin, from a mirror
  mlfleet.hyperpod.device_plugins:
    eks_cluster: training
    region: us-west-2
    gpu_instance_types: [g5.8xlarge]
    efa_instance_types: []
    nvidia_image: 111111111111.dkr.ecr.us-west-2.amazonaws.com/nvidia/k8s-device-plugin:v0.20.0

- name: Remove the plugins of this module
  mlfleet.hyperpod.device_plugins:
    eks_cluster: training
    region: us-west-2
    state: absent
"""

RETURN = r"""
device_plugins:
  description: NVIDIA's plugin (C(nvidia)) and the EFA plugin (C(efa)). All texts are printable.
  returned: success
  type: dict
  contains:
    nvidia:
      description: NVIDIA's plugin. With O(state=present), null if O(gpu_instance_types) was omitted.
      type: dict
      contains:
        resource:
          description: The resource that the plugin offers.
          type: str
          sample: nvidia.com/gpu
        installed:
          description: Whether the DaemonSet of this module exists.
          type: bool
          sample: true
        instance_types:
          description: The instance types of the DaemonSet, without the types that another provider covers.
          type: list
          elements: str
          sample: [p5.48xlarge]
        image:
          description: The image of the DaemonSet. Empty without a DaemonSet.
          type: str
          sample: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
        digests:
          description:
            - The digests that container runtimes resolved for this image, of all ready Pods. Usually there is one.
          type: list
          elements: str
          sample: ["sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]
        nodes:
          description:
            - Number of nodes of these types. With V(0), no node exists yet, and nothing about the plugin was verified.
          type: int
          sample: 2
        nodes_ready:
          description: Number of these nodes on which the Pod is ready and the kubelet offers the devices.
          type: int
          sample: 2
        not_ready:
          description: The other nodes, each with C(node) and C(reason). After a wait, only nodes that do not start Pods are listed.
          type: list
          elements: dict
          sample: []
        in_use_by:
          description:
            - Other providers for given instance types. C(kind) is V(DaemonSet), V(DeviceClass), V(ResourceSlices) or
              V(operating system).
          type: list
          elements: dict
          sample: [{kind: DaemonSet, name: gpu-operator/nvidia-device-plugin-daemonset, instance_types: [p4d.24xlarge]}]
    efa:
      description: The EFA plugin, with the same fields. With O(state=present), null if O(efa_instance_types) was omitted.
      type: dict
      sample:
        resource: vpc.amazonaws.com/efa
        installed: true
        instance_types: [p5.48xlarge]
        image: 602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20
        digests: ["sha256:fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"]
        nodes: 2
        nodes_ready: 2
        not_ready: []
        in_use_by: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: DaemonSet kube-system/mlfleet-nvidia-device-plugin
      field: null
      before: null
      after: null
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.rollout import Rollout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str"},
    **options.SPEC,
    **CONNECTION,
    **wait_options(timeout=600),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired, waits = options.desired(module.params, module.region), waits_of(module)
    rollout = Rollout(connect_kubernetes(module), desired, waits)
    return Resource(
        observe=rollout.observe,
        plan=lambda state: plan(desired, state),
        apply=rollout.apply,
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
