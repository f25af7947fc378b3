#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kueue_topology_scheduling
version_added: 0.1.0
short_description: Enable or disable topology-aware scheduling of Kueue
description:
  - Topology-aware scheduling of Kueue, which HyperPod task governance installs, and managed Karpenter exclude each other. The
    guide of HyperPod disables one feature gate. From Kueue 0.15 on, its manager does not start unless the gates that depend on it
    are also disabled; they differ between releases.
  - Writes all of these gates into the configuration of Kueue's manager (ConfigMap C(kueue-manager-config)), restarts the manager,
    and waits until it is up. If it does not come up, the module restores the configuration, restarts the manager with it, and
    fails with the message of the manager.
  - Stores the previous configuration in the annotation C(mlfleet.hyperpod/before) until the manager is up. If a run is
    interrupted, the next one completes it.
  - A change of the configuration by others after the last rollout of the manager, for example by an update of the add-on, is not
    effective yet; the module then also restarts the manager. It compares the times in Kubernetes, in seconds.
  - The ConfigMap belongs to the add-on, whose next update may overwrite it. The module changes nothing else in it.
  - C(kubernetes.core.k8s) can write the ConfigMap, but does not support the gates of a release or a rollback.
options:
  state:
    description:
      - State of topology-aware scheduling.
    type: str
    choices:
      enabled: Disabled gates of topology-aware scheduling are removed from the configuration, so that Kueue's defaults apply.
      disabled: The gates are disabled.
    required: true
  kueue_version:
    description:
      - Release of Kueue, such as V(0.19.2). Required if the image tag of its manager is neither a release of Kueue nor one of the
        add-on from v1.3 to v1.6. A newer add-on is refused without it, because its Kueue may have other gates.
    type: str
  wait_timeout:
    description:
      - Seconds to wait until the manager is up, V(10) to V(3600). A rollback has the same limit.
    type: int
    default: 300
  poll_interval:
    description:
      - Seconds between two polls, V(1) to V(60). The first intervals are shorter.
    type: int
    default: 5
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource that is waited for.
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
  - "Kubernetes permissions of the caller: get and patch deployments and configmaps, and list pods, in the namespace
    C(kueue-system); list NodePools of Karpenter."
  - Not yet run with Kueue itself or against live AWS. The gates of a release come from the source of Kueue.
seealso:
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Disable it before managed Karpenter is enabled
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: disabled
    eks_cluster: training
    region: us-west-2

- name: Enable it again
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: enabled
    eks_cluster: training
    region: us-west-2
"""

RETURN = r"""
topology_scheduling:
  description: State of Kueue. In check mode, as it would be. After a failure, as it was before.
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
      description: Gates in the configuration.
      type: dict
      sample: {TopologyAwareScheduling: false, TASProfileMixed: false}
    node_pools:
      description: NodePools of Karpenter, which exclude topology-aware scheduling.
      type: list
      elements: str
      sample: [gpus]
changes:
  description: Changes that were made, or would be made in check mode.
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
CHANGES_CONCURRENTLY = "The configuration of Kueue's manager keeps changing concurrently; run again later."


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
