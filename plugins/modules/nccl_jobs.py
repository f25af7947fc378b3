#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: nccl_jobs
version_added: 0.1.0
short_description: Measure how fast the GPUs of nodes in Kubernetes exchange data, and prove over what
description:
  - Does on idle nodes of a HyperPod cluster with Amazon EKS what M(mlfleet.hyperpod.nccl_test) does on Slurm nodes. A Job for each
    node starts a process for each of its GPUs, PyTorch reduces the same data over all of them, and the bus bandwidth is compared
    with what is usual for so many nodes of that type.
  - No operator for MPI and no SSH between pods is needed, which other ways to run a test of NCCL on Kubernetes ask for; they tell
    a figure and leave it to people to read the log, and to remove what is left.
  - A node with pods that have asked for accelerators is refused. The scheduler gives each pod its one node by name, with all GPUs,
    so where somebody was faster, the test is V(not_run) after O(queue_timeout). No other node is made for it.
  - Jobs and the headless Service with the pods' names are removed whatever happens, also when the module is asked to end. What was
    killed at once ends by itself; Kubernetes removes it ten minutes later, or the next test does.
  - What fails in the test itself (no image, no PyTorch, versions that do not fit, closed security groups) is V(not_run), and tells
    nothing of the nodes.
  - It loads the GPUs and the network of these nodes for about a minute. It was not run on GPUs yet.
options:
  instance_ids:
    description:
      - Instance IDs of the nodes, two to 1024. Their names in Kubernetes are C(hyperpod-) and this. All have the same type.
    type: list
    elements: str
    required: true
  image:
    description:
      - An image with PyTorch, and for EFA with the plugin of NCCL for it, such as
        V(public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023). Its entry point must start what it is given.
    type: str
    required: true
  namespace:
    description:
      - Namespace of the Jobs. A new one is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=privileged), and stays. One that exists without the first label is refused, and so is
        one of a team of task governance (C(hyperpod-ns-...)). Kueue must not manage Jobs without a queue there.
    type: str
    default: mlfleet-hyperpod
  instance_type:
    description:
      - Type of the nodes, by which the usual bandwidth is known.
    type: str
    required: true
  gpus:
    description:
      - GPUs of each node, V(1) to V(16). A node whose kubelet offers fewer is refused.
    type: int
    required: true
  efa:
    description:
      - Whether the nodes have EFA devices. The test passes only if NCCL's log proves that EFA carried the data then.
      - Pods ask for as many as all of the nodes offer, in any case.
    type: bool
    default: true
  bytes:
    description:
      - Size of the largest message, which is the one that is judged. V(16777216) to V(137438953472).
      - By default 4 GiB on p5 and newer, else 1 GiB.
    type: int
  reference:
    description:
      - Bus bandwidth in GB/s that you have measured on such nodes when they were well, instead of the published one.
    type: float
  floor_percent:
    description:
      - Least bandwidth in percent of what is usual, V(1) to V(100).
    type: int
    default: 65
  queue_timeout:
    description:
      - Seconds until Kubernetes has given all nodes to the test, V(1) to V(3600).
    type: int
    default: 60
  start_timeout:
    description:
      - Seconds until all pods run after that, V(10) to V(3600). It includes the time to pull O(image).
    type: int
    default: 900
  timeout:
    description:
      - Seconds for the test after that, V(60) to V(3600). Then it is ended.
    type: int
    default: 600
  poll_interval:
    description:
      - Seconds between two looks at the pods, V(1) to V(300). The first pauses are shorter.
    type: int
    default: 5
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - It looks at the nodes and makes nothing. The verdict is V(not_run) then.
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - It measures with each run. C(changed) is true where it made the namespace, since all else is gone when it ends.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "In Kubernetes the caller must be allowed to list nodes, and the pods of all namespaces; to create, list and delete jobs and
    services in O(namespace), and get C(pods/log) there; to get the namespace, and to create it if it does not exist."
  - Not yet run against live AWS, nor with a kubelet and GPUs.
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

