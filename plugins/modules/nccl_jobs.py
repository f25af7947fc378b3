#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: nccl_jobs
version_added: 0.1.0
short_description: Measure the bandwidth between GPUs of EKS nodes with Jobs
description:
  - Runs the test of M(mlfleet.hyperpod.nccl_test) on idle nodes of an Amazon EKS cluster. A Job for each node starts
    one process for each of its GPUs. PyTorch reduces the same data over all processes, and the module compares the bus bandwidth
    with the usual bandwidth for this number of nodes of this instance type. With O(efa=true), the test passes only if NCCL's log
    proves that EFA carried the data.
  - The test requires neither an MPI operator nor SSH between Pods. The module removes everything that it created.
  - If Pods on a node requested accelerators, the module starts no test, and the verdict is V(not_run). Each Pod of the test is
    bound to its node by name and requests all GPUs. If a different Pod gets the GPUs first, the verdict is V(not_run) after
    O(queue_timeout). The test never causes an autoscaler to add a node.
  - The module always removes the Jobs and the headless Service that resolves the names of the Pods, even if the test fails or the
    module receives a termination signal. If the module is killed (C(SIGKILL)), the Pods stop by themselves. Kubernetes removes
    the other objects ten minutes later, or a later test removes them.
  - If the test itself fails (no image, no PyTorch, incompatible versions, blocking security groups), the verdict is V(not_run).
    It is then unknown whether the nodes have faults.
  - The test loads the GPUs and the network of these nodes for about a minute. It has not been run on GPUs yet.
options:
  instance_ids:
    description:
      - Instance IDs of the nodes, two to 1024. All nodes must have the same instance type.
    type: list
    elements: str
    required: true
  nodes:
    description:
      - Names of the nodes in Kubernetes, in the order of O(instance_ids). The default is HyperPod's names,
        C(hyperpod-INSTANCE_ID).
    type: list
    elements: str
    default: []
  image:
    description:
      - Container image with PyTorch, such as V(public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023). For EFA, it
        must also contain NCCL's EFA plugin. Its entry point must execute the given command.
    type: str
    required: true
  namespace:
    description:
      - Namespace of the Jobs. A missing namespace is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=privileged). The module never removes the namespace.
      - An existing namespace without the first label is refused. The namespace of a task governance team (C(hyperpod-ns-...)) is
        also refused. Kueue must not manage Jobs without a queue in this namespace.
    type: str
    default: mlfleet-hyperpod
  instance_type:
    description:
      - Instance type of the nodes, which determines the usual bandwidth.
    type: str
    required: true
  gpus:
    description:
      - Number of GPUs of each node, V(1) to V(16). If the kubelet of a node offers fewer GPUs, the verdict is V(not_run).
    type: int
    required: true
  efa:
    description:
      - Whether the nodes have EFA devices. The test then passes only if NCCL's log proves that EFA carried the data.
      - Regardless of this option, each Pod requests the number of EFA devices that every node can offer.
    type: bool
    default: true
  bytes:
    description:
      - Size in bytes of the largest message, V(16777216) to V(137438953472). The verdict depends on the bandwidth with this size.
      - The default is 4 GiB on p5 and newer, otherwise 1 GiB.
    type: int
  reference:
    description:
      - Bus bandwidth in GB/s that you measured on healthy nodes of this kind. It is used instead of the published bandwidth.
    type: float
  floor_percent:
    description:
      - Minimum bandwidth, as a percentage of the usual bandwidth, V(1) to V(100).
    type: int
    default: 65
  queue_timeout:
    description:
      - Seconds to wait until Kubernetes has scheduled the Pods to all nodes, V(1) to V(3600).
    type: int
    default: 60
  start_timeout:
    description:
      - Seconds to wait after the Pods are scheduled until all Pods run, V(10) to V(3600). This includes the time to pull
        O(image).
    type: int
    default: 900
  timeout:
    description:
      - Time limit of the test itself in seconds, V(60) to V(3600).
    type: int
    default: 600
  poll_interval:
    description:
      - Seconds between two polls of the Pods, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 5
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the module checks the nodes and creates nothing. The verdict is then V(not_run).
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - Each run measures again. C(changed) is true only if the module created the namespace, because it removes everything else
        at the end.
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
  - "Kubernetes permissions of the caller: list nodes, and the Pods of all namespaces; create, list and delete jobs and services,
    and get C(pods/log), in O(namespace); get the namespace, and create it if it does not exist; with O(lease), create, get and
    patch leases of C(coordination.k8s.io) in O(lease.namespace)."
  - This module has not yet run against live AWS, nor with real GPUs.
seealso:
  - module: mlfleet.hyperpod.nccl_test
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Measure two nodes
  mlfleet.hyperpod.nccl_jobs:
    eks_cluster: training
    region: us-west-2
    instance_ids: [i-0123456789abcdef0, i-0123456789abcdef1]
    instance_type: ml.p5.48xlarge
    gpus: 8
    image: public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023
  register: measured

