#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: training_job
version_added: 0.1.0
short_description: Train a small model on nodes of a Kubernetes cluster, and prove that it trained
description:
  - Runs one training job on idle nodes of an EKS cluster, follows it to its end, and judges what its processes reported. It
    proves that the loss fell, that all replicas hold equal weights, that a checkpoint was written to shared storage and loaded
    again, and which network carried the traffic.
  - The job is a PyTorchJob, a HyperPodPyTorchJob, a TrainJob or an indexed Job, whichever the cluster runs. Modules of
    C(kubernetes.core) create such objects. They do not follow their Pods, judge them, or remove them after an error.
  - A node with Pods that request accelerators is refused. Each Pod requests all GPUs of its node, so a Pod that was faster keeps
    them, and the verdict is V(not_run) after O(queue_timeout). The job never preempts other Pods, unless the priority of its queue
    says so.
  - Everything that the module creates is removed at its end, also after an error or a signal, except a namespace of its own and the
    checkpoints. The jobs of a killed run end at their deadline, and the next run removes them.
options:
  nodes:
    description:
      - Names of the nodes in Kubernetes, 1 to 1024. HyperPod names them C(hyperpod-) and the instance ID.
    type: list
    elements: str
    required: true
  gpus:
    description:
      - GPUs of each node, V(1) to V(16), and the number of training processes per node.
    type: int
    required: true
  image:
    description:
      - An image with PyTorch 2.7 or newer, such as V(public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023).
      - Its entry point must run the arguments that it gets. It is not changed, since the program is mounted.
    type: str
    required: true
  program:
    description:
      - Text of the Python program that each process runs, at most 512 KiB. It must report its events as the program of the role
        C(verify_training) does.
    type: str
    required: true
  arguments:
    description:
      - Further arguments of the program.
    type: list
    elements: str
    default: []
  environment:
    description:
      - Environment variables of the processes, such as settings of NCCL. They are visible in the job's objects, so they must not be
        secrets. Variables of the launcher (C(PET_*), C(RANK), C(MASTER_ADDR) and others) are refused. Values are texts or numbers
        of at most 4096 characters.
    type: dict
    default: {}
  steps:
    description:
      - Training steps in total, counted over resumed jobs, V(2) to V(100000).
    type: int
    default: 40
  resume_from:
    description:
      - Step of the checkpoint in O(checkpoint) that the job must continue, V(0) for a new job.
    type: int
    default: 0
  checkpoint_every:
    description:
      - Steps between two checkpoints, V(1) to V(100000). One more is written at the end.
    type: int
    default: 20
  kill:
    description:
      - Whether one process must be killed, and the job must survive it. The process with the highest rank sends itself SIGKILL
        after three quarters of the steps of this job, and the launcher restarts all processes from the last checkpoint.
      - Requires O(claim), at least four steps, and a PyTorchJob or an indexed Job. If O(checkpoint_every) is above a quarter of the
        steps of this job, checkpoints are a quarter of them apart.
      - The verdict requires exactly one restart. Without O(kill) and O(replace_pod) it accepts none.
    type: bool
    default: false
  replace_pod:
    description:
      - Whether the Pod with the rendezvous must be deleted, and the job must survive it. All processes wait after three quarters
        of the steps of this job. Then the module deletes the first Pod, and the operator creates it again under its name within
        20 seconds. The launchers of all other Pods lose the rendezvous and end, so their containers restart once, and the
        training resumes from the last checkpoint.
      - Requires O(claim), at least two nodes, at least four steps, and a PyTorchJob. Checkpoints are written as with O(kill), which
        needs a job of its own.
      - The restart is part of O(timeout). The verdict requires exactly one restart, and no other deleted Pod.
    type: bool
    default: false
  remove_checkpoints:
    description:
      - Whether rank 0 removes the directory O(checkpoint) after the job has ended well. Requires O(claim).
      - After a job that failed the checkpoints stay. The verdict does not depend on the removal. The module warns if they stay.
    type: bool
    default: false
  claim:
    description:
      - A PersistentVolumeClaim in O(namespace) for checkpoints. On several nodes it must be C(ReadWriteMany).
      - Without a claim no checkpoint is written.
    type: str
  checkpoint:
    description:
      - Name of the directory of checkpoints below C(mlfleet-training) in O(claim). Jobs that resume each other use the same one.
      - Required with O(claim).
    type: str
  kind:
    description:
      - Kind of the job. V(auto) is a PyTorchJob if the cluster has Kubeflow's training operator, otherwise a TrainJob if it has
        Kubeflow Trainer with the runtime C(torch-distributed), otherwise an indexed Job.
      - V(HyperPodPyTorchJob) needs an image with C(hyperpodrun), which the public Deep Learning Containers lack.
    type: str
    choices: [auto, PyTorchJob, HyperPodPyTorchJob, TrainJob, Job]
    default: auto
  namespace:
    description:
      - Namespace of the job. With O(claim) or O(queue) it is the namespace that has them.
      - Otherwise it is one of our own. A new one is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=baseline). One that exists without the first label is refused.
    type: str
    default: mlfleet-training
  queue:
    description:
      - A LocalQueue of Kueue in O(namespace). Task governance admits no Pod in the namespace of a team without it.
    type: str
  priority:
    description:
      - A WorkloadPriorityClass of Kueue. Requires O(queue).
    type: str
  topology:
    description:
      - Whether all Pods must run, or preferably run, below one network node of O(level). Requires O(queue).
    type: str
    choices: [required, preferred]
  level:
    description:
      - Node label of the topology layer, such as V(topology.k8s.aws/network-node-layer-3).
    type: str
  efa:
    description:
      - Whether the nodes have EFA devices. If V(true), NCCL's log must prove that EFA carried the traffic between nodes.
      - Pods request all EFA devices of their nodes in any case.
    type: bool
    default: false
  loss_bound:
    description:
      - Largest mean loss of the last five steps, above V(0). By default it is three quarters of the loss of a random guess.
    type: float
  pull_secrets:
    description:
      - Names of Secrets in O(namespace) with the credentials of a private registry.
    type: list
    elements: str
    default: []
  queue_timeout:
    description:
      - Seconds until all Pods have a node, V(1) to V(86400).
    type: int
    default: 60
  start_timeout:
    description:
      - Seconds until all containers run after that, V(10) to V(7200). It includes the time to pull O(image).
    type: int
    default: 900
  timeout:
    description:
      - Seconds for the training after that, V(30) to V(86400).
    type: int
    default: 600
  poll_interval:
    description:
      - Seconds between two reads of the Pods, V(1) to V(300). The first pauses are shorter.
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
      - It checks the nodes, the kind and the claim, and returns the manifest of the job without creating anything.
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - It trains with each run. C(changed) is true if it created the namespace, since all else is removed at the end.
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
  - "In Kubernetes the caller must be allowed to list nodes, and the Pods of all namespaces; to create, list and delete configmaps,
    services, jobs and the kind of job in O(namespace), and to get C(pods/log) and O(claim) there; with O(replace_pod) to delete
    Pods there; to get the namespace, and to create it if it does not exist; with O(kind=auto) and V(TrainJob) to get the
    ClusterTrainingRuntime. To report why Pods do not start, it reads events in O(namespace) and, with O(queue), Workloads of Kueue,
    if it is allowed to list them."
  - Not yet run against live AWS, nor on GPUs.
