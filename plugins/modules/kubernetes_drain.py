#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_drain
version_added: 0.1.0
short_description: Drain the nodes of EKS node groups
description:
  - Cordons all nodes of node groups, also those that join meanwhile, evicts their Pods, and waits until the Pods have ended. Pods
    of DaemonSets and static Pods stay.
  - Pod disruption budgets are kept. If Pods have not ended before O(wait_timeout), the module returns them and does not fail.
  - C(kubernetes.core.k8s_drain) drains one node, and can't connect to an EKS cluster by its name.
options:
  node_groups:
    description:
      - Names of the node groups. Their nodes have the label C(eks.amazonaws.com/nodegroup).
    type: list
    elements: str
    required: true
  system_pods:
    description:
      - Whether to evict the Pods of the namespace C(kube-system) too. Set V(false) if no other node could run them.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for the Pods, V(0) to V(86400).
    type: int
    default: 600
  poll_interval:
    description:
      - Seconds between two polls, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
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
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "Kubernetes permissions of the caller: list and patch nodes, list the Pods of all namespaces, and create C(pods/eviction)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.kubernetes_workload_info
  - module: mlfleet.hyperpod.eks_nodegroup
"""

EXAMPLES = r"""
- name: Drain a node group before its removal
  mlfleet.hyperpod.kubernetes_drain:
    eks_cluster: training
    region: us-west-2
    node_groups: [gpu]
    wait_timeout: 1800
  register: drained
"""

RETURN = r"""
remaining_pods:
  description:
    - Pods that have not ended, as M(mlfleet.hyperpod.kubernetes_workload_info) returns them. In check mode, the Pods to evict.
  returned: success
  type: list
  elements: dict
  sample: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: delete
      resource: Pod research/train-0
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.drain import Drain

SPEC = {
    "node_groups": {"type": "list", "elements": "str", "required": True},
    "system_pods": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 600},
    "poll_interval": {"type": "int", "default": 10},
    "_progress_file": {"type": "path"},
    **CONNECTION,
}


def drain(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    waits = Waits(
        timeout=check_number("wait_timeout", params["wait_timeout"], 0, 86400),
        interval=check_number("poll_interval", params["poll_interval"], 1, 300),
        progress=Progress(params["_progress_file"]),
    )
    work = Drain(connect_kubernetes(module), params["node_groups"], system=params["system_pods"], waits=waits)
    remaining = work.planned() if module.check_mode else work.done()
    changes = [each.to_result() for each in work.changes]
    return {"changed": bool(changes), "changes": changes, "remaining_pods": [each.to_result() for each in remaining]}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), drain)


if __name__ == "__main__":
    main()
