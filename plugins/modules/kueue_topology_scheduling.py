#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kueue_topology_scheduling
version_added: 0.1.0
short_description: Switch Kueue's topology-aware scheduling on or off
description:
  - Topology-aware scheduling of Kueue, which HyperPod task governance brings, and managed Karpenter exclude each other. HyperPod's
    guide switches off one feature gate; from Kueue 0.15 on, its manager does not start unless the gates that depend on it are off,
    too. Which ones differs from release to release.
  - Writes all of them into the file of Kueue's manager (ConfigMap C(kueue-manager-config)), starts it anew, and waits until it is
    up. If it does not come up, the file is put back, the manager is started with that, and the module fails with what the manager
    said.
  - Remembers the file as it was in the annotation C(mlfleet.hyperpod/before) until the manager is up. A run that was interrupted is
    completed by the next one.
  - A file that somebody else has changed since the manager's last rollout, as an update of the add-on may, has not reached the
    manager; it is started anew with that, too. Both times are those that Kubernetes tells, in seconds.
  - The ConfigMap belongs to the add-on; its next update may write it anew. Nothing else of it is changed.
  - C(kubernetes.core.k8s) can write the ConfigMap; it knows neither the gates of a release nor how to go back.
options:
  state:
    description:
      - What is wanted.
    type: str
    choices:
      enabled: Gates of topology-aware scheduling that are off in the file are taken out of it, so that Kueue's own values hold.
      disabled: They are off.
    required: true
  kueue_version:
    description:
      - Kueue's release, such as V(0.19.2). Required if the tag of its manager's image is neither a release of Kueue nor one of the
        add-on from v1.3 to v1.6; a newer add-on is refused without it, since its Kueue may have other gates.
    type: str
  wait_timeout:
    description:
      - Seconds until the manager must be up, V(10) to V(3600); the same again where the file is put back.
    type: int
    default: 300
  poll_interval:
    description:
      - Seconds between two looks, V(1) to V(60). The first pauses are shorter.
    type: int
    default: 5
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
  - "In Kubernetes the caller must be allowed to get and patch deployments and configmaps and to list pods in the namespace
    C(kueue-system), and to list NodePools of Karpenter."
  - Not yet run against Kueue itself, nor against live AWS. Which gates a release needs is read from Kueue's source.
seealso:
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - module: mlfleet.hyperpod.topology_info
"""

EXAMPLES = r"""
- name: Make room for Karpenter
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: disabled
    eks_cluster: training
    region: us-west-2

- name: Jobs may ask to stay close again
  mlfleet.hyperpod.kueue_topology_scheduling:
    state: enabled
    eks_cluster: training
    region: us-west-2
"""

RETURN = r"""
topology_scheduling:
  description: Kueue, in check mode as it would be; where the module fails, as it was before.
  returned: success, and a failure after Kueue was read
  type: dict
  contains:
    installed:
      description: Whether Kueue's manager is there. Without it, O(state=disabled) has nothing to do, and O(state=enabled) fails.
      type: bool
      sample: true
    enabled:
      description: Whether it schedules by topology.
      type: bool
      sample: false
    kueue_version:
      description: Kueue's release, or null where nobody knows.
      type: str
      sample: 0.19.2
    feature_gates:
      description: The gates that its file has.
      type: dict
      sample: {TopologyAwareScheduling: false, TASProfileMixed: false}
    node_pools:
      description: NodePools of Karpenter, which it excludes.
      type: list
      elements: str
      sample: [gpus]
changes:
  description: Every change that was made, or in check mode would be made.
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
OVERTAKEN = "Somebody else writes the file of Kueue's manager again and again. Run again once that has ended."


def switch(module: t.Any, seen: t.Callable[[State], object]) -> dict[str, t.Any]:
    params = module.params
    desired = options.desired(params)
    progress = Progress(params["_progress_file"])
    waits = Waits(timeout=params["wait_timeout"], interval=params["poll_interval"], progress=progress)
    kueue = Switch(connect_kubernetes(module), desired, waits, seen)
    plan, state = kueue.planned() if module.check_mode else retried(kueue.done, message=OVERTAKEN)
    changes = [change.to_result() for change in plan.changes]
    return {"changed": bool(plan), "changes": changes, "diff": plan.diff(), **result(desired, state)}


def main() -> None:
    module = aws_module(argument_spec=SPEC)
    before: list[State] = []
    with boundary(module, lambda error: result(options.desired(module.params), before[0]) if before else {}):
        module.exit_json(**switch(module, before.append))


if __name__ == "__main__":
    main()