seealso:
  - module: mlfleet.hyperpod.nccl_jobs
  - module: mlfleet.hyperpod.topology_job
"""

EXAMPLES = r"""
- name: Train on two nodes
  mlfleet.hyperpod.training_job:
    eks_cluster: training
    region: us-west-2
    nodes: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    gpus: 8
    efa: true
    image: public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023
    program: "{{ lookup('ansible.builtin.file', 'train.py') }}"
    namespace: research
    claim: fsx
    checkpoint: verify-1
  register: trained

- name: Stop unless the cluster trains
  ansible.builtin.assert:
    that: trained.training_job.verdict == 'passed'
"""

RETURN = r"""
training_job:
  description: The job and its verdict.
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(passed), V(failed) (something of the nodes, the network, the storage or the program is wrong) or V(not_run) (the job
          could not be carried out, or its logs do not prove enough).
      type: str
      sample: passed
    failure:
      description:
        - Why no container ran. V(busy), V(allocation), V(devices), V(image), V(storage) (a volume cannot be mounted), V(timeout),
          V(claim), V(kind), V(fields) (the API server drops fields of the kind), V(refused) (the API server, a webhook or
          a quota refuses the job or its Pods) or V(check-mode). Empty if all containers ran.
        - With O(replace_pod) also V(refused) if the API server does not allow to delete the Pod.
      type: str
      sample: ""
    text:
      description: The verdict in one or two sentences.
      type: str
      sample: "Trained steps 1 to 40 in 16 processes: loss 6.24 to 1.31, 283900 tokens per second."
    problems:
      description: Problems, as C(code) and C(text).
      type: list
      elements: dict
      sample: [{code: carried-by-sockets, text: "Sockets carried the traffic between nodes, not EFA."}]
    kind:
      description: Kind of the job; empty if none was chosen.
      type: str
      sample: PyTorchJob
    name:
      description: Name of the job; empty if none was created.
      type: str
      sample: training-0a1b2c3d
    namespace:
      description: Namespace of the job.
      type: str
      sample: research
    nodes:
      description: The nodes as they were given.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    manifest:
      description: The job as it is, or would be, sent; empty if it was refused before.
      type: dict
      sample: {}
    pods:
      description: C(rank), C(pod), C(node) and C(host) of each process that started.
      type: list
      elements: dict
      sample: [{rank: 0, pod: training-0a1b2c3d-worker-0, node: hyperpod-i-0123456789abcdef0, host: training-0a1b2c3d-worker-0}]
    first_step:
      description: Step of the checkpoint that was loaded, 0 without one; null if no process reported it.
      type: int
      sample: 0
    losses:
      description: Pairs of step and mean loss of all ranks.
      type: list
      elements: list
      sample: [[1, 6.24], [2, 6.11]]
    first_loss:
      description: Mean loss of the first five steps; null if it is not known.
      type: float
      sample: 6.02
    last_loss:
      description: Mean loss of the last five steps; null if it is not known.
      type: float
      sample: 1.31
    validation:
      description: Loss of a fixed batch after the checkpoint was loaded; null without one.
      type: float
      sample: 1.2987
    checkpoints:
      description: Pairs of step and loss of the fixed batch before it was saved.
      type: list
      elements: list
      sample: [[20, 3.4], [40, 1.2987]]
    checkpoints_removed:
      description: Whether the directory of the checkpoints was removed after the training.
      type: bool
      sample: false
    write_mib_per_second:
      description:
        - MiB/s at which all nodes together wrote their checkpoints, until all of them saw these. Null if it was not measured. It is
          not judged.
      type: float
      sample: 812.5
    read_mib_per_second:
      description:
        - MiB/s at which a node read the checkpoint that the job resumed, maybe from a cache of the node. Null if it was not
          measured. It is not judged.
      type: float
      sample: 1420.0
    tokens_per_second:
      description: Of all processes, without the first five steps; null if it was not measured.
      type: float
      sample: 283900.0
    tflops:
      description: Model TFLOP/s of all processes, 6 times parameters times tokens per second; null if it was not measured.
      type: float
      sample: 400.1
    parameters:
      description: Of the model; null if no process reported it.
      type: int
      sample: 235000000
    weights:
      description: V(equal), V(different), V(no_replicas) (one node shards its weights) or V(not_read).
      type: str
      sample: equal
    carried_by:
      description: V(EFA) or V(sockets), within one node also V(P2P) or V(shared memory); empty if the log does not prove it.
      type: str
      sample: EFA
    evidence:
      description: What NCCL logged about the network.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
    restarts:
      description: Restarts of processes.
      type: int
      sample: 0
    devices:
      description: Names of the GPUs, V(cpu) without one.
      type: list
      elements: str
      sample: [NVIDIA H100 80GB HBM3]
    image_digests:
      description: What the Pods ran, one entry for each digest. Empty if the nodes do not report it.
      type: list
      elements: str
      sample: ["public.ecr.aws/x/pytorch@sha256:7d9c1f5e0b3a48c6a2b94f10d8e37c65b1a0f4d29e86c7351f02ab94de68c013"]
    dtypes:
      description: Data types of the training.
      type: list
      elements: str
      sample: [bfloat16]
    versions:
      description: Versions by C(torch), C(cuda) and C(nccl); several if processes differ.
      type: dict
      sample: {torch: [2.12.1], cuda: ["13.0"], nccl: [2.26.2]}
