#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kueue_topology_scheduling
version_added: 0.1.0
short_description: Enable or disable topology-aware scheduling in Kueue
description:
  - Topology-aware scheduling in Kueue and managed Karpenter exclude each other. HyperPod task governance installs Kueue.
    HyperPod's guide disables only the feature gate C(TopologyAwareScheduling). Since Kueue 0.15, Kueue's manager does not start
    unless the gates that depend on this gate are also disabled. These gates differ between releases.
  - The module writes all of these gates into the configuration of Kueue's manager (ConfigMap C(kueue-manager-config)), restarts
    the manager, and waits until the manager is ready. If the manager does not become ready, the module restores the
    configuration, restarts the manager with it, and fails with the message of the manager.
  - Until the manager is ready, the annotation C(mlfleet.hyperpod/before) contains the previous configuration. If a run is
    interrupted, the next run completes the change.
  - If the configuration was changed after the last rollout of the manager, for example by an update of the add-on, the change is
    not yet effective. The module then also restarts the manager. It compares the times in Kubernetes, which have a resolution of
    one second.
  - The ConfigMap belongs to the add-on, and the next update of the add-on may overwrite the gates. The module changes nothing
    else in the ConfigMap.
  - C(kubernetes.core.k8s) can write the ConfigMap, but it does not know the gates of a release and cannot roll back.
options:
  state:
    description:
      - State of topology-aware scheduling.
    type: str
    choices:
      enabled: The gates of topology-aware scheduling that are disabled are removed from the configuration, so that Kueue's
        defaults apply.
      disabled: The gates are disabled.
    required: true
  kueue_version:
    description:
      - Release of Kueue, such as V(0.19.2). The module derives it from the image tag of Kueue's manager. It knows the tags of
        Kueue's releases and of the add-on versions v1.3 to v1.6. For any other tag, this option is required, because a newer
        add-on may have a Kueue with other gates.
    type: str
  wait_timeout:
    description:
      - Seconds to wait until the manager is ready, V(10) to V(3600). A rollback has the same limit.
    type: int
    default: 300
  poll_interval:
    description:
      - Seconds between two polls, V(1) to V(60). The first intervals are shorter.
    type: int
    default: 5
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
  - "Kubernetes permissions of the caller: get and patch deployments and configmaps, and list Pods, in the namespace
    C(kueue-system); list NodePools of Karpenter."
  - This module has not yet run with Kueue itself or against live AWS. The gates of each release come from the source code of
    Kueue.
seealso:
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Disable topology-aware scheduling before managed Karpenter is enabled
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: disabled
    eks_cluster: training
    region: us-west-2

- name: Enable topology-aware scheduling again
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: enabled
    eks_cluster: training
    region: us-west-2
"""

RETURN = r"""
topology_scheduling:
  description: State of Kueue. In check mode, the predicted state. After a failure, the state before the change.
  returned: success, and a failure after Kueue was read
  type: dict
  contains:
    installed:
      description: Whether Kueue's manager is installed. If not, O(state=disabled) changes nothing, and O(state=enabled) fails.
      type: bool
      sample: true
    enabled:
      description: Whether topology-aware scheduling is enabled.
      type: bool
      sample: false
    kueue_version:
      description: Release of Kueue. Null if unknown.
      type: str
      sample: 0.19.2
    feature_gates:
      description: Feature gates in the configuration of the manager.
      type: dict
      sample: {TopologyAwareScheduling: false, TASProfileMixed: false}
    node_pools:
      description: Names of Karpenter's NodePools. If there are any, topology-aware scheduling can't be enabled.
      type: list
      elements: str
      sample: [gpus]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: Kueue's manager
      field: feature gate TopologyAwareScheduling
      before: null
      after: false
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import boundary
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import retried
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.apply import Switch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.result import result

SPEC = {**options.SPEC, **CONNECTION}
CHANGES_CONCURRENTLY = "The configuration of Kueue's manager keeps changing concurrently. Run again later."


def switch(module: t.Any, seen: t.Callable[[State], object]) -> dict[str, t.Any]:
    params = module.params
    desired = options.desired(params)
    progress = Progress(params["_progress_file"])
    waits = Waits(timeout=params["wait_timeout"], interval=params["poll_interval"], progress=progress)
    kueue = Switch(connect_kubernetes(module), desired, waits, seen)
    plan, state = kueue.planned() if module.check_mode else retried(kueue.done, message=CHANGES_CONCURRENTLY)
    changes = [change.to_result() for change in plan.changes]
    return {"changed": bool(plan), "changes": changes, "diff": plan.diff(), **result(desired, state)}


def main() -> None:
    module = aws_module(argument_spec=SPEC)
    before: list[State] = []
    with boundary(module, lambda error: result(options.desired(module.params), before[0]) if before else {}):
        module.exit_json(**switch(module, before.append))


if __name__ == "__main__":
    main()
