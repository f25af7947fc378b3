# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the actual to the desired autoscaler. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import Change, Plan, Step
from ..statuses import FAILED, IN_SERVICE
from .model import DISABLE, ENABLE, KARPENTER, Desired, State

CONTINUOUS = "Continuous"


def plan(desired: Desired, state: State) -> Plan:
    """No step sends instance groups, because the autoscaler owns their counts.

    :raises Refused: for a cluster that does not support an autoscaler, and for a different role while the autoscaler is enabled.
    """
    if not desired.present:
        return Plan(tuple(_disabling(state)))
    _check(state)
    if state.on and state.role != desired.role and not desired.replace_role:
        why = "AWS cannot change the role while the autoscaler is enabled; replace_role=true first disables the autoscaler"
        refuse_option("cluster_role", desired.role, state.role, why)
    if state.on and state.role == desired.role and state.status != FAILED:
        return Plan()
    return Plan((*_disabling(state), _enabling(desired, state)))


def _check(state: State) -> None:
    cluster = state.cluster
    if cluster.orchestrator != "eks":
        raise Refused(f"Cluster {cluster.name} uses Slurm, but managed Karpenter requires EKS.")
    if cluster.node_provisioning_mode != CONTINUOUS:
        raise Refused(
            f"Cluster {cluster.name} has no continuous provisioning, which managed Karpenter requires. AWS cannot change this for "
            "an existing cluster. Create a new cluster with node_provisioning_mode: Continuous."
        )
    if state.node_recovery == "None":
        raise Refused(
            f"Cluster {cluster.name} has node_recovery None, but managed Karpenter requires Automatic. Set node_recovery with the "
            "module cluster."
        )


def _enabling(desired: Desired, state: State) -> Step:
    changes = [Change("update", _resource(state), "mode", DISABLE, ENABLE)]
    if state.role != desired.role:
        changes.append(Change("update", _resource(state), "cluster_role", state.role or None, desired.role))
    arguments = {"AutoScaling": {"Mode": ENABLE, "AutoScalerType": KARPENTER}, "ClusterRole": desired.role}
    return _step(state, arguments, changes, mode=ENABLE, status=IN_SERVICE, role=desired.role, failure="")


def _disabling(state: State) -> t.Iterator[Step]:
    if state.on:
        change = Change("update", _resource(state), "mode", ENABLE, DISABLE)
        yield _step(state, {"AutoScaling": {"Mode": DISABLE}}, [change], mode=DISABLE, status="", failure="")


def _step(state: State, arguments: dict[str, t.Any], changes: t.Iterable[Change], **after: t.Any) -> Step:
    def effect(before: State) -> State:
        return dataclasses.replace(before, **after)

    return Step("UpdateCluster", {"ClusterName": state.cluster.arn, **arguments}, tuple(changes), effect)


def _resource(state: State) -> str:
    return f"autoscaler of cluster {state.cluster.name}"