changes:
  description: Every change that lasts.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import typing as t
import uuid

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.apply import Runner
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.result import check_mode, not_run, ran

SPEC = {
    **options.SPEC,
    "poll_interval": {"type": "int", "default": 5},
    "_progress_file": {"type": "path"},
    **CONNECTION,
}


def train(module: t.Any) -> dict[str, t.Any]:
    params, run = module.params, uuid.uuid4().hex[:8]
    desired, interval = options.desired(params), check_number("poll_interval", params["poll_interval"], 1, 300)
    kubernetes = connect_kubernetes(module)
    planned = plan(desired, observe(kubernetes, desired), run)
    if isinstance(planned, NotRun):
        return _answer(not_run(desired, planned))
    if module.check_mode:
        return _answer(check_mode(desired, planned))
    runner = Runner(kubernetes, desired, planned, progress=Progress(params["_progress_file"]), interval=interval)
    try:
        outcome = runner()
    finally:
        for each in runner.runner.made.left:
            module.warn(f"It could not be removed, so the next job removes it: {each}")
    result = ran(desired, planned, outcome)
    if params["remove_checkpoints"] and not (result["failure"] or result["checkpoints_removed"]):
        module.warn(f"The checkpoints stay in mlfleet-training/{params['checkpoint']} of the claim: the job did not remove them.")
    return _answer(result)


def _answer(found: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"changed": bool(APPLIED), "changes": list(APPLIED), "training_job": found}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), train)


if __name__ == "__main__":
    main()
