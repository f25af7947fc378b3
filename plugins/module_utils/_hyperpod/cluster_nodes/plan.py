# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the calls for nodes, each within AWS's limits per call. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..model import Cluster, Node, require_group
from ..statuses import RUNNING
from .model import MOST_GROUPS, VERBS, Addition, Desired, State

CONTINUOUS = "Continuous"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for nodes and groups that AWS would refuse, and for a cluster that is not InService."""
    if not state.cluster.in_service:
        cluster = state.cluster
        raise Refused(
            f"Cluster {cluster.name} is {cluster.status}, and AWS changes nodes only while a cluster is InService. Run again when "
            "the cluster is InService."
        )
    if desired.state == "added":
        return Plan(tuple(_additions(desired, state)))
    there = [state.by_id[node_id] for node_id in desired.node_ids if node_id in state.by_id]
    missing = [node_id for node_id in desired.node_ids if node_id not in state.by_id]
    for node in there:
        if node.node_type == "controller":
            refuse_option("node_ids", node.instance_id, "nodes other than the Slurm controller")
    if missing and desired.state == "rebooted":
        refuse_option("node_ids", missing[0], f"nodes of cluster {state.cluster.name}", "the cluster has no such node")
    if not desired.calls:
        return Plan((_waited(desired, there, missing),))
    notes = tuple(f"{node_id} is not a node of the cluster. It was replaced, or it never existed." for node_id in missing)
    return Plan(tuple(_changes(desired, state, there)), notes=notes if desired.state == "replaced" else ())


def _changes(desired: Desired, state: State, nodes: t.Sequence[Node]) -> t.Iterator[Step]:
    for chunk in _chunks(nodes, desired.verb.most):
        yield Step(
            desired.verb.operation,
            {"ClusterName": state.cluster.arn, "NodeIds": [node.instance_id for node in chunk]},
            tuple(_change(desired.state, node) for node in chunk),
            lambda state, chunk=chunk: _after(desired.state, state, chunk),  # type: ignore[misc]
        )


def _waited(desired: Desired, there: t.Sequence[Node], missing: t.Sequence[str]) -> Step:
    """The wait for nodes whose change was requested already, including nodes that no longer exist."""
    gone = tuple(Change("update", f"node {node_id}", "instance", before=node_id, after=KNOWN_AFTER_APPLY) for node_id in missing)
    return Step(
        "wait",
        {"NodeIds": list(desired.node_ids)},
        (*(_change(desired.state, node) for node in there), *gone),
        lambda state: _after(desired.state, state, there),
    )


def _change(state: str, node: Node) -> Change:
    resource = f"node {node.instance_id} ({node.group})"
    if state == "absent":
        return Change("delete", resource)
    if state == "rebooted":
        return Change("update", resource, "boot", before=None, after="rebooted")
    return Change("update", resource, "instance", before=node.instance_id, after=KNOWN_AFTER_APPLY)


def _after(verb: str, state: State, chunk: t.Sequence[Node]) -> State:
    if verb == "rebooted":
        return state
    gone = {node.instance_id for node in chunk}
    kept = [node for node in state.nodes if node.instance_id not in gone]
    new = [_new(node) for node in chunk] if verb == "replaced" else []
    return dataclasses.replace(state, nodes=(*kept, *new))


def _new(node: Node) -> Node:
    return dataclasses.replace(node, instance_id=KNOWN_AFTER_APPLY, status=RUNNING, launch_time=KNOWN_AFTER_APPLY)


def _additions(desired: Desired, state: State) -> t.Iterator[Step]:
    cluster = state.cluster
    if cluster.node_provisioning_mode != CONTINUOUS:
        why = f"cluster {cluster.name} does not use node_provisioning_mode {CONTINUOUS}"
        refuse_option("state", "added", "absent, rebooted, replaced", why)
    for addition in desired.additions:
        require_group(cluster, addition.group, option="instance_groups")
    for chunk in _within_limits(desired.additions):
        yield Step(
            desired.verb.operation,
            {"ClusterName": cluster.arn, "NodesToAdd": [_request(each) for each in chunk]},
            tuple(Change("create", f"nodes of group {each.group}", after=each.count) for each in chunk),
            lambda state, chunk=chunk: _grown(state, chunk),  # type: ignore[misc]
        )


def _request(addition: Addition) -> dict[str, t.Any]:
    """The request for an addition, without empty lists, which AWS refuses."""
    request = {
        "InstanceGroupName": addition.group,
        "IncrementTargetCountBy": addition.count,
        "AvailabilityZones": list(addition.zones),
        "InstanceTypes": list(addition.types),
    }
    return {name: value for name, value in request.items() if value}


def _grown(state: State, chunk: t.Sequence[Addition]) -> State:
    new = [_blank(state.cluster, each) for each in chunk for _turn in range(each.count)]
    return dataclasses.replace(state, nodes=(*state.nodes, *new))


def _blank(cluster: Cluster, addition: Addition) -> Node:
    group = require_group(cluster, addition.group, option="instance_groups")
    return Node(KNOWN_AFTER_APPLY, group.name, group.node_type, group.instance_type, RUNNING, "", KNOWN_AFTER_APPLY, "")


def _chunks(nodes: t.Sequence[Node], most: int) -> t.Iterator[t.Sequence[Node]]:
    for start in range(0, len(nodes), most):
        yield nodes[start : start + most]


def _within_limits(additions: t.Iterable[Addition]) -> t.Iterator[list[Addition]]:
    """Chunks within the limits of nodes and groups per call."""
    chunk: list[Addition] = []
    for each in additions:
        if len(chunk) == MOST_GROUPS or sum(other.count for other in chunk) + each.count > VERBS["added"].most:
            yield chunk
            chunk = []
        chunk.append(each)
    yield chunk
