#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_job
version_added: 0.1.0
short_description: Submit a job with topology-aware scheduling of Kueue, and verify its placement
description:
  - Adds the annotations and labels of topology-aware scheduling where the kind of the job needs them, checks whether the cluster
    meets the requirements, submits the job and waits for it. It returns the reason if the job waits. It compares Kueue's
    assignment with the nodes of the Pods and with the labels of these nodes.
  - Supports C(Job), C(PyTorchJob), C(HyperPodPyTorchJob), C(JobSet), C(TrainJob) and C(MPIJob) (of the MPI operator). As in AWS's
    guide, the workers get the annotation, and a leading C(Master) or C(Launcher) does not; Kueue may place this single Pod in
    another domain.
  - A job is identified by its name and by a hash of its manifest, in its annotation C(mlfleet.hyperpod/manifest). If the manifest
    is the same, nothing changes, and its placement is returned. A job that has ended is not run again.
  - An existing job is never changed; only Kueue sets C(suspend).
  - Before the submission, the module checks the namespace, the queue and its C(ClusterQueue), the priority class, the levels of
    the C(Topology), the feature gate, and whether the installed Kueue manages the kind. From 0.19 on, Kueue does not manage
    C(PyTorchJob) by default.
  - M(kubernetes.core.k8s) does not support queues and topologies, and would stop a running job by sending V(suspend=true) again.
