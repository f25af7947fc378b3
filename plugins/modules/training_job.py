#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: training_job
version_added: 0.1.0
short_description: Train a small model on nodes of a Kubernetes cluster, and verify that it trained
description:
  - Runs one training job on idle nodes of an EKS cluster, follows the job to its end, and assesses the reports of its processes.
    A passed job proves that the loss decreased, that all replicas have equal weights, that a checkpoint was written to shared
    storage and loaded again, and which network carried the traffic.
  - The job is a PyTorchJob, a HyperPodPyTorchJob, a TrainJob or an indexed Job, depending on what the cluster supports. Modules
    of C(kubernetes.core) create such objects, but do not follow their Pods, assess the result, or remove them after an error.
  - If Pods on a node requested accelerators, the module starts no job, and the verdict is V(not_run). Each Pod of the job
    requests all GPUs of its node. If a different Pod gets the GPUs first, the verdict is V(not_run) after O(queue_timeout).
  - Without O(queue), the module creates a PriorityClass with the value -10 and C(preemptionPolicy=Never) for the Pods, and removes
    it at the end. The Pods then preempt no other Pods, and Pods with a higher priority preempt them. The job also ends, with the
    verdict V(not_run), if another Pod with accelerators cannot be scheduled and its rules allow a node of the job. With O(queue),
    the priority of the queue applies. A TrainJob cannot set a PriorityClass. If the caller may not create PriorityClasses, a
    warning reports it, and the Pods have the default priority.
  - At its end, the module removes everything that it created, even after an error or a signal. It does not remove the namespace
    and the checkpoints. If the module is killed, the next run in this namespace removes what it left, as soon as its Lease has
    expired.
  - Only one run at a time uses a namespace. It holds and renews the Lease C(mlfleet-training) there, which expires after two
    minutes, or three times O(poll_interval) if this is longer. Another run ends with the verdict V(not_run), and the text names
    the holder and the time at which the Lease expires. With O(lease_holder), several modules share the Lease of their run.
