#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_job
version_added: 0.1.0
short_description: Submit a job that Kueue places by topology, and prove where its pods are
description:
  - Puts the annotations and labels of topology-aware scheduling where the kind of the job needs them, looks whether the cluster has
    what it needs, submits it, waits, says in plain words why it waits, and compares the placement that Kueue has assigned with the
    nodes that its pods are on and with the labels of these.
  - Knows C(Job), C(PyTorchJob), C(HyperPodPyTorchJob), C(JobSet), C(TrainJob) and C(MPIJob) (of the MPI operator). The annotation
    stands at the workers, and not at a C(Master) or C(Launcher) that leads them, as in AWS's guide; Kueue may put that one pod into
    another domain.
  - A job is known by its name and by a hash of its manifest, which it has as annotation C(mlfleet.hyperpod/manifest). The
    same manifest changes nothing, whatever became of the job; its placement is told. A job that is over is not run again.
  - A job that is there is never changed; C(suspend) is Kueue's alone.
  - Before it submits, it looks at the namespace, the queue and its C(ClusterQueue), the priority class, the levels of the
    C(Topology), the feature gate, and whether the installed Kueue manages the kind. From 0.19 on it leaves out C(PyTorchJob)
    by default.
  - M(kubernetes.core.k8s) knows nothing of queues and topologies, and would stop a running job by sending V(suspend=true) again.
