#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mpi_operator_info
version_added: 0.1.0
short_description: Check whether two operators of a Kubernetes cluster manage MPIJobs
description:
  - The training operator of Kubeflow and the MPI operator of Kubeflow install the same CRD, C(mpijobs.kubeflow.org), with
    different versions (V(v1) and V(v2beta1)). The second operator then fails to install, or makes the jobs of the first one
    unusable. Both work in one cluster only if the training operator runs with C(--enable-scheme) for other kinds of jobs.
  - The module recognizes an operator by the image of its Deployment. The training operator of HyperPod is a different one, and its
    jobs are not MPIJobs.
  - An API server that does not answer, or that does not allow the caller to read the CRD or the Deployments, is not a failure.
  - C(kubernetes.core) can return the same objects, but does not compare them.
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
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). Kubernetes permissions of the caller: get the CRD
    C(mpijobs.kubeflow.org), and list Deployments in all namespaces."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.training_node_info
"""

EXAMPLES = r"""
- name: Check the operators of a cluster
  mlfleet.hyperpod.mpi_operator_info:
    eks_cluster: training
    region: us-west-2
  register: found

- name: Require that MPIJobs have one owner
  ansible.builtin.assert:
    that: not found.mpi_operators.clash
    fail_msg: "{{ found.mpi_operators.clash }}. {{ found.mpi_operators.next_step }}."
"""

RETURN = r"""
mpi_operators:
  description: The operators that manage MPIJobs. All texts are printable.
  returned: success
  type: dict
  contains:
    known:
      description: Whether the CRD and the Deployments were read.
      type: bool
      sample: true
    reason:
      description: Why they could not be read. Otherwise an empty string.
      type: str
      sample: ""
    versions:
      description: Versions that the CRD serves. The list is empty if the cluster does not have the CRD.
      type: list
      elements: str
      sample: [v1]
    operators:
      description: Operators that manage MPIJobs.
      type: list
      elements: dict
      contains:
        name:
          description: V(training-operator) or V(mpi-operator).
          type: str
          sample: training-operator
        deployment:
          description: Namespace and name of its Deployment.
          type: str
          sample: kubeflow/training-operator
    clash:
      description:
        - The evidence that an operator can't manage its MPIJobs, as a sentence without a period. Empty without such evidence.
      type: str
      sample: ""
    next_step:
      description: What to do about a clash, as a sentence without a period. Empty without a clash.
      type: str
      sample: ""
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import mpi_operators
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes

SPEC = {**CONNECTION}


def check(module: t.Any) -> dict[str, t.Any]:
    kubernetes = connect_kubernetes(module)
    owners, reason = mpi_operators.Owners(), ""
    try:
        owners = mpi_operators.read(kubernetes)
    except KubernetesError as error:
        reason = str(error)
    found = {
        "known": not reason,
        "reason": reason,
        "versions": list(owners.served),
        "operators": [{"name": each.image, "deployment": each.place} for each in owners.operators],
        "clash": owners.clash,
        "next_step": mpi_operators.STEP if owners.clash else "",
    }
    return {"mpi_operators": found}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), check)


if __name__ == "__main__":
    main()
