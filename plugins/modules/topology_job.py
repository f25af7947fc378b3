#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_job
version_added: 0.1.0
short_description: Submit a job with topology-aware scheduling in Kueue, and verify its placement
description:
  - Adds the annotations and labels of topology-aware scheduling where the kind of the job requires them, and checks whether the
    cluster meets the requirements. Then the module submits the job and waits for it. If the job waits, the module returns the
    reason.
  - To verify the placement, the module compares Kueue's assignment with the nodes of the Pods and with the labels of these nodes.
  - Supported kinds are C(Job), C(PyTorchJob), C(HyperPodPyTorchJob), C(JobSet), C(TrainJob) and C(MPIJob) of the MPI operator. As
    in AWS's guide, the worker Pods get the annotation, and a leading C(Master) or C(Launcher) does not. Kueue may place this
    single Pod in a different domain.
  - A job is identified by its name and by a hash of its manifest in the annotation C(mlfleet.hyperpod/manifest). If the manifest
    is the same, nothing changes, and the placement of the existing job is returned. A job that has ended is not run again.
  - The module never changes an existing job. Only Kueue sets C(suspend).
  - Before the submission, the module checks the namespace, the queue and its C(ClusterQueue), the priority class, the levels of
    the C(Topology), and the feature gate. It also checks whether the installed Kueue manages the kind of the job. Since version
    0.19, Kueue does not manage C(PyTorchJob) by default.
  - M(kubernetes.core.k8s) does not support queues and topologies. It would also stop a running job, because it would send
    V(suspend=true) again.