options:
  manifest:
    description:
      - The job, as Kubernetes takes it.
      - With O(state=absent), C(apiVersion), C(kind) and C(metadata) are enough.
      - Values of its environment variables are not shown, also with C(-vvv), and nothing of it is in the log of the system.
    type: dict
  src:
    description:
      - A file in JSON or YAML with the job instead, and nothing else in it. At most 256 KiB, and 1 MiB with what aliases repeat. No
        object in it may have a key twice.
      - It is read as it is, and nothing in it is a template. Do not put a file of somebody else through
        P(ansible.builtin.template#lookup), which runs what it has in double braces with your rights.
    type: path
  namespace:
    description:
      - Namespace of the job, where the manifest has none. That of a team of task governance is C(hyperpod-ns-TEAM).
    type: str
  queue:
    description:
      - The C(LocalQueue), where the manifest does not label the job with one. That of a team is C(hyperpod-ns-TEAM-localqueue).
    type: str
  priority_class:
    description:
      - The C(WorkloadPriorityClass). Task governance calls them C(NAME-priority).
    type: str
  required_topology:
    description:
      - Label of the layer in one domain of which all pods of a template must be, such as V(topology.k8s.aws/network-node-layer-3).
        Not the C(Master) of a C(PyTorchJob) and the C(Launcher) of an C(MPIJob), where there are workers; RV(placement.told) says
        where they are if it is another domain.
      - The job waits until there is room in one.
      - Without any of these options, the annotations of the manifest's Pod templates count. Names that begin with
        C(kueue.x-k8s.io/podset-) are refused in other places, and so are those that this module does not support, such as
        C(kueue.x-k8s.io/podset-group-name).
    type: str
  preferred_topology:
    description:
      - Label of the layer in one domain of which all pods of a template should be, as with O(required_topology). Where they do not
        fit, Kueue takes the layer above, or several domains; that is told and is no failure.
    type: str
  unconstrained_topology:
    description:
      - Whether pods may be anywhere as long as the topology has room for them.
    type: bool
    default: false
  slice_topology:
    description:
      - Label of the layer in one domain of which all pods of each slice must be. At or below the layer of the whole job.
    type: str
  slice_size:
    description:
      - Pods of a slice. Divides the number of pods.
    type: int
  pod_rights:
    description:
      - Rights beyond their own containers that Pods of the job may have. A job that needs another one is refused, with the value to
        set.
      - A right is the name of a field, such as V(hostNetwork), V(hostPID) or V(privileged), or a field with its value, such as
        V(hostPath=/dev/shm), V(capabilities=IPC_LOCK), V(hostPort=29500), V(nodeName=NAME), V(serviceAccountName=NAME),
        V(seccompProfile=Unconfined), V(sysctls=NAME) or V(volumes=nfs). A field that is not known here is one, too.
      - The C(TrainingRuntime) of a C(TrainJob) is a right, V(runtimeRef=TrainingRuntime/NAME). It is not read, and whoever may
        change it in the namespace decides what the Pods may do. A C(ClusterTrainingRuntime), which only administrators create, is
        accepted with a warning.
      - In a namespace C(hyperpod-ns-TEAM), what Pod Security C(baseline) refuses is refused whatever this names.
    type: list
    elements: str
    default: []
  state:
    description:
      - Whether the job is to be there. V(absent) deletes it with its pods.
    type: str
    choices: [present, absent]
    default: present
  replace:
    description:
      - Whether a job of the same name that was made of another manifest is deleted with its pods first. It is refused
        otherwise, with the difference, in which no value of an environment variable is shown.
      - A job of this name that is being deleted already, as by a run that was interrupted, is waited for.
    type: bool
    default: false
  force:
    description:
      - Whether a job that this module has not made may be deleted by O(state=absent) or O(replace=true).
    type: bool
    default: false
  verify:
    description:
      - Whether a job that is not placed as asked is a failure. RV(placement) tells of it in any case.
    type: bool
    default: true
  wait:
    description:
      - What is waited for. V(admitted) until Kueue has given it its place, V(running) until all its pods run, V(finished) until it
        has ended well. A job that fails, that somebody deletes, or that Kueue has deactivated ends the wait at once.
      - V(finished) is refused for a job that goes before it is looked at again (C(ttlSecondsAfterFinished)) - nobody would know how
        it has ended. It has to stay 30 seconds more than two times O(poll_interval).
      - With O(state=absent) all but V(none) wait until the job and its pods are gone.
    type: str
    choices: [none, admitted, running, finished]
    default: running
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(604800). The job stays in its queue when they are over.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two looks while waiting, V(1) to V(300). The first pauses are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Also refuses what the cluster lacks, and fails where a job that is there is not placed as asked. It waits for nothing.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A job that Kubernetes has removed after its end (C(ttlSecondsAfterFinished)) is not known any more, and is submitted again.
        A C(HyperPodPyTorchJob) goes at once unless C(spec.runPolicy.ttlSecondsAfterFinished) says otherwise; V(-1) keeps it. Where
        a job goes before it is looked at again, that is a warning.
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
  - "In Kubernetes the caller must be allowed to get, create and delete jobs of the kind in their namespace, and to list its
    pods and C(workloads). What else it looks at is left out, and told in a warning, where the caller may not: the namespace,
    its C(localqueues), C(clusterqueues), C(resourceflavors), C(topologies), C(workloadpriorityclasses), and in
    C(kueue-system) the ConfigMap C(kueue-manager-config) and the Deployment C(kueue-controller-manager). Without C(list) of
    nodes a placement is told only as far as Kueue's assignment goes. Without C(list) of C(events), and of C(jobs) for a C(JobSet),
    a C(TrainJob) and an C(MPIJob), it is not known why Pods of an admitted job are missing."
  - How AWS's build of Kueue names C(HyperPodPyTorchJob) in its configuration is not documented, so where it is not named that
    is a warning.
  - Not yet run against live AWS, nor with Kueue itself.
seealso:
  - module: mlfleet.hyperpod.topology_info
  - name: Topology-aware scheduling in HyperPod task governance
    description: AWS's guide.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-tasks-scheduling.html
  - name: Topology-aware scheduling of Kueue
    description: What the annotations mean.
    link: https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
"""

EXAMPLES = r"""
- name: All workers below one network node of layer 3
  mlfleet.hyperpod.topology_job:
    eks_cluster: training
    region: us-west-2
    src: mnist.yaml
    namespace: hyperpod-ns-research
    queue: hyperpod-ns-research-localqueue
    priority_class: training-priority
    required_topology: topology.k8s.aws/network-node-layer-3
  register: mnist

- name: Where is it?
  ansible.builtin.debug:
    msg: "{{ mnist.placement.table }}"

- name: Slices of four pods below one network node each, until it has ended
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

- name: Take it back
  mlfleet.hyperpod.topology_job:
    eks_cluster: training
    region: us-west-2
    manifest: {apiVersion: batch/v1, kind: Job, metadata: {name: mnist, namespace: hyperpod-ns-research}}
    state: absent
"""

RETURN = r"""
job:
  description: The job. Texts are printable, whoever wrote them.
  returned: success
  type: dict
  contains:
    api_version:
      description: Of its kind.
      type: str
      sample: batch/v1
    kind:
      description: Its kind.
      type: str
      sample: Job
    namespace:
      description: Its namespace.
      type: str
      sample: hyperpod-ns-research
    name:
      description: Its name.
      type: str
      sample: mnist
    queue:
      description: Its C(LocalQueue), or empty with O(state=absent).
      type: str
      sample: hyperpod-ns-research-localqueue
    hash:
      description: Of the manifest, or empty with O(state=absent).
      type: str
      sample: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    state:
      description: V(absent), V(waiting), V(admitted), V(running), V(succeeded) or V(failed).
      type: str
      sample: running
    why:
      description: Why it waits, and what helps, or why it has failed; empty otherwise.
      type: str
      sample: ""
    pods:
      description: Pods that it is to have; V(0) where neither Kueue nor the manifest tells it yet.
      type: int
      sample: 4
    at_work:
      description: Pods that run, or have ended well.
      type: int
      sample: 4
    workload:
      description: Kueue's own object of it, or empty.
      type: str
      sample: job-mnist-3d1f2
manifest:
  description: The job as it is sent, with V(...) for literal values of environment variables, which may be secrets.
  returned: success
  type: dict
  sample: {apiVersion: batch/v1, kind: Job, metadata: {name: mnist, namespace: hyperpod-ns-research}}
notes:
  description: >-
    What is not obvious of where the annotations were put, whether it goes as soon as it has ended, and why it was evicted before it
    was admitted again.
  returned: success
  type: list
  elements: str
  sample: ["The wish stands at the pods worker alone, as in AWS's guide: master, which leads them, may be in another domain."]
placement:
  description: Where the pods of the job are.
  returned: success, and when a job that is there failed
  type: dict
  contains:
    verdict:
      description:
        - The worst one of all pods that were to be placed. V(kept) where they are as asked. V(spilled) where what was
          preferred had no room. V(moved) where they are as asked, on other nodes than Kueue has assigned, since those are
          gone. V(unknown) where nobody tells yet.
        - V(left) where they are in more than one domain, and V(differs) where they are on other nodes than Kueue has
          assigned. These two are failures.
        - Empty where there is no job, or nothing is known of it.
      type: str
      sample: kept
    told:
      description: >-
        The same in a sentence, with the domain of a C(Master) or C(Launcher) that is in another one than its workers, and why the
        job was evicted if it has been admitted again.
      type: str
      sample: "the pods worker are in nn-3example (4); master, which leads the pods worker, is in another domain: nn-4example"
    podsets:
      description: Pods of one template each.
      type: list
      elements: dict
      contains:
        name:
          description: As Kueue calls them.
          type: str
          sample: main
        mode:
          description: V(required), V(preferred), V(unconstrained), or empty.
          type: str
          sample: required
        level:
          description: Label of the layer.
          type: str
          sample: topology.k8s.aws/network-node-layer-3
        verdict:
          description: As RV(placement.verdict).
          type: str
          sample: kept
        domains:
          description: Domains of the layer, and how many pods are in each.
          type: list
          elements: dict
          sample: [{domain: nn-33333example, pods: 4}]
    rows:
      description: A row for each pod.
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
      description: The same as lines for people.
      type: list
      elements: str
      sample: ["pods  pod            node                          domain           assigned"]
changes:
  description: Every change that was made, or in check mode would be made.
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
