#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_job_info
version_added: 0.1.0
short_description: Prove where all jobs are that Kueue places by topology
description:
  - Looks at each job that M(mlfleet.hyperpod.topology_job) has submitted, and at each other one whose pods have an annotation of
    Kueue's topology-aware scheduling, whoever submitted it. Compares where Kueue has put its pods with the nodes that they are on,
    and with the labels of these.
  - Knows the kinds of jobs of M(mlfleet.hyperpod.topology_job), as far as the API server has them.
  - A job that another one of these has made, as a C(TrainJob) makes a C(JobSet), is told with it and not by itself.
  - What seems to be placed wrongly is looked at again some seconds later, since pods of before an eviction go little by little.
options:
  namespace:
    description:
      - Namespace of the jobs; all by default.
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
  - In Kubernetes the caller should be allowed to list the jobs of all these kinds, C(workloads) and pods, in O(namespace) or in
    all, and nodes, and to get C(resourceflavors) and C(topologies). RV(unseen) names what the caller may not.
  - Of a C(TrainJob) whose annotation stands in its runtime alone, the C(JobSet) is told that it has made.
  - Not yet run against live AWS, nor with Kueue itself.
seealso:
  - module: mlfleet.hyperpod.topology_job
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Where are all jobs?
  mlfleet.hyperpod.topology_job_info:
    eks_cluster: training
    region: us-west-2
  register: jobs

- name: None has left its layer
  ansible.builtin.assert:
    that: jobs.jobs | selectattr('placement.verdict', 'in', ['left', 'differs']) | length == 0
"""

RETURN = r"""
jobs:
  description: Jobs in the order of their namespaces and names. Texts are printable, whoever wrote them.
  returned: success
  type: list
  elements: dict
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
      description: Its C(LocalQueue), or empty.
      type: str
      sample: hyperpod-ns-research-localqueue
    hash:
      description: Of the manifest that M(mlfleet.hyperpod.topology_job) has made it of, or empty.
      type: str
      sample: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    ours:
      description: Whether M(mlfleet.hyperpod.topology_job) has submitted it.
      type: bool
      sample: true
    state:
      description: V(absent) while it is deleted, V(waiting), V(admitted), V(running), V(succeeded) or V(failed).
      type: str
      sample: running
    why:
      description: Why it waits, and what helps, or why it has failed; empty otherwise.
      type: str
      sample: ""
    problem:
      description: Why nobody can tell what its annotations ask for; empty otherwise.
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
    placement:
      description: Where its pods are, as RV(mlfleet.hyperpod.topology_job#module:placement).
      type: dict
      contains:
        verdict:
          description:
            - V(kept), V(spilled), V(moved), V(unknown), V(left) or V(differs). Empty where it has neither pods nor a Workload.
          type: str
          sample: kept
        told:
          description: The same in a sentence, and why the job was evicted if it has been admitted again.
          type: str
          sample: the pods main are in nn-33333example (4)
        podsets:
          description: Pods of one template each, with C(name), C(mode), C(level), C(verdict) and C(domains).
          type: list
          elements: dict
          sample:
            - name: main
              mode: required
              level: topology.k8s.aws/network-node-layer-3
              verdict: kept
              domains: [{domain: nn-33333example, pods: 4}]
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
unseen:
  description: What the caller may not see, so that jobs may be missing, or told only in part.
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