options:
  manifest:
    description:
      - The job as a Kubernetes object.
      - With O(state=absent), only C(apiVersion), C(kind) and C(metadata) are required.
      - The values of environment variables in the manifest are not shown, even with C(-vvv). The system log contains nothing of
        the manifest.
    type: dict
  src:
    description:
      - Path of a JSON or YAML file that contains only the job, instead of O(manifest). The file can have at most 256 KiB, and at
        most 1 MiB after aliases are expanded. Duplicate keys in an object are refused.
      - The module does not evaluate templates in the file. Do not use P(ansible.builtin.template#lookup) for a file from someone
        else, because that lookup evaluates expressions in double braces with your permissions.
    type: path
  namespace:
    description:
      - Namespace of the job if the manifest does not set it. The namespace of a team of task governance is C(hyperpod-ns-TEAM).
    type: str
  queue:
    description:
      - C(LocalQueue) of the job if the manifest has no label with a queue. The queue of a team is C(hyperpod-ns-TEAM-localqueue).
    type: str
  priority_class:
    description:
      - C(WorkloadPriorityClass) of the job. The classes of task governance are named C(NAME-priority).
    type: str
  required_topology:
    description:
      - Label of the layer, such as V(topology.k8s.aws/network-node-layer-3). All Pods of a template must be in one domain of this
        layer. The job waits until a domain has enough free nodes.
      - If there are workers, this does not apply to the C(Master) of a C(PyTorchJob) or the C(Launcher) of an C(MPIJob).
        RV(placement.told) reports their domain if it differs.
      - If no C(*_topology) option is set, the annotations in the Pod templates of the manifest apply. Elsewhere in the manifest,
        annotations that begin with C(kueue.x-k8s.io/podset-) are refused. Unsupported annotations, such as
        C(kueue.x-k8s.io/podset-group-name), are also refused.
    type: str
  preferred_topology:
    description:
      - Label of the layer. All Pods of a template should be in one domain of this layer. The same exception as for
        O(required_topology) applies. If no domain has enough free nodes, Kueue uses the layer above or several domains. This is
        reported and not a failure.
    type: str
  unconstrained_topology:
    description:
      - Whether Pods may be in any domains that have free nodes.
    type: bool
    default: false
  slice_topology:
    description:
      - Label of the layer. All Pods of each slice must be in one domain of this layer. The layer must not be above the layer of
        the whole job.
    type: str
  slice_size:
    description:
      - Number of Pods in a slice. It must divide the number of Pods.
    type: int
  pod_rights:
    description:
      - Rights outside of their own containers that Pods of the job may have. A job that needs a right that is not listed is
        refused, and the message contains the value to set.
      - A right is the name of a field, such as V(hostNetwork), V(hostPID) or V(privileged), or a field with its value, such as
        V(hostPath=/dev/shm), V(capabilities=IPC_LOCK), V(hostPort=29500), V(nodeName=NAME), V(serviceAccountName=NAME),
        V(seccompProfile=Unconfined), V(sysctls=NAME) or V(volumes=nfs). Unknown fields are also rights.
      - The C(TrainingRuntime) of a C(TrainJob) is a right, V(runtimeRef=TrainingRuntime/NAME). The module does not read it.
        Everyone who may change it in the namespace decides what the Pods may do. A C(ClusterTrainingRuntime), which only
        administrators create, is accepted with a warning.
      - In a namespace C(hyperpod-ns-TEAM), everything that Pod Security C(baseline) forbids is refused, regardless of this
        option.
    type: list
    elements: str
    default: []
  state:
    description:
      - Whether the job exists. V(absent) deletes the job and its Pods.
    type: str
    choices: [present, absent]
    default: present
  replace:
    description:
      - Whether to first delete an existing job that has the same name but a different manifest, with its Pods. With V(false), the
        new job is refused. The message contains the difference, without values of environment variables.
      - If a job of this name is already being deleted, for example by an interrupted run, the module waits until it is deleted.
    type: bool
    default: false
  force:
    description:
      - Whether O(state=absent) and O(replace=true) may delete a job that this module did not create.
    type: bool
    default: false
  verify:
    description:
      - Whether the module fails if the job is not placed as requested. RV(placement) is returned even with V(false).
    type: bool
    default: true
  wait:
    description:
      - State for which the module waits. V(admitted) waits until Kueue has assigned nodes. V(running) waits until all Pods run.
        V(finished) waits until the job has ended successfully. If the job fails, is deleted, or is deactivated by Kueue, the
        module fails immediately.
      - V(finished) is refused for a job that Kubernetes removes before the module polls again (C(ttlSecondsAfterFinished)),
        because its result would be unknown. After its end, the job must exist for at least two times O(poll_interval) plus 30
        seconds.
      - With O(state=absent), all values except V(none) wait until the job and its Pods are removed.
    type: str
    choices: [none, admitted, running, finished]
    default: running
  wait_timeout:
    description:
      - Seconds to wait for the state of O(wait), V(1) to V(604800). After this time, the module fails and does not change the
        job. The job then waits in its queue. With O(wait=running) or O(wait=finished), it may also be admitted or running by
        then.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two polls while the module waits, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Check mode also refuses a job if the cluster does not meet its requirements, and fails if an existing job is not placed as
        requested. It does not wait.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A job that Kubernetes removed after its end (C(ttlSecondsAfterFinished)) is no longer found, so it is submitted again.
      - A C(HyperPodPyTorchJob) is removed immediately after its end unless C(spec.runPolicy.ttlSecondsAfterFinished) is set. With
        V(-1), it is never removed.
      - The module warns about a job that is removed soon after its end.
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
  - "Kubernetes permissions of the caller: get, create and delete jobs of the kind in their namespace, and list the Pods and
    C(workloads) there."
  - "The following permissions are optional. If one is missing, the check that needs it is skipped with a warning: get the
    namespace, its C(localqueues), C(clusterqueues), C(resourceflavors), C(topologies) and C(workloadpriorityclasses); in
    C(kueue-system), get the ConfigMap C(kueue-manager-config) and the Deployment C(kueue-controller-manager)."
  - Without the permission to list nodes, the placement contains only Kueue's assignment.
  - If an admitted job lacks Pods, the module needs the permission to list C(events) to find the reason. For a C(JobSet), a
    C(TrainJob) and an C(MPIJob), it also needs the permission to list C(jobs).
  - The name of C(HyperPodPyTorchJob) in the configuration of AWS's Kueue is not documented, so a configuration without it causes
    only a warning.
  - This module has not yet run against live AWS, nor with Kueue itself.
seealso:
  - module: mlfleet.hyperpod.topology_info
  - name: Topology-aware scheduling in HyperPod task governance
    description: The AWS guide.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-tasks-scheduling.html
  - name: Topology-aware scheduling of Kueue
    description: Explains the annotations.
    link: https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
"""

EXAMPLES = r"""
- name: Submit a job with all workers below one network node of layer 3
  mlfleet.hyperpod.topology_job:
    eks_cluster: training
    region: us-west-2
    src: mnist.yaml
    namespace: hyperpod-ns-research
    queue: hyperpod-ns-research-localqueue
    priority_class: training-priority
    required_topology: topology.k8s.aws/network-node-layer-3
  register: mnist

- name: Show the placement of the job
  ansible.builtin.debug:
    msg: "{{ mnist.placement.table }}"

- name: Place slices of four Pods below one network node each, and wait until the job has ended
  mlfleet.hyperpod.topology_job:
    eks_cluster: training
    region: us-west-2
    src: llama.yaml
    namespace: training
    queue: training
    pod_rights: ["hostPath=/dev/shm", "capabilities=IPC_LOCK"]
    required_topology: topology.k8s.aws/network-node-layer-1
    slice_topology: topology.k8s.aws/network-node-layer-3
    slice_size: 4
    wait: finished
    wait_timeout: 86400

- name: Delete the job
  mlfleet.hyperpod.topology_job:
    eks_cluster: training
    region: us-west-2
    manifest: {apiVersion: batch/v1, kind: Job, metadata: {name: mnist, namespace: hyperpod-ns-research}}
    state: absent
"""

RETURN = r"""
job:
  description: The job. All texts are printable.
  returned: success
  type: dict
  contains:
    api_version:
      description: API version of the job's kind.
      type: str
      sample: batch/v1
    kind:
      description: Kind of the job.
      type: str
      sample: Job
    namespace:
      description: Namespace of the job.
      type: str
      sample: hyperpod-ns-research
    name:
      description: Name of the job.
      type: str
      sample: mnist
    queue:
      description: C(LocalQueue) of the job. Empty with O(state=absent).
      type: str
      sample: hyperpod-ns-research-localqueue
    hash:
      description: Hash of the manifest. Empty with O(state=absent).
      type: str
      sample: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    state:
      description: V(absent), V(waiting), V(admitted), V(running), V(succeeded) or V(failed).
      type: str
      sample: running
    why:
      description: Why the job waits or lacks Pods, with the next step, or why it failed. Otherwise empty.
      type: str
      sample: ""
    pods:
      description: Requested number of Pods. V(0) while neither Kueue nor the manifest contains the number.
      type: int
      sample: 4
    at_work:
      description: Number of Pods that run or have ended successfully.
      type: int
      sample: 4
    workload:
      description: Kueue's C(Workload) of the job, or an empty string.
      type: str
      sample: job-mnist-3d1f2
manifest:
  description: The job as it is sent to the API server. Literal values of environment variables may be secrets, so C(...) replaces
    them.
  returned: success
  type: dict
  sample: {apiVersion: batch/v1, kind: Job, metadata: {name: mnist, namespace: hyperpod-ns-research}}
notes:
  description: >-
    Notes about the places of the annotations, about a removal of the job soon after its end, and about an eviction before the
    current admission.
  returned: success
  type: list
  elements: str
  sample: ["The topology request applies only to the worker Pods, as in AWS's guide. Their leader master may be in a different
    domain."]
placement:
  description: Placement of the Pods of the job.
  returned: success, and if an existing job failed
  type: dict
  contains:
    verdict:
      description:
        - Worst verdict of all Pods with a requested placement.
        - V(kept) if the Pods are placed as requested. V(spilled) if a preferred placement was not possible. V(moved) if the Pods
          are placed as requested, but not on the nodes that Kueue assigned, because those nodes no longer exist or are unhealthy.
          V(unknown) if the placement can't be determined yet.
        - V(left) if the Pods are in more than one domain. V(differs) if the Pods are not on the nodes that Kueue assigned. These
          two verdicts are failures.
        - Empty if there is no job, or if nothing is known about its placement.
      type: str
      sample: kept
    told:
      description: >-
        The placement as a sentence. It contains the domain of a C(Master) or C(Launcher) that differs from that of its workers.
        If the job was admitted again after an eviction, the sentence contains the reason of the eviction.
      type: str
      sample: "the worker Pods are in nn-3example (4); master, the leader of the worker Pods, is in a different domain:
        nn-4example"
    podsets:
      description: Groups of Pods with the same template.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the group in Kueue.
          type: str
          sample: main
        mode:
          description: Requested placement, V(required), V(preferred) or V(unconstrained). Empty if nothing is requested.
          type: str
          sample: required
        level:
          description: Label of the requested layer.
          type: str
          sample: topology.k8s.aws/network-node-layer-3
        verdict:
          description: Verdict of the group, with the values of RV(placement.verdict).
          type: str
          sample: kept
        domains:
          description: Domains of the requested layer, with the number of Pods in each.
          type: list
          elements: dict
          sample: [{domain: nn-33333example, pods: 4}]
    rows:
      description: One entry for each Pod.
      type: list
      elements: dict
      sample:
        - podset: main
          pod: mnist-0-x7k2p
          node: hyperpod-i-0123456789abcdef0
          domain: nn-33333example
          assigned: hyperpod-i-0123456789abcdef0
          verdict: as assigned
    table:
      description: The same data as RV(placement.rows), as lines of text.
      type: list
      elements: str
      sample: ["pods  pod            node                          domain           assigned"]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: Job hyperpod-ns-research/mnist
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.result import placed, result


def resource(module: t.Any, given: dict[str, t.Any]) -> Resource:
    desired, waits = options.desired(given), options.waits(given)
    kubernetes = connect_kubernetes(module)
    observer = Observer(kubernetes, desired, waits=waits, waiting=not module.check_mode)
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(kubernetes, desired, waits=waits),
        result=lambda state: result(desired, state),
        failed=lambda error: {"placement": placed(desired, observer.last)},
    )


def main() -> None:
    module = aws_module(argument_spec={**options.SPEC, **CONNECTION})
    given = options.concealed(module)
    run_aws(module, lambda module: resource(module, given))


if __name__ == "__main__":
    main()
