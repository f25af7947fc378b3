#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_jobs
version_added: 0.1.0
short_description: Check the accelerators of EKS nodes with a Job for each node
description:
  - Checks nodes of an Amazon EKS cluster, with or without HyperPod. A Job on each node runs the same check as
    M(mlfleet.hyperpod.accelerator_health) runs over SSH. The check starts no work on a device and requests no device from
    Kubernetes.
  - A Job is bound to its node by name, tolerates all taints and has a deadline. It mounts the node's file system read-only,
    except C(/run/mlfleet-hyperpod/hung-tools), where checks record the tools that they start. The module reads the result from
    the log of the Pod.
  - At its end, the module removes the Jobs and the ConfigMap with the program, also after a failure or a termination signal. If
    the module is killed and cannot do this, the Pods stop at their deadline, Kubernetes removes the Jobs ten minutes later, and
    a later run removes the other objects.
  - If a node has just booted and lacks devices, the module checks it again every minute, after it has checked all nodes. These
    checks end when no device is missing, or after the C(settles_in) seconds of RV(nodes[].health).
  - The module also returns the labels, taints and conditions that HyperPod, AWS's node monitoring and others set on each node.
options:
  nodes:
    description:
      - Nodes to check. A node has no result if Kubernetes does not have it or if its kubelet is not ready. RV(nodes[].why) then
        gives the reason.
    type: list
    elements: dict
    required: true
    suboptions:
      instance_id:
        description: Instance ID of the node.
        type: str
        required: true
      node:
        description: Name of the node in Kubernetes. The default is HyperPod's name, C(hyperpod-INSTANCE_ID).
        type: str
        default: ''
      instance_type:
        description:
          - Instance type of the node, such as V(ml.p5.48xlarge). It determines which devices are expected. The default is the
            type that the node's firmware reports.
        type: str
        default: ''
      expected_gpus:
        description:
          - Number of GPUs of the instance type, as EC2 C(DescribeInstanceTypes) returns it. If this option,
            O(nodes[].expected_efa_devices) and O(nodes[].expected_neuron_devices) are all omitted, the check uses a built-in
            table of common types.
        type: int
      expected_efa_devices:
        description: Number of EFA devices of the instance type.
        type: int
      expected_neuron_devices:
        description: Number of Neuron devices of the instance type.
        type: int
  image:
    description:
      - Container image. It must contain C(python3), version 3.9 or newer, and C(chroot). The check uses nothing else in it.
      - The image runs as root on the nodes. The default is a public tag, whose content can change at any time, so use a digest
        (C(REPOSITORY@sha256:...)) instead. Nodes without internet access need an image in a registry that they can reach.
    type: str
    default: public.ecr.aws/docker/library/python:3.12-slim
  namespace:
    description:
      - Namespace of the Jobs. A missing namespace is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=privileged). The module never removes the namespace.
      - An account that may create Pods in this namespace can become root on the nodes. An existing namespace without the first
        label is therefore refused. The namespace of a task governance team (C(hyperpod-ns-...)) is also refused.
    type: str
    default: mlfleet-hyperpod
  batch:
    description:
      - Number of nodes to check at the same time, V(1) to V(500). Nodes without Pods that use accelerators are checked first.
    type: int
    default: 20
  batch_timeout:
    description:
      - Time limit of a check in seconds, V(10) to V(3600), counted from the creation of its Job. It includes the time to pull
        O(image).
    type: int
    default: 300
  dcgm:
    description:
      - Whether to run C(dcgmi diag) at level 1 if the node has it. This takes some seconds and starts no work on GPUs.
    type: bool
    default: true
  health_profile:
    description:
      - Thresholds and waivers, as in O(mlfleet.hyperpod.accelerator_health#module:profile). In this module, O(profile) is the AWS
        profile.
    type: dict
  timeout:
    description: Time limit of each tool in seconds, V(1) to V(300).
    type: int
    default: 30
  poll_interval:
    description: Seconds between two polls of the Pods, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 5
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
attributes:
  check_mode:
    support: partial
    details:
      - In check mode, the module creates no Job and checks no node. It only reads the state of the nodes in Kubernetes.
  diff_mode:
    support: none
  idempotent:
    support: full
    details:
      - Each run checks the nodes again. C(changed) is true only if the module created the namespace, because it removes
        everything else at the end.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.lease_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "Kubernetes permissions of the caller: list nodes; create, list, get and delete configmaps and jobs in O(namespace); list Pods
    and get C(pods/log) there; get the namespace, and create it if it does not exist; with O(lease), create, get and patch leases
    of C(coordination.k8s.io) in O(lease.namespace). The permission to list the Pods of all namespaces is optional. Without this
    permission, RV(pods_seen) is false."
  - The command of the Pod contains the hashes of the program and of its settings. The command runs the program only if the files
    in the ConfigMap have these hashes.
  - The Pod is privileged, because the drivers of accelerators refuse other containers, and it runs tools of the node with
    C(chroot). It shares the PID namespace of the node, so that the container can end even if a tool hangs in the driver. It
    shares the network of the node, where DCGM listens, so it needs no address.
  - Apart from the records in C(/run/mlfleet-hyperpod/hung-tools), the node keeps no history of these checks. Therefore the
    results have no rates, a repeated fault does not make the verdict worse, and all kernel messages since the boot can affect the
    verdict.
  - This module has not yet run against live AWS, nor with real accelerators.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
"""

EXAMPLES = r"""
- name: Check two nodes
  mlfleet.hyperpod.accelerator_jobs:
    eks_cluster: training
    region: us-west-2
    nodes:
      - instance_id: i-0123456789abcdef0
        instance_type: ml.p5.48xlarge
      - instance_id: i-0123456789abcdef1
        instance_type: ml.p5.48xlarge
  register: checked

- name: Stop unless both nodes are fit
  ansible.builtin.assert:
    that: checked.nodes | map(attribute='health.verdict', default='unknown') | unique == ['fit']
"""

RETURN = r"""
would_create:
  description:
    - In check mode, the objects that the module would create, each with C(kind), C(namespace), C(name) and C(node). In names, C(*)
      is a placeholder for random parts. C(node) is empty except for Pods, which the Jobs create. Empty outside check mode.
  returned: success
  type: list
  elements: dict
  sample: [{kind: Job, namespace: mlfleet-hyperpod, name: "look-*", node: ""}]
nodes:
  description: The nodes, in the order of O(nodes).
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: Instance ID of the node.
      type: str
      sample: i-0123456789abcdef0
    health:
      description:
        - Result of the check, as M(mlfleet.hyperpod.accelerator_health) returns it, or null if there is no result. It is
          untrusted data from the node, so the module makes its texts printable, and limits its names, depth and length.
      type: dict
      sample: {verdict: fit, problems: []}
    why:
      description: Why the node has no result. Empty if it has one.
      type: str
      sample: ""
    kubernetes:
      description: State of the node in Kubernetes, in printable characters. Null if Kubernetes does not have the node.
      type: dict
      contains:
        name:
          description: Name of the Node.
          type: str
          sample: hyperpod-i-0123456789abcdef0
        health_status:
          description: Label C(sagemaker.amazonaws.com/node-health-status).
          type: str
          sample: Schedulable
        deep_health_check:
          description: Label C(sagemaker.amazonaws.com/deep-health-check-status).
          type: str
          sample: Passed
        fault_types:
          description: Label C(sagemaker.amazonaws.com/fault-types).
          type: str
          sample: ""
        fault_reasons:
          description: Label C(sagemaker.amazonaws.com/fault-reasons).
          type: str
          sample: ""
        unschedulable:
          description: Whether the node is cordoned.
          type: bool
          sample: false
        taints:
          description: Taints of the node.
          type: list
          elements: str
          sample: ["nvidia.com/gpu=true:NoSchedule"]
        conditions:
          description:
            - Conditions that report a problem, with C(type), C(status), C(reason) and C(message). The condition V(Ready) reports a
              problem unless it is true. Other conditions whose type ends in V(Ready) report a problem if they are false. All
              remaining conditions report a problem if they are true.
          type: list
          elements: dict
          sample: []
        pods:
          description: Pods that requested accelerators of the node and have not ended.
          type: list
          elements: str
          sample: [research/train-0]
        not_ready:
          description: Why the kubelet starts no Pods. Empty if it starts Pods.
          type: str
          sample: ""
        node_pool:
          description: Karpenter NodePool of the node, from its label, or an empty string.
          type: str
          sample: ""
        cordoned_for:
          description: Why M(mlfleet.hyperpod.kubernetes_nodes) cordoned the node. Empty if that module did not cordon it.
          type: str
          sample: ""
pods_seen:
  description: Whether the caller may list the Pods of all namespaces. If false, it is unknown which nodes are in use.
  returned: success
  type: bool
  sample: true
changes:
  description: Changes that remain after the module has ended.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import typing as t
import uuid

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.apply import Looks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Answer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.plan import batches, refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.result import planned_objects, result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import OPTION, lease_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.observe import Observer

SPEC = {
    **options.SPEC,
    "poll_interval": {"type": "int", "default": 5},
    "lease": OPTION,
    "_progress_file": {"type": "path"},
    **CONNECTION,
}
NOT_CHECKED = "Not checked: check mode creates no Jobs."


def check(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    desired, interval = options.desired(params), check_number("poll_interval", params["poll_interval"], 1, 300)
    kubernetes = connect_kubernetes(module)
    lease = lease_of(kubernetes, params["lease"], interval)
    state = Observer(kubernetes)()
    answers = refused(desired, state)
    planned = batches(desired, state, answers)
    objects: list[dict[str, str]] = []
    if module.check_mode:
        there = namespace.check_own(kubernetes, desired.namespace)
        nodes = [node for batch in planned for node in batch]
        answers.update({node.instance_id: Answer(why=NOT_CHECKED) for node in nodes})
        objects = planned_objects(desired, nodes, new_namespace=not there)
    elif planned:
        run, progress = uuid.uuid4().hex[:8], Progress(params["_progress_file"])
        looks = Looks(kubernetes, desired, run=run, progress=progress, interval=interval, lease=lease)
        try:
            answers.update(looks(planned))
        finally:
            for each in looks.runner.made.left:
                module.warn(each)
    found = {"would_create": objects, **result(desired, state, answers)}
    return {"changed": bool(APPLIED), "changes": list(APPLIED), **found}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), check)


if __name__ == "__main__":
    main()