- name: Fail unless EFA was fast enough
  ansible.builtin.assert:
    that: measured.nccl_test.verdict == 'passed'
"""

RETURN = r"""
would_create:
  description:
    - In check mode, the objects that the module would create, each with C(kind), C(namespace), C(name) and C(node). In names, C(*)
      is a placeholder for random parts. C(node) is empty except for Pods, which the Jobs create. Empty outside check mode.
  returned: success
  type: list
  elements: dict
  sample: [{kind: Job, namespace: mlfleet-hyperpod, name: "nccl-*", node: ""}]
nccl_test:
  description: The test, as M(mlfleet.hyperpod.nccl_test) returns it, with C(instance_ids) instead of C(addresses).
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(passed), V(slow), V(failed) or V(not_run). V(slow) is a bandwidth below the minimum. V(failed) means that the test
          detected a fault of the nodes or the network. V(not_run) means that the test itself failed.
      type: str
      sample: passed
    failure:
      description:
        - Reason of V(failed) or V(not_run), with the values of M(mlfleet.hyperpod.nccl_test).
        - In addition, V(jobs) if the nodes are in use, V(allocation) if Kubernetes did not schedule the Pods, V(image) if the
          image can't be pulled or has no PyTorch, and V(devices) if a kubelet offers fewer GPUs than O(gpus).
      type: str
      sample: ""
    text:
      description: The verdict as a text.
      type: str
      sample: 466 GB/s with 4294967296 bytes; at least 302.9 GB/s is expected.
    instance_ids:
      description: The nodes, as in O(instance_ids).
      type: list
      elements: str
      sample: [i-0123456789abcdef0, i-0123456789abcdef1]
    nodes:
      description: Names of the nodes in Kubernetes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    program:
      description: Program that the Pods started.
      type: str
      sample: /opt/venv/bin/python3 with PyTorch
    bytes:
      description: Size in bytes of the message whose bandwidth determines the verdict.
      type: int
      sample: 4294967296
    bandwidth:
      description: Bus bandwidth with this size, out of place, in GB/s. Null if it was not measured.
      type: float
      sample: 466.0
    floor:
      description: Minimum bandwidth in GB/s. Null if RV(nccl_test.reference) is null.
      type: float
      sample: 302.9
    reference:
      description: Usual C(bandwidth) and its C(source). Null if no bandwidth is published and O(reference) is not set.
      type: dict
      sample: {bandwidth: 466.0, source: "AWS' samples for distributed training (awsome-distributed-training)"}
    rows:
      description: All measured values of C(bandwidth), by C(bytes).
      type: list
      elements: dict
      sample: [{bytes: 2147483648, bandwidth: 447.4}, {bytes: 4294967296, bandwidth: 466.0}]
    carried_by:
      description: Network that carried the data, V(EFA) or V(sockets). Empty if the log does not prove it.
      type: str
      sample: EFA
    gpu_direct:
      description: Whether EFA accesses GPU memory directly (GPUDirect RDMA). Null if there were no channels between nodes.
      type: bool
      sample: true
    evidence:
      description: Output of NCCL or of the test.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
  sample: []
changes:
  description: Changes that remain after the module has ended.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import typing as t
import uuid
from dataclasses import replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.apply import Runner
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.plan import refusal
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.result import planned_objects, result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import CHECK_MODE, NOT_RUN, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import OPTION, lease_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import observe, share

SPEC = {
    **options.SPEC,
    "poll_interval": {"type": "int", "default": 5},
    "lease": OPTION,
    "_progress_file": {"type": "path"},
    **CONNECTION,
}


def measure(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    desired, interval = options.desired(params), check_number("poll_interval", params["poll_interval"], 1, 300)
    kubernetes = connect_kubernetes(module)
    lease = lease_of(kubernetes, params["lease"], interval)
    state = observe(kubernetes)
    refused = refusal(desired, state)
    objects: list[dict[str, str]] = []
    if refused:
        found = refused
    elif module.check_mode:
        there = namespace.check_own(kubernetes, desired.namespace)
        objects = planned_objects(desired, new_namespace=not there)
        found = Outcome(NOT_RUN, "Check mode starts nothing.", CHECK_MODE, desired.nodes)
    else:
        run, progress = uuid.uuid4().hex[:8], Progress(params["_progress_file"])
        runner = Runner(kubernetes, desired, run=run, progress=progress, interval=interval, lease=lease)
        try:
            ran = runner(share([state.nodes[name] for name in desired.nodes]))
        finally:
            for each in runner.runner.made.left:
                module.warn(each)
        found = ran if isinstance(ran, Outcome) else replace(judge(desired.test, ran), nodes=desired.nodes)
    return {"changed": bool(APPLIED), "changes": list(APPLIED), "would_create": objects, **result(desired, found)}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), measure)


if __name__ == "__main__":
    main()