- name: Stop unless EFA carried it fast enough
  ansible.builtin.assert:
    that: measured.nccl_test.verdict == 'passed'
"""

RETURN = r"""
nccl_test:
  description: The test, as M(mlfleet.hyperpod.nccl_test) returns it, with C(instance_ids) in the place of C(addresses).
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(passed), V(slow) (below the floor), V(failed) (it saw something of nodes or network that is wrong) or V(not_run) (the
          test itself failed).
      type: str
      sample: passed
    failure:
      description:
        - Why it is V(failed) or V(not_run), in the words of M(mlfleet.hyperpod.nccl_test).
        - V(jobs) where somebody works on the nodes, V(allocation) where Kubernetes did not give them to the test, V(image) where
          the image can't be pulled or has no PyTorch, V(devices) where a kubelet offers fewer GPUs.
      type: str
      sample: ""
    text:
      description: The verdict, for people.
      type: str
      sample: 466 GB/s with 4294967296 bytes; 302.9 GB/s or more is well.
    instance_ids:
      description: The nodes as they were given.
      type: list
      elements: str
      sample: [i-0123456789abcdef0, i-0123456789abcdef1]
    nodes:
      description: Their names in Kubernetes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    program:
      description: What was started in the pods.
      type: str
      sample: /opt/venv/bin/python3 with PyTorch
    bytes:
      description: Size of the message that is judged.
      type: int
      sample: 4294967296
    bandwidth:
      description: Bus bandwidth with it, out of place, in GB/s; null where it was not measured.
      type: float
      sample: 466.0
    floor:
      description: Least bandwidth; null where nobody published what is usual.
      type: float
      sample: 302.9
    reference:
      description: What is usual, C(bandwidth) and its C(source), or null.
      type: dict
      sample: {bandwidth: 466.0, source: "AWS' samples for distributed training (awsome-distributed-training)"}
    rows:
      description: C(bandwidth) by C(bytes), as far as the test came.
      type: list
      elements: dict
      sample: [{bytes: 2147483648, bandwidth: 447.4}, {bytes: 4294967296, bandwidth: 466.0}]
    carried_by:
      description: V(EFA) or V(sockets); empty where the log does not prove it.
      type: str
      sample: EFA
    gpu_direct:
      description: Whether EFA reads and writes the memory of GPUs itself; null without channels between nodes.
      type: bool
      sample: true
    evidence:
      description: What NCCL or the test said.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
hyperpod_findings:
  description: What was found, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
  sample: []
changes:
  description: Every change that lasts.
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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import CHECK_MODE, NOT_RUN, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import observe, share

SPEC = {
    **options.SPEC,
    "poll_interval": {"type": "int", "default": 5},
    "_progress_file": {"type": "path"},
    **CONNECTION,
}


def measure(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    desired, interval = options.desired(params), check_number("poll_interval", params["poll_interval"], 1, 300)
    kubernetes = connect_kubernetes(module)
    state = observe(kubernetes)
    refused = refusal(desired, state)
    if refused:
        found = refused
    elif module.check_mode:
        namespace.check_own(kubernetes, desired.namespace)
        found = Outcome(NOT_RUN, "Check mode starts nothing.", CHECK_MODE, desired.nodes)
    else:
        run, progress = uuid.uuid4().hex[:8], Progress(params["_progress_file"])
        runner = Runner(kubernetes, desired, run=run, progress=progress, interval=interval)
        try:
            ran = runner(share([state.nodes[name] for name in desired.nodes]))
        finally:
            for each in runner.runner.made.left:
                module.warn(f"It could not be removed, so the next test is to do it: {each}")
        found = ran if isinstance(ran, Outcome) else replace(judge(desired.test, ran), nodes=desired.nodes)
    return {"changed": bool(APPLIED), "changes": list(APPLIED), **result(desired, found)}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), measure)


if __name__ == "__main__":
    main()
