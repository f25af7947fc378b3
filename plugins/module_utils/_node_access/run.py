# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The module ``node_access``, from its parameters to its result."""

from __future__ import annotations

import dataclasses
import sys
import typing as t

from .._aws.client import connect
from .._core.arn import ClusterArn
from .._core.finding import to_result
from .._core.plan import Change, Plan, Step
from .._hyperpod.api import HyperPod, connect_hyperpod
from .._hyperpod.model import Cluster, Node, check_node_types
from .._lock.run import take_lock
from . import options
from .apply import AT_ONCE, Sessions, settled, stale_changes
from .known_hosts import write_known_hosts, write_wrapper
from .model import Operations, Record
from .people import Declared, Given, declare, pending, settle
from .plan import TrustPlan, make_plan
from .record import Recorded, Records
from .result import after, findings, host_key_lines

PEOPLE = "record of users on nodes"

Result = dict[str, t.Any]


def present(module: t.Any) -> Result:
    """Observe, plan and run sessions, and write the files for connections."""
    params = module.params
    declared = Declared.from_option(params["people"])
    operations = options.operations(params)
    node_types = check_node_types(params["node_types"])
    options.check_limits(params)
    api = connect_hyperpod(module)
    cluster = api.require_cluster(params["cluster_arn"], node_types=node_types)
    sessions = _sessions(module, cluster, operations)
    nodes, recorded, plan = _look(api, sessions, declared, params)
    if plan and not module.check_mode and take_lock(module):
        nodes, recorded, plan = _look(api, sessions, declared, params)
    given = _announced(recorded, declared) or recorded.given
    forgotten = stale_changes(plan) if module.check_mode else sessions.forget(plan)
    outcomes = [settled(each) for each in plan.nodes] if module.check_mode else sessions.carry_out(plan)
    changes = [change for outcome in outcomes for change in outcome.changes] + forgotten
    lines = host_key_lines(cluster, nodes, after(recorded, outcomes))
    if params["_proxy_script"]:
        write_wrapper(params["state_dir"], python=sys.executable, script=params["_proxy_script"])
    all_lines = [line for node_lines in lines.values() for line in node_lines]
    return _result(
        changes,
        nodes={outcome.node.instance_id: outcome.to_result() for outcome in outcomes},
        host_keys=lines,
        known_hosts=write_known_hosts(params["state_dir"], cluster.id, all_lines),
        behind=[each.instance_id for each in nodes if declared and (given is None or given.lacks(each.instance_id))],
        unannounced=_announced(recorded, declared) is not None,
        **to_result(findings(outcomes)),
    )


def announced(module: t.Any) -> Result:
    """Record, before the first node gets ``people``, that nodes do not have them yet."""
    params = module.params
    declared = Declared.from_option(params["people"])
    cluster = connect_hyperpod(module).require_cluster(params["cluster_arn"])
    records = _records(module)
    recorded = records.load(cluster.id)
    given = _announced(recorded, declared)
    if given and not module.check_mode:
        if take_lock(module):
            recorded = records.load(cluster.id)
            given = _announced(recorded, declared)
        if given:
            records.save_given(cluster.id, given)
    return _result(_given_changes(recorded.given, given))