options:
  nodes:
    description:
      - Names of the nodes in Kubernetes, 1 to 1024. HyperPod names a node C(hyperpod-) with the instance ID.
    type: list
    elements: str
    required: true
  gpus:
    description:
      - Number of GPUs of each node, V(1) to V(16). This is also the number of training processes on each node.
    type: int
    required: true
  image:
    description:
      - Container image with PyTorch 2.7 or newer, such as V(public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023).
      - The entry point of the image must run the arguments that it gets. The image does not need to contain the training program,
        because the program is mounted.
    type: str
    required: true
  program:
    description:
      - Text of the Python program that each process runs, at most 512 KiB. The program must report the same events as the program
        of the role C(verify_training).
      - If you omit this option, the job runs the program in the image that O(arguments) name. The verdict then depends only on the
        exit statuses, the nodes of the Pods, the image digests and the network. The loss is not assessed.
    type: str
  arguments:
    description:
      - Further arguments of O(program).
      - If O(program) is omitted, these are arguments of C(torchrun). They begin with the path of the program in the image, or with
        C(-m) and the name of a module, and continue with the program's own arguments. The number of nodes and processes, and the
        rendezvous, are already set.
    type: list
    elements: str
    default: []
  environment:
    description:
      - Environment variables of the processes, such as settings of NCCL. They are visible in the job's objects, so they must not
        be secrets. Variables of the launcher (C(PET_*), C(RANK), C(MASTER_ADDR) and others) are refused. Values are texts or
        numbers of at most 4096 characters.
    type: dict
    default: {}
  steps:
    description:
      - Total number of training steps, including the steps of the jobs that this job resumes, V(2) to V(100000).
    type: int
    default: 40
  resume_from:
    description:
      - Step of the checkpoint in O(checkpoint) from which the job must continue. V(0) for a new job.
    type: int
    default: 0
  checkpoint_every:
    description:
      - Steps between two checkpoints, V(1) to V(100000). The job writes one more checkpoint at its end.
    type: int
    default: 20
  kill:
    description:
      - Whether to kill one process, to prove that the job survives this. After three quarters of the steps of this job, the
        process with the highest rank sends itself SIGKILL. The launcher then restarts all processes from the last checkpoint.
      - Requires O(claim), at least four steps, and a PyTorchJob or an indexed Job. Regardless of O(checkpoint_every), at most a
        quarter of the steps of this job lies between two checkpoints.
      - The verdict then requires exactly one restart. Without O(kill) and O(replace_pod), the verdict requires that there was no
        restart.
    type: bool
    default: false
  replace_pod:
    description:
      - Whether to delete the Pod with the rendezvous, to prove that the job survives this. All processes wait after three
        quarters of the steps of this job. Then the module deletes the first Pod, and the operator must create the Pod again under
        the same name within 20 seconds.
      - The launchers of all other Pods lose the rendezvous and end. Their containers therefore restart once, and the training
        resumes from the last checkpoint.
      - Requires O(claim), at least two nodes, at least four steps, and a PyTorchJob. Checkpoints are written as with O(kill).
        O(kill) and O(replace_pod) require separate jobs.
      - The restart is part of O(timeout). The verdict requires exactly one restart, and that no other Pod was deleted.
    type: bool
    default: false
  remove_checkpoints:
    description:
      - Whether rank 0 removes the directory O(checkpoint) after the job has ended successfully. Requires O(claim).
      - After a failed job, the checkpoints are not removed. The verdict does not depend on the removal. The module warns if the
        checkpoints were not removed.
    type: bool
    default: false
  claim:
    description:
      - PersistentVolumeClaim in O(namespace) for checkpoints. If the job runs on several nodes, the claim must be
        C(ReadWriteMany).
      - If the volume of the claim can be used only on other nodes, such as those of another zone, no job starts.
      - Without a claim, the job writes no checkpoint.
    type: str
  checkpoint:
    description:
      - Name of the directory with the checkpoints, below C(mlfleet-training) in O(claim). Jobs that resume each other use the
        same directory.
      - Required with O(claim).
    type: str
  kind:
    description:
      - Kind of the job. V(auto) is a PyTorchJob if the cluster has Kubeflow's training operator. Otherwise it is a TrainJob if
        the cluster has Kubeflow Trainer with the runtime C(torch-distributed). Otherwise it is an indexed Job.
      - V(HyperPodPyTorchJob) needs an image with C(hyperpodrun), which the public Deep Learning Containers do not have.
    type: str
    choices: [auto, PyTorchJob, HyperPodPyTorchJob, TrainJob, Job]
    default: auto
  namespace:
    description:
      - Namespace of the job. With O(claim) or O(queue), use the namespace of the claim or queue. The module does not create it.
      - Without O(claim) and O(queue), the namespace must belong to this collection. A missing namespace is created with the
        labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and C(pod-security.kubernetes.io/enforce=baseline). An existing
        namespace without the first label is refused.
    type: str
    default: mlfleet-training
  queue:
    description:
      - LocalQueue of Kueue in O(namespace). Task governance admits no Pod without a queue in the namespace of a team.
    type: str
  priority:
    description:
      - WorkloadPriorityClass of Kueue. Requires O(queue).
    type: str
  topology:
    description:
      - Whether all Pods must run, or should preferably run, below one network node of O(level). Requires O(queue).
    type: str
    choices: [required, preferred]
  level:
    description:
      - Node label of the topology layer, such as V(topology.k8s.aws/network-node-layer-3).
    type: str
  efa:
    description:
      - Whether the nodes have EFA devices. With V(true), NCCL's log must prove that EFA carried the traffic between nodes.
      - Regardless of this option, Pods request all EFA devices of their nodes.
    type: bool
    default: false
  loss_bound:
    description:
      - Maximum mean loss of the last five steps, above V(0). The default is three quarters of the loss of a random guess.
    type: float
  pull_secrets:
    description:
      - Names of Secrets in O(namespace) with the credentials of a private registry.
    type: list
    elements: str
    default: []
  hugging_face_token:
    description:
      - Token of Hugging Face, 8 to 512 visible ASCII characters. The module stores it in a Secret, which it removes at the end.
        The processes find the token in the file that the environment variable C(HF_TOKEN_PATH) names.
      - The token must not occur in O(arguments) or O(environment), because these are visible in the job's objects.
    type: str
  queue_timeout:
    description:
      - Seconds to wait until all Pods have a node, V(1) to V(86400).
    type: int
    default: 60
  start_timeout:
    description:
      - Seconds to wait after all Pods have a node until all containers run, V(10) to V(7200). This includes the time to pull
        O(image).
    type: int
    default: 900
  timeout:
    description:
      - Seconds to wait after all containers run until the training has ended, V(30) to V(86400).
    type: int
    default: 600
  lease_holder:
    description:
      - Name of a run that acquired the Lease of O(namespace) with M(mlfleet.hyperpod.training_lease). The module renews this Lease,
        and does not release it at its end, so that no other run uses the nodes between two modules of the run.
      - By default, only this module holds the Lease.
    type: str
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
      - In check mode, the module checks the nodes, the kind and the claim. It returns the manifest of the job and the objects that
        it would create, and creates nothing.
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - Each run trains again. C(changed) is true only if the module created the namespace, because it removes everything else at
        the end.
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
  - "Kubernetes permissions of the caller: list nodes, and the Pods of all namespaces; create, get, patch and delete leases of
    C(coordination.k8s.io) in O(namespace); create, list and delete configmaps, services, jobs and the kind of the job there; get
    C(pods/log) and O(claim) there; with O(replace_pod), delete Pods there; with O(hugging_face_token), create and delete Secrets
    there; get the namespace, and create it if it does not exist; with O(kind=auto) and O(kind=TrainJob), get the
    ClusterTrainingRuntime."
  - "Without O(queue), the caller also needs to create, list and delete priorityclasses of C(scheduling.k8s.io). This permission is
    optional."
  - "To remove what a killed run left, the module also lists and deletes all kinds of jobs in O(namespace) that it can create. Kinds
    that the caller may not list are skipped."
  - "To report why Pods do not start, the module also lists events in O(namespace) and, with O(queue), Workloads of Kueue. With
    O(claim), it also gets the PersistentVolume of the claim. These permissions are optional."
  - This module has not yet run against live AWS, nor on GPUs.
