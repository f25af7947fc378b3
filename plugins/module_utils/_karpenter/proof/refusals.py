# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks that refuse a proof before the first change. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.text import printable
from ..duration import NEVER
from ..model import NodeClass, NodePool
from ..pods import Pod
from .model import QUEUED, Candidate, Desired, State
from .options import refuse_namespace

EMPTY = "Empty"
"""Karpenter's reason for removing a node without Pods."""


def check(desired: Desired, state: State) -> Candidate:
    """The instance type of the proof.

    :raises Refused: for the first reason against the proof.
    """
    _check_scaler(state)
    pool = _check_pool(desired, state)
    _check_class(pool, state)
    choice = _choice(desired, state)
    _check_way_back(pool)
    _check_namespace(desired, state)
    _check_idle(desired, state, choice)
    return choice


def _check_scaler(state: State) -> None:
    scaler, cluster = state.outside.autoscaling, state.outside.cluster
    if cluster.orchestrator != "eks":
        raise Refused(f"Cluster {cluster.name} uses Slurm; managed Karpenter requires EKS.")
    if not scaler.works:
        why = f" ({printable(scaler.failure)})" if scaler.failure else ""
        raise Refused(
            f"The autoscaler of cluster {cluster.name} is {printable(scaler.status) or 'not enabled'}{why}, so no node would be "
            "added. Enable the autoscaler with the module cluster_autoscaling."
        )
    if not state.inside.defined:
        raise Refused(
            f"The EKS cluster of cluster {cluster.name} does not have Karpenter's custom resource definitions, although the "
            "autoscaler is InService. Check that kubeconfig and context belong to this EKS cluster."
        )


def _check_pool(desired: Desired, state: State) -> NodePool:
    pool = state.inside.pool(desired.node_pool)
    if pool is None:
        names = ", ".join(printable(each.meta.name) for each in state.inside.pools) or "none"
        refuse_option("node_pool", desired.node_pool, names, "the NodePool does not exist")
    if pool.meta.leaving:
        raise Refused(f"NodePool {pool.meta.name} is being deleted, so it gets no nodes. Name a different one.", option="node_pool")
    return pool


def _check_class(pool: NodePool, state: State) -> None:
    """Check the NodeClass first, because a pool is not ready if its NodeClass is not ready."""
    node_class, name = state.inside.node_class(pool.node_class), printable(pool.node_class)
    if node_class is None:
        raise Refused(f"NodePool {pool.meta.name} refers to HyperpodNodeClass {name}, which does not exist.", option="node_pool")
    for kind, each in (("HyperpodNodeClass", node_class), ("NodePool", pool)):
        if not each.status.ready:
            why = printable(each.status.why_not_ready).rstrip(".") or "it has no condition Ready yet"
            raise Refused(f"{kind} {printable(each.meta.name)} is not ready: {why}. Fix this problem first.", option="node_pool")
    _check_groups(pool, node_class, state)


def _check_groups(pool: NodePool, node_class: NodeClass, state: State) -> None:
    there = state.outside.groups
    if not there.keys() & set(node_class.groups):
        named = ", ".join(map(printable, node_class.groups)) or "none"
        raise Refused(
            f"NodePool {pool.meta.name} has no instance group: HyperpodNodeClass {printable(pool.node_class)} names {named}, "
            f"but cluster {state.outside.cluster.name} has {', '.join(sorted(there))}.",
            option="node_pool",
        )
    if not state.candidates:
        raise Refused(
            f"NodePool {pool.meta.name} can't get a node: no group of HyperpodNodeClass {printable(pool.node_class)} "
            "has an instance type that meets the NodePool's requirements.",
            option="node_pool",
        )


def _choice(desired: Desired, state: State) -> Candidate:
    if not desired.instance_type:
        return state.candidates[0]
    found = next((each for each in state.candidates if each.instance_type == desired.instance_type), None)
    if found is None:
        allowed = ", ".join(printable(each.instance_type) for each in state.candidates)
        refuse_option("instance_type", desired.instance_type, allowed, f"NodePool {desired.node_pool} does not offer it")
    return found


def _check_way_back(pool: NodePool) -> None:
    if pool.consolidate_after == NEVER:
        raise Refused(
            f"NodePool {pool.meta.name} has consolidateAfter Never, so Karpenter would not remove the empty node after the proof, "
            "and the node would continue to cost money. Set a duration such as 30s for the proof.",
            option="node_pool",
        )
    for budget in pool.budgets:
        none = str(budget.get("nodes")) in ("0", "0%")
        if none and EMPTY in (budget.get("reasons") or (EMPTY,)) and not budget.get("schedule"):
            raise Refused(
                f"NodePool {pool.meta.name} has a disruption budget of {budget['nodes']} nodes, so Karpenter would not remove the "
                "empty node after the proof. Set a budget that allows the removal of empty nodes.",
                option="node_pool",
            )


def _check_namespace(desired: Desired, state: State) -> None:
    if state.namespace is None:
        refuse_option("namespace", desired.namespace, "a namespace of the EKS cluster", "it does not exist")
    if state.namespace.get(QUEUED) == "true":
        refuse_namespace(desired.namespace)
    if state.denied:
        denial = state.denied.rstrip(".")
        raise Refused(f"{denial}. Choose a namespace where the caller may create and delete such a Pod.", option="namespace")


def _check_idle(desired: Desired, state: State, choice: Candidate) -> None:
    """Refuse a proof while Pods use nodes of the type. Nodes without Pods are no reason: the proof waits until they are removed."""
    leftovers = state.leftovers(desired)
    busy = [printable(each) for each in _busy(desired, state, choice, leftovers)]
    if busy:
        raise Refused(
            f"NodePool {desired.node_pool} already has nodes of {choice.instance_type} in use: {', '.join(busy)}. A proof starts "
            "without such nodes. Use a different instance_type, or wait until the nodes are removed.",
            option="node_pool",
        )


def _busy(desired: Desired, state: State, choice: Candidate, leftovers: t.Sequence[Pod]) -> t.Iterator[str]:
    for claim in state.claims(desired, choice.instance_type):
        pods = [pod for pod in state.inside.on(claim) if pod not in leftovers]
        if pods:
            more = f" and {len(pods) - 1} more" if pods[1:] else ""
            yield f"{claim.node} (pod {pods[0].full_name}{more})"
        elif not claim.node and not claim.meta.leaving and not leftovers:
            yield f"NodeClaim {claim.meta.name}, whose node is starting"