def configured(module: t.Any) -> Result:
    """Record that the nodes in ``instance_ids`` were configured. Nodes without a trust record are skipped.

    With ``people``, also record which nodes have them, and report the other nodes.
    """
    params = module.params
    declared = Declared.from_option(params["people"])
    api = connect_hyperpod(module)
    cluster = api.require_cluster(params["cluster_arn"])
    listed = [node.instance_id for node in api.nodes(cluster)] if declared else []
    records = _records(module)

    def look() -> tuple[list[Record], Given | None, list[Change]]:
        recorded = records.load(cluster.id)
        known = [recorded.records[each] for each in params["instance_ids"] if each in recorded.records]
        due = [record for record in known if not record.configured]
        changes = [Change("update", f"trust record of {each.triple[0]}", "configured", False, True) for each in due]
        if declared is None:
            return due, None, changes
        foreseen = _announced(recorded, declared) if module.check_mode else None
        given = settle(foreseen or recorded.given, declared, listed=listed, seen=params["seen"])
        return due, given, changes + _given_changes(recorded.given, given)

    due, given, changes = look()
    if changes and not module.check_mode:
        if take_lock(module):
            due, given, changes = look()
        for record in due:
            records.save(cluster.id, dataclasses.replace(record, configured=True))
        if given is not None and any(change.resource == PEOPLE for change in changes):
            records.save_given(cluster.id, given)
    return _result(changes, **to_result(pending(given, declared, listed=listed) if given and declared else []))


def absent(module: t.Any) -> Result:
    """Delete the cluster's records and, outside check mode, its lines in known_hosts. With ``instance_ids``, delete only the
    records of these nodes; the next run removes their lines when it creates their trust records again."""
    params = module.params
    cluster_id = ClusterArn.parse(params["cluster_arn"]).id
    records = _records(module)
    recorded = records.load(cluster_id)
    chosen = params["instance_ids"]
    names = recorded.names if chosen is None else recorded.names & set(chosen)
    plan = TrustPlan(nodes=(), stale=tuple(sorted(names)))
    given = recorded.given if chosen is None else None
    changes = stale_changes(plan) + ([Change("delete", PEOPLE)] if given else [])
    known_hosts = f"{params['state_dir']}/known_hosts"
    if changes and not module.check_mode:
        take_lock(module)
        records.delete(cluster_id, plan.stale)
        if given:
            records.forget_given(cluster_id)
    if chosen is not None:
        return _result(changes, forgotten=list(plan.stale), nodes={}, host_keys={}, known_hosts=known_hosts)
    if not module.check_mode:
        known_hosts = write_known_hosts(params["state_dir"], cluster_id, [])
    return _result(changes, nodes={}, host_keys={}, known_hosts=known_hosts)


def _announced(recorded: Recorded, declared: Declared | None) -> Given | None:
    """The record before a node gets a different declaration, so that every node is checked even if the run is interrupted.

    None if the record has the current declaration, or if no record exists: all nodes are then checked anyway.
    """
    if declared is None or recorded.given is None or recorded.given.version == declared.version:
        return None
    return declare(recorded.given, declared)


def _given_changes(before: Given | None, after: Given | None) -> list[Change]:
    if after is None or after == before:
        return []
    action, old = ("create", None) if before is None else ("update", before.shown_behind)
    return [Change(action, PEOPLE, "not checked since the last change", old, after.shown_behind)]


def _look(
    api: HyperPod, sessions: Sessions, declared: Declared | None, params: t.Mapping[str, t.Any]
) -> tuple[tuple[Node, ...], Recorded, TrustPlan]:
    nodes = api.nodes(sessions.cluster)
    recorded = sessions.records.load(sessions.cluster.id)
    desired = options.desired(params, sessions.cluster, nodes, people=declared)
    return nodes, recorded, make_plan(nodes, recorded=recorded, desired=desired, operations=sessions.operations)


def _records(module: t.Any) -> Records:
    return Records(connect(module, "ssm", max_pool_connections=AT_ONCE).client)


def _sessions(module: t.Any, cluster: Cluster, operations: Operations) -> Sessions:
    params = module.params
    return Sessions(
        cluster=cluster,
        records=_records(module),
        operations=operations,
        profile=params["profile"],
        state_dir=params["state_dir"],
        timeout=params["timeout"],
    )


def _result(changes: t.Sequence[Change], **result: t.Any) -> Result:
    return {
        "changed": bool(changes),
        "changes": [change.to_result() for change in changes],
        "diff": Plan(steps=(Step("", {}, tuple(changes)),)).diff(),
        **result,
    }