seealso:
  - module: mlfleet.hyperpod.nccl_jobs
  - module: mlfleet.hyperpod.training_lease
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

- name: Stop unless the training passed
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
        - V(passed), V(failed) or V(not_run). V(failed) means that the job detected a fault of the nodes, the network, the storage
          or the program. V(not_run) means that the job could not run, or that its logs do not prove enough.
      type: str
      sample: passed
    failure:
      description:
        - Why the job did not run. V(busy), V(allocation), V(devices), V(image), V(storage), V(timeout), V(claim), V(kind),
          V(fields), V(refused), V(lease), V(gave-way) or V(check-mode). Empty if all containers ran.
        - V(gave-way) means that the job ended early because another Pod needs its nodes.
        - V(lease) means that another run uses the namespace. V(storage) means that a volume can't be mounted. V(fields) means that
          the API server discards fields of the kind. V(refused) means that the API server, a webhook or a quota refuses the job or
          its Pods. With O(replace_pod), it also means that the API server does not allow the module to delete the Pod.
      type: str
      sample: ""
    text:
      description: The verdict in one or two sentences.
      type: str
      sample: "Trained steps 1 to 40 in 16 processes: loss 6.24 to 1.31, 283900 tokens per second."
    problems:
      description: Problems, each with C(code) and C(text).
      type: list
      elements: dict
      sample: [{code: carried-by-sockets, text: "Sockets, not EFA, carried the traffic between nodes."}]
    kind:
      description: Kind of the job. Empty if no kind was chosen.
      type: str
      sample: PyTorchJob
    name:
      description: Name of the job. Empty if no job was created.
      type: str
      sample: training-0a1b2c3d
    namespace:
      description: Namespace of the job.
      type: str
      sample: research
    nodes:
      description: The nodes, as in O(nodes).
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    manifest:
      description: The job as it was sent, or would be sent, to the API server. Empty if the job was refused before that.
      type: dict
      sample: {}
    would_create:
      description:
        - In check mode, the objects that the module would create, each with C(kind), C(namespace), C(name) and C(node). In names,
          C(*) is a placeholder for random parts. C(node) is empty except for Pods, which the job creates. Empty outside check mode.
      type: list
      elements: dict
      sample: [{kind: ConfigMap, namespace: research, name: "training-*", node: ""}]
    pods:
      description:
        - C(rank), C(pod), C(node) and C(host) of each process that started, and as C(layers) the network nodes above its node from
          layer 1, if the labels of the node contain them.
      type: list
      elements: dict
      sample:
        - rank: 0
          pod: training-0a1b2c3d-worker-0
          node: hyperpod-i-0123456789abcdef0
          host: training-0a1b2c3d-worker-0
          layers: [nn-3d4, nn-5e6, nn-7f8]
    first_step:
      description: Step of the checkpoint that was loaded. V(0) if no checkpoint was loaded. Null if no process reported the step.
      type: int
      sample: 0
    losses:
      description: Pairs of a step and the mean loss of all ranks.
      type: list
      elements: list
      sample: [[1, 6.24], [2, 6.11]]
    first_loss:
      description: Mean loss of the first five steps. Null if unknown.
      type: float
      sample: 6.02
    last_loss:
      description: Mean loss of the last five steps. Null if unknown.
      type: float
      sample: 1.31
    validation:
      description: Loss of a fixed batch after the checkpoint was loaded. Null if no checkpoint was loaded.
      type: float
      sample: 1.2987
    checkpoints:
      description: Pairs of a step and the loss of the fixed batch before the checkpoint of this step was saved.
      type: list
      elements: list
      sample: [[20, 3.4], [40, 1.2987]]
    checkpoints_removed:
      description: Whether the directory with the checkpoints was removed after the training.
      type: bool
      sample: false
    write_mib_per_second:
      description:
        - Rate in MiB/s at which all nodes together wrote their checkpoints. It includes the time until all nodes saw the
          checkpoints. Null if it was not measured. The verdict does not depend on it.
      type: float
      sample: 812.5
    read_mib_per_second:
      description:
        - Rate in MiB/s at which a node read the checkpoint that the job resumed. The node may have read the checkpoint from its
          cache. Null if the rate was not measured. The verdict does not depend on it.
      type: float
      sample: 1420.0
    tokens_per_second:
      description: Rate of all processes together, without the first five steps. Null if it was not measured.
      type: float
      sample: 283900.0
    tflops:
      description: Model TFLOP/s of all processes together, which is 6 times parameters times tokens per second. Null if it was
        not measured.
      type: float
      sample: 400.1
    parameters:
      description: Number of parameters of the model. Null if no process reported the number.
      type: int
      sample: 235000000
    weights:
      description: Comparison of the weights, V(equal), V(different), V(no_replicas) if only one node shards the weights,
        V(not_read), or V(not_assessed) without O(program).
      type: str
      sample: equal
    carried_by:
      description: Network that carried the traffic, V(EFA) or V(sockets). Within one node, also V(P2P) or V(shared memory). Empty
        if the log does not prove it.
      type: str
      sample: EFA
    efa_traffic:
      description:
        - What the kernel's counters of EFA devices show, with C(pod), C(node), C(counters), C(devices) and C(sent_bytes) of each
          node. C(sent_bytes) is the number of bytes that all EFA devices of the node sent during the training, after the last
          restart.
        - C(counters) is V(grew), V(unchanged), V(no_devices), or V(unknown) if a counter was not read. V(unchanged) is a problem
          if NCCL's log or O(efa) contradicts it. V(unknown) does not affect the verdict. Empty without O(program).
      type: list
      elements: dict
      sample:
        - pod: training-0a1b2c3d-worker-0
          node: hyperpod-i-0123456789abcdef0
          counters: grew
          devices: 32
          sent_bytes: 61203283968
    evidence:
      description: Lines about the network from NCCL's log.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
    restarts:
      description: Number of restarts of processes.
      type: int
      sample: 0
    devices:
      description: Names of the GPUs. V(cpu) if there is no GPU.
      type: list
      elements: str
      sample: [NVIDIA H100 80GB HBM3]
    image_digests:
      description: Images that the Pods ran, one entry for each digest. Empty if the nodes do not report the digests.
      type: list
      elements: str
      sample: ["public.ecr.aws/x/pytorch@sha256:7d9c1f5e0b3a48c6a2b94f10d8e37c65b1a0f4d29e86c7351f02ab94de68c013"]
    dtypes:
      description: Data types of the training.
      type: list
      elements: str
      sample: [bfloat16]
    versions:
      description: Versions by C(torch), C(cuda) and C(nccl). A list has several versions if processes differ.
      type: dict
      sample: {torch: [2.12.1], cuda: ["13.0"], nccl: [2.26.2]}
changes:
  description: Changes that remain after the module has ended.
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
    planned = plan(desired, observe(kubernetes, desired, others=module.check_mode), run)
    if isinstance(planned, NotRun):
        return _answer(not_run(desired, planned))
    if module.check_mode:
        return _answer(check_mode(desired, planned))
    runner = Runner(kubernetes, desired, planned, progress=Progress(params["_progress_file"]), interval=interval)
    try:
        outcome = runner()
    finally:
        for each in (*runner.warnings, *runner.runner.made.left):
            module.warn(each)
    result = ran(desired, planned, outcome)
    if params["remove_checkpoints"] and not (result["failure"] or result["checkpoints_removed"]):
        folder = f"mlfleet-training/{params['checkpoint']}"
        module.warn(f"The checkpoints stay in {folder} of the claim, because the job did not remove them.")
    return _answer(result)


def _answer(found: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"changed": bool(APPLIED), "changes": list(APPLIED), "training_job": found}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), train)


if __name__ == "__main__":
    main()
