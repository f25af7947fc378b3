#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_nodes
version_added: 0.1.0
short_description: Cordon Kubernetes nodes, wait until they are idle, and uncordon them
description:
  - Prepares nodes of a HyperPod cluster with Amazon EKS for a reboot or replacement. The module cordons the nodes, and waits
    until they run no Pods that requested accelerators. It never evicts or deletes Pods. It can also request the reboot or
    replacement from HyperPod.
  - The annotation C(mlfleet.hyperpod/cordoned-for) records which nodes the module has cordoned, and why. The module does not
    uncordon nodes that were cordoned in a different way.
  - In contrast, C(kubernetes.core.k8s_drain) evicts Pods, which ends a training job, and uncordons any cordoned node.
options:
  state:
    description:
      - Desired state of the nodes.
    type: str
    choices:
      cordoned: The nodes get no new Pods, and the module waits for O(wait_for).
      uncordoned: Nodes that this module has cordoned for O(reason) get Pods again. The module does not wait.
      asked: >-
        The label C(sagemaker.amazonaws.com/node-health-status) requests the repair in O(asks_for) from HyperPod. HyperPod then
        acts even if the node runs Pods. The module waits until HyperPod has removed the label or the node.
    required: true
  node_ids:
    description:
      - Instance IDs of the nodes. The name of a node in Kubernetes is C(hyperpod-INSTANCE_ID). A node that Kubernetes does not
        have is ignored.
    type: list
    elements: str
    required: true
  reason:
    description:
      - Why the nodes are cordoned. With O(state=uncordoned), the beginning of the recorded reason is enough. Required with
        O(state=cordoned) and O(state=uncordoned).
    type: str
    default: ""
  asks_for:
    description:
      - Repair to request from HyperPod. Required with O(state=asked).
    type: str
    choices: [reboot, replace]
  pods:
    description:
      - What to do if Pods use accelerators of the nodes to cordon.
    type: str
    choices:
      wait: The module waits for the Pods, up to O(wait_timeout).
      refuse: The module fails and changes nothing.
    default: wait
  wait_for:
    description:
      - Condition for which the module waits after it has cordoned the nodes.
    type: str
    choices:
      idle: No Pod uses accelerators of the nodes.
      ready: >-
        Kubernetes has the nodes, and their kubelets start Pods. This is useful after a reboot. Nodes that join meanwhile are also
        cordoned.
    default: idle
  wait_timeout:
    description:
      - Seconds to wait, V(0) to V(86400). After this time, the module returns the current state. It fails only with
        O(state=asked).
    type: int
    default: 0
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
    support: full
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
  - "Kubernetes permissions of the caller: list and patch nodes, and list the Pods of all namespaces."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.accelerator_jobs
  - module: mlfleet.hyperpod.cluster_nodes
  - module: kubernetes.core.k8s_drain
"""

EXAMPLES = r"""
- name: Cordon a node, and wait up to an hour for its Pods
  mlfleet.hyperpod.kubernetes_nodes:
    state: cordoned
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    reason: memory errors, ticket 4711
    wait_timeout: 3600
  register: cordoned

- name: Request a replacement from HyperPod, and wait until the node is removed
  mlfleet.hyperpod.kubernetes_nodes:
    state: asked
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    asks_for: replace
    wait_timeout: 14400

- name: Uncordon the node
  mlfleet.hyperpod.kubernetes_nodes:
    state: uncordoned
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    reason: memory errors
"""

RETURN = r"""
nodes:
  description: The nodes, in the order of O(node_ids). In check mode, the predicted nodes.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: Instance ID of the node.
      type: str
      sample: i-0123456789abcdef0
    kubernetes:
      description:
        - State of the node in Kubernetes, as M(mlfleet.hyperpod.accelerator_jobs) returns it. Null if Kubernetes does not have
          the node.
      type: dict
      sample: {name: hyperpod-i-0123456789abcdef0, unschedulable: true, cordoned_for: "memory errors, ticket 4711", pods: []}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: node hyperpod-i-0123456789abcdef0
      field: cordoned
      before: null
      after: memory errors, ticket 4711
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.apply import Cordons
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.result import result

SPEC = {**options.SPEC, **CONNECTION}


def cordon(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    desired = options.desired(params)
    progress = Progress(params["_progress_file"])
    waits = Waits(timeout=params["wait_timeout"], interval=params["poll_interval"], progress=progress)
    cordons = Cordons(connect_kubernetes(module), desired, waits)
    plan, state = cordons.planned() if module.check_mode else cordons.done()
    changes = [change.to_result() for change in plan.changes]
    return {"changed": bool(plan), "changes": changes, "diff": plan.diff(), **result(desired, state)}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), cordon)


if __name__ == "__main__":
    main()
