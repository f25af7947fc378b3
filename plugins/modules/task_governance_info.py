#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: task_governance_info
version_added: 0.1.0
short_description: Get the state of HyperPod task governance in Kubernetes
description:
  - Returns whether Kueue's manager is available. The EKS add-on C(amazon-sagemaker-hyperpod-taskgovernance) installs this
    manager.
  - The module also returns whether the namespace and queue of each team and the priority classes exist. HyperPod creates them
    from compute quotas and from the scheduler configuration. The module can wait for them.
  - The module does not create or change any of these objects, because they belong to HyperPod.
options:
  teams:
    description:
      - Teams to check.
    type: list
    elements: str
    default: []
  priority_classes:
    description:
      - Priority classes of the scheduler configuration to check.
    type: list
    elements: str
    default: []
  usage:
    description:
      - Whether to read the use of the quotas of all teams, as Kueue reports it.
    type: bool
    default: false
  wait_for:
    description:
      - State for which the module waits. V(kueue) waits for Kueue's manager. V(teams) also waits for all O(teams) and
        O(priority_classes).
    type: str
    choices: [none, kueue, teams]
    default: none
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 600
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). Kubernetes permissions of the caller: get Deployments, namespaces,
    LocalQueues and WorkloadPriorityClasses, list Deployments of all namespaces, and with O(usage) list ClusterQueues. The EKS
    policy C(AmazonEKSAdminViewPolicy) allows this."
  - Check mode does not wait.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.compute_quota
  - module: mlfleet.hyperpod.cluster_scheduler_config
"""

EXAMPLES = r"""
- name: Wait until the team has its namespace and queue
  mlfleet.hyperpod.task_governance_info:
    eks_cluster: ml
    region: us-west-2
    teams: [research]
    wait_for: teams

- name: Read the use of all quotas
  mlfleet.hyperpod.task_governance_info:
    eks_cluster: ml
    region: us-west-2
    usage: true
"""

RETURN = r"""
kueue:
  description: Kueue's manager.
  returned: success
  type: dict
  contains:
    installed:
      description: Whether the manager is installed.
      type: bool
      sample: true
    available:
      description: Whether the manager is available.
      type: bool
      sample: true
    image:
      description: Image of the manager. Empty if the manager is not installed.
      type: str
      sample: registry.k8s.io/kueue/kueue:v0.19.2
    elsewhere:
      description: Managers of Kueue outside of C(kueue-system), the namespace of task governance. Each entry contains the
        namespace of the manager.
      type: list
      elements: str
      sample: []
teams:
  description: The teams of O(teams).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the team.
      type: str
      sample: research
    namespace:
      description: Name of the team's namespace.
      type: str
      sample: hyperpod-ns-research
    local_queue:
      description: Name of the team's LocalQueue.
      type: str
      sample: hyperpod-ns-research-localqueue
    has_namespace:
      description: Whether the namespace exists and is not being deleted.
      type: bool
      sample: true
    has_local_queue:
      description: Whether the LocalQueue exists.
      type: bool
      sample: true
priority_classes:
  description: The priority classes of O(priority_classes).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the WorkloadPriorityClass.
      type: str
      sample: training-priority
    exists:
      description: Whether the WorkloadPriorityClass exists.
      type: bool
      sample: true
missing:
  description: Kinds and names of missing objects.
  returned: success
  type: list
  elements: str
  sample: [namespace hyperpod-ns-research]
usage:
  description: The use of the quota of each team that has a ClusterQueue. A number that Kueue does not report is null.
  returned: with O(usage)
  type: list
  elements: dict
  contains:
    team:
      description: Name of the team.
      type: str
      sample: research
    pending_workloads:
      description: Number of workloads that wait.
      type: int
      sample: 1
    reserving_workloads:
      description: Number of workloads that reserve quota.
      type: int
      sample: 2
    admitted_workloads:
      description: Number of workloads that are admitted.
      type: int
      sample: 2
    resources:
      description: The amount of each resource in each flavor. An amount of memory is in bytes.
      type: list
      elements: dict
      contains:
        flavor:
          description: Name of the ResourceFlavor, which for task governance is an instance type.
          type: str
          sample: ml.p5.48xlarge
        resource:
          description: Name of the resource.
          type: str
          sample: nvidia.com/gpu
        quota:
          description: Guaranteed amount.
          type: float
          sample: 16
        used:
          description: Amount that admitted workloads use, including what they borrow from other teams.
          type: float
          sample: 8
        borrowed:
          description: Amount that is borrowed from other teams.
          type: float
          sample: 0
        reserved:
          description: Amount that workloads with reserved quota use, including those that are not admitted yet.
          type: float
          sample: 8
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import team_use
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import (
    CONNECTION,
    connect_kubernetes,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_space import WAITS_FOR, desired, waited

SPEC = {
    "teams": {"type": "list", "elements": "str", "default": []},
    "priority_classes": {"type": "list", "elements": "str", "default": []},
    "usage": {"type": "bool", "default": False},
    "wait_for": {"type": "str", "choices": list(WAITS_FOR), "default": "none"},
    **CONNECTION,
    **wait_options(timeout=600),
}


def governance(module: t.Any) -> dict[str, t.Any]:
    wanted, waits = desired(module.params), waits_of(module)
    kubernetes = connect_kubernetes(module)
    result = waited(kubernetes, wanted, waits).to_result()
    return {**result, "usage": team_use.teams(kubernetes)} if module.params["usage"] else result


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), governance)


if __name__ == "__main__":
    main()
