#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_workload_info
version_added: 0.1.0
short_description: List what people run in an EKS cluster, and what its removal leaves in the account
description:
  - Lists the Pods of people with their nodes, node groups and claims, their jobs, the Services of type C(LoadBalancer), and the
    PersistentVolumes. Load balancers and volumes that Kubernetes created stay in the AWS account if the cluster is removed first.
  - Pods and jobs of the namespace C(kube-system), Pods of DaemonSets, static Pods, and Pods and jobs that have ended are not
    listed.
  - The kinds of jobs are Job, PyTorchJob, HyperPodPyTorchJob, JobSet, TrainJob and MPIJob. A job that one of them controls, such as
    a Job of a JobSet, is not listed. Jobs of other kinds, such as RayJob, are visible only by their Pods.
  - The module does not fail if the API server can't be reached. RV(kubernetes_workloads.unread) then has the reason.
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
  - "Kubernetes permissions of the caller: list nodes and PersistentVolumes, and the Pods, Services, Jobs, PyTorchJobs,
    HyperPodPyTorchJobs, JobSets, TrainJobs and MPIJobs of all namespaces. A kind that the API server does not serve needs no
    permission."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.kubernetes_drain
  - module: mlfleet.hyperpod.eks_cluster_resource_info
"""

EXAMPLES = r"""
- name: Get what people run in an EKS cluster
  mlfleet.hyperpod.kubernetes_workload_info:
    eks_cluster: training
    region: us-west-2
  register: found
"""

RETURN = r"""
kubernetes_workloads:
  description: What runs in the cluster.
  returned: success
  type: dict
  contains:
    pods:
      description: Pods of people that have not ended.
      type: list
      elements: dict
      sample:
        - namespace: research
          name: train-0
          node: ip-10-0-1-5.us-west-2.compute.internal
          node_group: gpu
          owner: Job train
          claims: [research/checkpoints]
    jobs:
      description: Jobs of all kinds that this collection created, also those that have ended.
      type: list
      elements: dict
      sample:
        - {api_version: kubeflow.org/v1, kind: PyTorchJob, namespace: mlfleet-training, name: training-1a2b3c4d}
    unfinished_jobs:
      description: Jobs of people that have not ended. They may be suspended or wait in a queue, and then have no Pods.
      type: list
      elements: dict
      sample:
        - {api_version: batch/v1, kind: Job, namespace: research, name: train}
    load_balancers:
      description: Services of type C(LoadBalancer), as NAMESPACE/NAME.
      type: list
      elements: str
      sample: [research/tensorboard]
    volumes:
      description:
        - PersistentVolumes with their driver, their handle in AWS, their claim, and whether the driver created them for the claim.
      type: list
      elements: dict
      sample:
        - {name: pvc-1, driver: ebs.csi.aws.com, handle: vol-0123456789abcdef0, claim: research/logs, dynamic: true}
    unread:
      description: What could not be read besides jobs, and why.
      type: list
      elements: str
      sample: []
    unread_jobs:
      description: Kinds of jobs that could not be read, and why.
      type: list
      elements: str
      sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError, aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.observe import Observer, Workloads


def read(module: t.Any) -> dict[str, t.Any]:
    try:
        found = Observer(connect_kubernetes(module))()
    except Refused:
        raise
    except (Failure, AwsError) as error:
        found = Workloads(unread=(f"the Kubernetes API server: {str(error).rstrip('.')}",))
    return {"kubernetes_workloads": found.to_result()}


def main() -> None:
    read_aws(aws_module(argument_spec=CONNECTION), read)


if __name__ == "__main__":
    main()
