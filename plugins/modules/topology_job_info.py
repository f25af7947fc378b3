#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_job_info
version_added: 0.1.0
short_description: Verify the placement of all jobs with topology-aware scheduling
description:
  - Checks each job that M(mlfleet.hyperpod.topology_job) submitted, and each other job whose Pods have an annotation of Kueue's
    topology-aware scheduling. This includes the jobs of all users. The module compares Kueue's assignment with the nodes of the
    Pods and with the labels of these nodes.
  - The module supports those kinds of M(mlfleet.hyperpod.topology_job) that the API server has.
  - A job that another of these jobs created, such as the C(JobSet) of a C(TrainJob), is not returned separately.
  - If a job has a wrong placement, the module checks it again after some seconds, because Pods from before an eviction end one
    after another.
options:
  namespace:
    description:
      - Namespace of the jobs. The default is all namespaces.
    type: str
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
  - "Kubernetes permissions of the caller: list jobs of all these kinds, C(workloads) and Pods in O(namespace) or in all
    namespaces; list nodes; get C(resourceflavors) and C(topologies). RV(unseen) lists missing permissions."
  - If only the runtime of a C(TrainJob) has the annotation, the module returns the C(JobSet) that the C(TrainJob) created.
  - This module has not yet run against live AWS, nor with Kueue itself.
seealso:
  - module: mlfleet.hyperpod.topology_job
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Get the placement of all jobs
  mlfleet.hyperpod.topology_job_info:
    eks_cluster: training
    region: us-west-2
  register: jobs

- name: Fail if a job has the wrong placement
  ansible.builtin.assert:
    that: jobs.jobs | selectattr('placement.verdict', 'in', ['left', 'differs']) | length == 0
"""

RETURN = r"""
jobs:
  description: Jobs, sorted by namespace and name. All texts are printable.
  returned: success
  type: list
  elements: dict
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
      description: C(LocalQueue) of the job, or an empty string.
      type: str
      sample: hyperpod-ns-research-localqueue
    hash:
      description: Hash of the manifest that M(mlfleet.hyperpod.topology_job) submitted. Empty for other jobs.
      type: str
      sample: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    ours:
      description: Whether M(mlfleet.hyperpod.topology_job) submitted the job.
      type: bool
      sample: true
    state:
      description: V(absent) while it is being deleted, V(waiting), V(admitted), V(running), V(succeeded) or V(failed).
      type: str
      sample: running
    why:
      description: Why the job waits or lacks Pods, with the next step, or why it failed. Otherwise empty.
      type: str
      sample: ""
    problem:
      description: Why the annotations of the job can't be evaluated. Otherwise empty.
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
    placement:
      description: Placement of the job's Pods, in the format of RV(mlfleet.hyperpod.topology_job#module:placement).
      type: dict
      contains:
        verdict:
          description:
            - V(kept), V(spilled), V(moved), V(unknown), V(left) or V(differs). Empty if the job has neither Pods nor a Workload.
          type: str
          sample: kept
        told:
          description: The placement as a sentence, with the reason of an eviction if the job was admitted again.
          type: str
          sample: the main Pods are in nn-33333example (4)
        podsets:
          description: Groups of Pods with the same template, with C(name), C(mode), C(level), C(verdict) and C(domains).
          type: list
          elements: dict
          sample:
            - name: main
              mode: required
              level: topology.k8s.aws/network-node-layer-3
              verdict: kept
              domains: [{domain: nn-33333example, pods: 4}]
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
          description: The same data as C(rows), as lines of text.
          type: list
          elements: str
          sample: ["pods  pod            node                          domain           assigned"]
unseen:
  description: Objects that the caller may not read. If there are any, jobs may be missing or incomplete.
  returned: success
  type: list
  elements: str
  sample: [Nodes]
"""

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import NAMESPACE, NAMESPACE_ALLOWED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.result import surveyed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.survey import Survey, steady

SPEC = {"namespace": {"type": "str"}, **CONNECTION}


def jobs(module: t.Any) -> dict[str, t.Any]:
    namespace = module.params["namespace"]
    if namespace is not None and not re.fullmatch(NAMESPACE, namespace):
        refuse_option("namespace", namespace, NAMESPACE_ALLOWED)
    survey = Survey(connect_kubernetes(module), namespace or "")
    found = steady(survey)
    return {"jobs": list(map(surveyed, found)), "unseen": survey.unseen}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), jobs)


if __name__ == "__main__":
    main()