options:
  manifest:
    description:
      - The job as a Kubernetes object.
      - With O(state=absent), only C(apiVersion), C(kind) and C(metadata) are required.
      - Values of its environment variables are not shown, even with C(-vvv), and the system log contains nothing of it.
    type: dict
  src:
    description:
      - Path of a JSON or YAML file that contains only the job, instead of O(manifest). At most 256 KiB, and 1 MiB after aliases
        are expanded. Duplicate keys in an object are refused.
      - The file is not templated. Do not use P(ansible.builtin.template#lookup) on files of others, because it evaluates
        expressions in double braces with your permissions.
    type: path
  namespace:
    description:
      - Namespace of the job if the manifest does not set it. The namespace of a team of task governance is C(hyperpod-ns-TEAM).
    type: str
  queue:
    description:
      - C(LocalQueue) of the job if the manifest has no label for it. The queue of a team is C(hyperpod-ns-TEAM-localqueue).
    type: str
  priority_class:
    description:
      - C(WorkloadPriorityClass) of the job. Those of task governance are named C(NAME-priority).
    type: str
  required_topology:
    description:
      - Label of the layer, such as V(topology.k8s.aws/network-node-layer-3). All Pods of a template must be in one domain of this
        layer. This does not include the C(Master) of a C(PyTorchJob) and the C(Launcher) of an C(MPIJob) if there are workers;
        RV(placement.told) reports their domain if it differs.
      - The job waits until a domain has enough free nodes.
      - Without any of these options, the annotations in the Pod templates of the manifest apply. Annotations that begin with
        C(kueue.x-k8s.io/podset-) are refused in other places, and so are unsupported ones, such as
        C(kueue.x-k8s.io/podset-group-name).
    type: str
  preferred_topology:
    description:
      - Label of the layer. All Pods of a template should be in one domain of this layer, as with O(required_topology). If they do
        not fit, Kueue uses the layer above, or several domains; this is reported and not a failure.
    type: str
  unconstrained_topology:
    description:
      - Whether Pods may be in any domains that have free nodes.
    type: bool
    default: false
  slice_topology:
    description:
      - Label of the layer. All Pods of each slice must be in one domain of this layer, which is at or below the layer of the
        whole job.
    type: str
  slice_size:
    description:
      - Number of Pods in a slice. It must divide the number of Pods.
    type: int
  pod_rights:
    description:
      - Rights outside of their own containers that Pods of the job may have. A job that needs another right is refused; the
        message contains the value to set.
      - A right is the name of a field, such as V(hostNetwork), V(hostPID) or V(privileged), or a field with its value, such as
        V(hostPath=/dev/shm), V(capabilities=IPC_LOCK), V(hostPort=29500), V(nodeName=NAME), V(serviceAccountName=NAME),
        V(seccompProfile=Unconfined), V(sysctls=NAME) or V(volumes=nfs). Unknown fields are also rights.
      - The C(TrainingRuntime) of a C(TrainJob) is a right, V(runtimeRef=TrainingRuntime/NAME). The module does not read it, and
        everyone who may change it in the namespace decides what the Pods may do. A C(ClusterTrainingRuntime), which only
        administrators create, is accepted with a warning.
      - In a namespace C(hyperpod-ns-TEAM), everything that Pod Security C(baseline) forbids is refused, independent of this
        option.
    type: list
    elements: str
    default: []
  state:
    description:
      - Whether the job exists. V(absent) deletes it with its Pods.
    type: str
    choices: [present, absent]
    default: present
  replace:
    description:
      - Whether to delete an existing job of the same name with another manifest, and its Pods, first. With V(false), it is
        refused and the message contains the difference, without values of environment variables.
      - If a job of this name is already being deleted, for example by an interrupted run, the module waits for its end.
    type: bool
    default: false
  force:
    description:
      - Whether O(state=absent) and O(replace=true) may delete a job that this module did not create.
    type: bool
    default: false
  verify:
    description:
      - Whether the module fails if the job is not placed as requested. RV(placement) is returned in any case.
    type: bool
    default: true
  wait:
    description:
      - State to wait for. V(admitted) waits until Kueue has assigned nodes, V(running) until all Pods run, V(finished) until the
        job has ended successfully. A job that fails, is deleted, or is deactivated by Kueue ends the wait immediately.
      - V(finished) is refused for a job that Kubernetes removes before the module polls again (C(ttlSecondsAfterFinished)),
        because its result would be unknown. The job must stay for at least two times O(poll_interval) plus 30 seconds.
      - With O(state=absent), all except V(none) wait until the job and its Pods are gone.
    type: str
    choices: [none, admitted, running, finished]
    default: running
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(604800). After that, the job stays in its queue.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two polls while waiting, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource that is waited for.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Check mode also refuses a job whose requirements the cluster does not meet, and fails if an existing job is not placed as
        requested. It does not wait.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A job that Kubernetes removed after its end (C(ttlSecondsAfterFinished)) is no longer found, and is submitted again. A
        C(HyperPodPyTorchJob) is removed immediately unless C(spec.runPolicy.ttlSecondsAfterFinished) is set; V(-1) keeps it. If a
        job is removed before the module polls again, a warning is shown.
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
  - "Kubernetes permissions of the caller: get, create and delete jobs of the kind in their namespace, and list its pods and
    C(workloads). The other checks are skipped with a warning if the caller may not read the namespace, its C(localqueues),
    C(clusterqueues), C(resourceflavors), C(topologies), C(workloadpriorityclasses), and in C(kueue-system) the ConfigMap
    C(kueue-manager-config) and the Deployment C(kueue-controller-manager). Without C(list) of nodes, the placement contains only
    Kueue's assignment. Without C(list) of C(events), and of C(jobs) for a C(JobSet), a C(TrainJob) and an C(MPIJob), the reason
    of missing Pods of an admitted job is unknown."
  - The name of C(HyperPodPyTorchJob) in the configuration of AWS's Kueue is not documented, so a configuration without it causes
    only a warning.
  - Not yet run against live AWS, nor with Kueue itself.
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

- name: Show its placement
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
      description: API version of its kind.
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
      description: Reason why it waits, with the next step, or why it failed. Otherwise empty.
      type: str
      sample: ""
    pods:
      description: Requested number of Pods. V(0) if neither Kueue nor the manifest contains it yet.
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
  description: The job as it is sent, with V(...) instead of literal values of environment variables, which may be secrets.
  returned: success
  type: dict
  sample: {apiVersion: batch/v1, kind: Job, metadata: {name: mnist, namespace: hyperpod-ns-research}}
notes:
  description: >-
    Notes on where the annotations were added, on the removal of the job directly after its end, and on an eviction before the
    current admission.
  returned: success
  type: list
  elements: str
  sample: ["The topology request applies only to Pods worker, as in AWS's guide; their leader master may be in another domain."]
placement:
  description: Placement of the Pods of the job.
  returned: success, and if an existing job failed
  type: dict
  contains:
    verdict:
      description:
        - Worst verdict of all Pods with a requested placement. V(kept) if they are placed as requested. V(spilled) if a preferred
          placement had no room. V(moved) if they are placed as requested, but on other nodes than Kueue assigned, because those
          nodes are gone. V(unknown) if it can't be determined yet.
        - V(left) if they are in more than one domain, and V(differs) if they are on other nodes than Kueue assigned. These two
          are failures.
        - Empty if there is no job, or nothing is known about it.
      type: str
      sample: kept
    told:
      description: >-
        The same as a sentence, with the domain of a C(Master) or C(Launcher) that differs from that of its workers, and the
        reason of an eviction if the job was admitted again.
      type: str
      sample: "Pods worker are in nn-3example (4); master, the leader of Pods worker, is in another domain: nn-4example"
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
          description: V(required), V(preferred), V(unconstrained), or empty if nothing is requested.
          type: str
          sample: required
        level:
          description: Label of the layer.
          type: str
          sample: topology.k8s.aws/network-node-layer-3
        verdict:
          description: Verdict of the group, with the values of RV(placement.verdict).
          type: str
          sample: kept
        domains:
          description: Domains of the layer, with the number of Pods in each.
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
      description: The same as lines of text.
      type: list
      elements: str
      sample: ["pods  pod            node                          domain           assigned"]
changes:
  description: Changes that were made, or would be made in check mode.
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
