# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares a cluster and the instance groups of a NodeClass with the requirements of managed Karpenter."""

from __future__ import annotations

import re
import typing as t

from .keda import Keda
from .model import InKubernetes, Remediable, Requested, ScaledGroup, State

OLDEST_AGENT = "1.0.742.0_1.0.241.0"
MOST_GROUPS = 10
"""The maximum number of instance groups in a NodeClass."""
SERVED = "v1"


def judge(requested: Requested, state: State) -> list[Remediable]:
    """All requirements, in the order in which to fix them."""
    there = state.cluster.orchestrator
    on_eks = Remediable("orchestrator", there == "eks", there, "eks", "Managed Karpenter requires EKS.")
    if state.kubernetes is None:
        return [on_eks]
    groups = [state.groups[name] for name in requested.groups if name in state.groups]
    keda = state.kubernetes.keda
    of_keda = _of_keda(keda, requested) if keda else ()
    return [on_eks, *_of_cluster(state), *_of_kubernetes(state.kubernetes), *of_keda, *_of_groups(requested, state, groups)]


def _of_cluster(state: State) -> t.Iterator[Remediable]:
    mode, recovery = state.cluster.node_provisioning_mode, state.node_recovery
    yield Remediable(
        "node provisioning mode",
        mode == "Continuous",
        mode or "none",
        "Continuous",
        "Create a new cluster with node_provisioning_mode: Continuous. The mode of an existing cluster cannot be changed.",
    )
    yield Remediable(
        "node recovery",
        recovery != "None",
        recovery or "unknown",
        "Automatic",
        "Set node_recovery: Automatic in the cluster's definition.",
    )


def _of_kubernetes(there: InKubernetes) -> t.Iterator[Remediable]:
    yield Remediable(
        "health monitoring agent",
        _new_enough(there.agent),
        there.agent or "missing",
        f"{OLDEST_AGENT} or newer",
        "Install or upgrade HyperPod's Helm chart. The agent is in namespace aws-hyperpod.",
    )
    yield _each(
        "Karpenter's definitions",
        [f"{name} serves {', '.join(served)}" for name, served in there.definitions.items() if SERVED not in served],
        f"{SERVED} in each definition that exists",
        "Upgrade your self-managed Karpenter to 1.0 or newer.",
    )
    yield Remediable(
        "topology-aware scheduling",
        not there.topology_aware.on,
        there.topology_aware.why,
        "off",
        "Karpenter does not support topology-aware scheduling. Set karpenter_disables_topology_scheduling to switch it off.",
    )


def _of_keda(keda: Keda, requested: Requested) -> t.Iterator[Remediable]:
    yield Remediable(
        "KEDA",
        keda.defined and bool(keda.operator),
        keda.operator or ("no operator" if keda.defined else "missing"),
        "KEDA with its operator",
        "Install KEDA, or HyperPod's inference operator, which includes it.",
    )
    types = dict.fromkeys(each.type for each in requested.keda_triggers if each.needs_operator)
    if types and keda.operator:
        yield Remediable(
            "KEDA's identity",
            None if keda.role is None else bool(keda.role),
            keda.role or ("unknown" if keda.role is None else f"none for {keda.operator}"),
            f"an IAM role for {', '.join(types)}",
            "Give the service account a role, by the annotation eks.amazonaws.com/role-arn or by EKS Pod Identity. Or give each "
            "trigger its own authentication.",
        )


def _of_groups(requested: Requested, state: State, groups: t.Sequence[ScaledGroup]) -> t.Iterator[Remediable]:
    yield _each(
        "instance groups",
        [_missing(name, state.node_class_of(name)) for name in requested.groups if name not in state.groups],
        "groups of the cluster",
        f"Add the groups to the cluster's definition, or remove them from NodeClass {requested.node_class}.",
    )
    yield Remediable(
        "number of groups",
        len(requested.groups) <= MOST_GROUPS,
        str(len(requested.groups)),
        f"at most {MOST_GROUPS} in NodeClass {requested.node_class}",
        "Use several NodeClasses, or groups with several instance types (instance_requirements).",
    )
    yield _each(
        "nodes of new groups",
        [f"{group.name} has {group.nodes}" for group in groups if group.nodes and state.is_new(group.name)],
        "0",
        "Scale the groups to 0 first: Karpenter removes a group's existing nodes when a NodeClass selects the group, or when the "
        "autoscaler is switched on.",
    )
    yield _each(
        "zones",
        [
            f"{group.name} is in {', '.join(group.zones) or 'no known zone'}"
            for group in groups
            if len(group.zones) != 1 and not group.flexible
        ],
        "one per group, unless the group has several instance types",
        "Give each group subnets of one zone (override_vpc_config).",
    )
    yield _each(
        "deep health checks",
        [f"{group.name} has {', '.join(group.deep_health_checks)}" for group in groups if group.deep_health_checks],
        "none",
        "Use groups without on_start_deep_health_checks. The checks take up to an hour, and Karpenter adds more nodes meanwhile.",
    )
    yield _each(
        "training plans",
        [f"{group.name} has {group.training_plan}" for group in groups if group.training_plan],
        "none",
        "Use groups without training_plan_arn. Karpenter does not use reserved capacity.",
    )
    yield _each(
        "offerings",
        [text for group in groups for text in _not_offered(group, state.offered)],
        "a type that EC2 offers in the zone; a group with several types needs only one such type in one of its zones",
        "Choose a different zone or a different instance type.",
    )


def _missing(group: str, node_class: str) -> str:
    return f"{group} of NodeClass {node_class} no longer exists" if node_class else f"{group} does not exist"


def _not_offered(group: ScaledGroup, offered: t.Collection[tuple[str, str]]) -> list[str]:
    """Why EC2 cannot provide the group. EC2 need not offer all types of a flexible group in all of the group's zones."""
    missing = [(name, zone) for name in group.types for zone in group.zones if (name, zone) not in offered]
    if not group.flexible:
        return [f"{name} is not offered in {zone}" for name, zone in missing]
    if not group.zones or len(missing) < len(group.types) * len(group.zones):
        return []
    return [f"{group.name}: none of {', '.join(group.types)} is offered in {', '.join(group.zones)}"]


def _each(name: str, wrong_ones: t.Sequence[str], needed: str, remedy: str) -> Remediable:
    return Remediable(name, not wrong_ones, "; ".join(wrong_ones) or "as needed", needed, remedy)


def _new_enough(agent: str | None) -> bool | None:
    """Whether the agent is new enough; None for a tag that is not a version, such as ``latest``."""
    if agent is None:
        return False
    return _numbers(agent) >= _numbers(OLDEST_AGENT) if re.fullmatch(r"\d[\d._]*", agent) else None


def _numbers(version: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", version)]
