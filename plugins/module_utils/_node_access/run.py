# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The module node_access from parameters to result."""

from __future__ import annotations

import dataclasses
import sys
import typing as t

from .._aws.client import connect
from .._core.arn import ClusterArn
from .._core.converge import Module
from .._core.failure import refuse_option
from .._core.finding import to_result
from .._core.plan import Change, Plan, Step
from .._hyperpod.api import HyperPod, connect_hyperpod
from .._hyperpod.model import Cluster, Node, check_node_types, require_group
from .._lock.run import take_lock
from .apply import Gate, settled, stale_changes
from .known_hosts import write_known_hosts, write_wrapper
from .model import Operations, Record
from .people import Declared, Given, declare, pending, settle
from .plan import TrustPlan, Wanted, make_plan
from .record import Recorded, Records
from .result import after, findings, host_key_lines

PEOPLE = "record of people on nodes"


def present(module: t.Any) -> t.NoReturn:
    """Observe, plan, carry out, lay the files of the connection."""
    params = module.params
    declared = Declared.from_option(params["people"])
    operations = Operations.from_params(params)
    node_types = check_node_types(params["node_types"])
    for option in ("threads", "timeout"):
        if params[option] < 1:
            refuse_option(option, params[option], "it must be 1 or more")
    api = connect_hyperpod(module)
    cluster = api.require_cluster(params["cluster_arn"], node_types=node_types)
    gate = _gate(module, cluster, operations)
    nodes, recorded, plan = _look(api, gate, declared, params)
    if plan and not module.check_mode and take_lock(module):
        nodes, recorded, plan = _look(api, gate, declared, params)
    given = _announced(recorded, declared) or recorded.given
    forgotten = stale_changes(plan) if module.check_mode else gate.forget(plan)
    outcomes = [settled(each) for each in plan.nodes] if module.check_mode else gate.carry_out(plan)
    changes = [change for outcome in outcomes for change in outcome.changes] + forgotten
    lines = host_key_lines(cluster, nodes, after(recorded, outcomes))
    if params["proxy_script"]:
        write_wrapper(params["state_dir"], python=sys.executable, script=params["proxy_script"])
    all_lines = [line for node_lines in lines.values() for line in node_lines]
    _exit(
        module,
        changes,
        nodes={outcome.node.instance_id: outcome.to_result() for outcome in outcomes},
        host_keys=lines,
        known_hosts=write_known_hosts(params["state_dir"], cluster.id, all_lines),
        behind=[each.instance_id for each in nodes if declared and (given is None or given.lacks(each.instance_id))],
        unannounced=_announced(recorded, declared) is not None,
        **to_result(findings(outcomes)),
    )


def announced(module: t.Any) -> t.NoReturn:
    """Record that nodes are about to get ``people``, before the first one does."""
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
    _exit(module, _given_changes(recorded.given, given))


def configured(module: t.Any) -> t.NoReturn:
    """Record that the nodes in ``instance_ids`` were configured; a node without a record stays without.

    With ``people`` also which nodes have those, and tell which have not.
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
    _exit(module, changes, **to_result(pending(given, declared, listed=listed) if given and declared else []))


def absent(module: t.Any) -> t.NoReturn:
    """Forget the cluster: its records, and in a real run its lines in known_hosts. Or the records of some nodes, whose
    lines in known_hosts go when the next run trusts them anew."""
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
        _exit(module, changes, forgotten=list(plan.stale), nodes={}, host_keys={}, known_hosts=known_hosts)
    if not module.check_mode:
        known_hosts = write_known_hosts(params["state_dir"], cluster_id, [])
    _exit(module, changes, nodes={}, host_keys={}, known_hosts=known_hosts)


def _announced(recorded: Recorded, declared: Declared | None) -> Given | None:
    """What to record before a node is given another declaration: a run that dies then leaves no node that is passed over.

    Without a record all nodes are looked at, so there is nothing to announce.
    """
    if declared is None or recorded.given is None or recorded.given.version == declared.version:
        return None
    return declare(recorded.given, declared)


def _given_changes(before: Given | None, after: Given | None) -> list[Change]:
    if after is None or after == before:
        return []
    action, old = ("create", None) if before is None else ("update", before.shown_behind)
    return [Change(action, PEOPLE, "not looked at since the last change", old, after.shown_behind)]


def _look(
    api: HyperPod, gate: Gate, declared: Declared | None, params: t.Mapping[str, t.Any]
) -> tuple[tuple[Node, ...], Recorded, TrustPlan]:
    nodes = api.nodes(gate.cluster)
    recorded = gate.records.load(gate.cluster.id)
    wanted = dataclasses.replace(_wanted(params, gate.cluster, nodes), people=declared)
    return nodes, recorded, make_plan(nodes, recorded=recorded, wanted=wanted, operations=gate.operations)


def _wanted(params: t.Mapping[str, t.Any], cluster: Cluster, nodes: t.Sequence[Node]) -> Wanted:
    """The selection.

    :raises Refused: for a group or an instance that the cluster does not have.
    """
    for name in params["groups"] or ():
        require_group(cluster, name, option="groups")
    recheck = params["recheck"]
    if not isinstance(recheck, (bool, list)):
        refuse_option("recheck", recheck, "a list of instance ids, true or false are")
    listed = {node.instance_id for node in nodes}
    rechecked = recheck if isinstance(recheck, list) else ()
    for option, ids in (("instance_ids", params["instance_ids"] or ()), ("recheck", rechecked)):
        for instance_id in ids:
            if instance_id not in listed:
                refuse_option(option, instance_id, f"cluster {cluster.name} has no such node")
    return Wanted(
        include=params["include"],
        groups=frozenset(params["groups"] or ()),
        instance_ids=frozenset(params["instance_ids"] or ()),
        recheck=frozenset(listed if recheck is True else rechecked),
    )


def _records(module: t.Any) -> Records:
    return Records(connect(module, "ssm", max_pool_connections=module.params["threads"]).client)


def _gate(module: t.Any, cluster: Cluster, operations: Operations) -> Gate:
    params = module.params
    return Gate(
        cluster=cluster,
        records=_records(module),
        operations=operations,
        profile=params["profile"],
        state_dir=params["state_dir"],
        timeout=params["timeout"],
        threads=params["threads"],
    )


def _exit(module: Module, changes: t.Sequence[Change], **result: t.Any) -> t.NoReturn:
    module.exit_json(
        changed=bool(changes),
        changes=[change.to_result() for change in changes],
        diff=Plan(steps=(Step("", {}, tuple(changes)),)).diff(),
        **result,
    )
