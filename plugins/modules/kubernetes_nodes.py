#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_nodes
version_added: 0.1.0
short_description: Cordon nodes of Kubernetes, wait for pods that have their accelerators, ask HyperPod for repairs, uncordon them
description:
  - Before machines of a HyperPod cluster with Amazon EKS are rebooted or replaced. Cordons their nodes, and waits until no pod
    is left on them that has asked for accelerators. No pod is evicted or deleted.
  - Remembers in the annotation C(mlfleet.hyperpod/cordoned-for) which nodes it has cordoned, and why. What somebody else has
    cordoned stays so, and is never uncordoned.
  - C(kubernetes.core.k8s_drain) evicts the pods, which ends a training job, and uncordons whatever is cordoned.
options:
  state:
    description:
      - What is wanted.
    type: str
    choices:
      cordoned: The nodes get no new pods, and were waited for as O(wait_for) says.
      uncordoned: Nodes that this module has cordoned for O(reason) get pods again. Nobody waits.
      asked: HyperPod is asked for what O(asks_for) says, by the label C(sagemaker.amazonaws.com/node-health-status). It acts by
        itself then, whoever works on the node; it is waited for until the label or the node is gone.
    required: true
  node_ids:
    description:
      - Instance IDs of the nodes. The name of a node in Kubernetes is C(hyperpod-) and its ID. One that Kubernetes does not have
        is left out.
    type: list
    elements: str
    required: true
  reason:
    description:
      - Why the nodes get no pods. With O(state=uncordoned), what the reason begins with. Required with both.
    type: str
    default: ""
  asks_for:
    description:
      - What HyperPod is asked for. Required with O(state=asked).
    type: str
    choices: [reboot, replace]
  pods:
    description:
      - What to do while pods have accelerators of nodes that are to be cordoned.
    type: str
    choices:
      wait: They are waited for, up to O(wait_timeout).
      refuse: Nothing is changed, and the module fails.
    default: wait
  wait_for:
    description:
      - What is waited for once the nodes are cordoned.
    type: str
    choices:
      idle: That no pod has their accelerators.
      ready: That Kubernetes has the nodes, and their kubelets start pods, as after a reboot. Nodes that come are cordoned, too.
    default: idle
  wait_timeout:
    description:
      - Seconds to wait, V(0) to V(86400). What is not so by then is returned, and no failure, but for O(state=asked).
    type: int
    default: 0
  poll_interval:
    description:
      - Seconds between two looks, V(1) to V(300). The first pauses are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
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
  - "In Kubernetes the caller must be allowed to list and patch nodes, and to list the pods of all namespaces."
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.accelerator_jobs
  - module: mlfleet.hyperpod.cluster_nodes
  - module: kubernetes.core.k8s_drain
"""

EXAMPLES = r"""
- name: No new pods; up to an hour for those that train
  mlfleet.hyperpod.kubernetes_nodes:
    state: cordoned
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    reason: memory errors, ticket 4711
    wait_timeout: 3600
  register: cordoned

- name: Ask HyperPod for another machine, and wait until the node is gone
  mlfleet.hyperpod.kubernetes_nodes:
    state: asked
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    asks_for: replace
    wait_timeout: 14400

- name: Back to work
  mlfleet.hyperpod.kubernetes_nodes:
    state: uncordoned
    eks_cluster: training
    region: us-west-2
    node_ids: [i-0123456789abcdef0]
    reason: memory errors
"""

RETURN = r"""
nodes:
  description: The nodes, in the order of O(node_ids); in check mode as they would be.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: The node's instance ID.
      type: str
      sample: i-0123456789abcdef0
    kubernetes:
      description:
        - What Kubernetes says of the node, as M(mlfleet.hyperpod.accelerator_jobs) returns it, or null where it has no such node.
      type: dict
      sample: {name: hyperpod-i-0123456789abcdef0, unschedulable: true, cordoned_for: "memory errors, ticket 4711", pods: []}
changes:
  description: Every change that was made, or in check mode would be made.
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
