# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned repairs as they are executed: by kind, after a final check of AWS, Slurm and Kubernetes."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.remediation import acts as views

from ..._accelerators.fleets import node
from .test_repairs import BY_SLURM, Variables, check, codes, repair, variables

FIRST, SECOND, THIRD = (node(number).instance_id for number in (1, 2, 3))
OURS = "mlfleet.hyperpod: repair: unfit for work, or to be checked"
SILENT = "the controller node did not confirm that no job runs on the node."
OF_SLURM = {"groups": {"node_type_controller": ["other", "head"], "hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "head"]}}


def in_slurm(number: int, **more: t.Any) -> Variables:
    named = {"name": f"ip-10-0-0-{number}", "address": f"10.0.0.{number}"}
    return {**named, "state": "drained", "reason": OURS, "features": [], "partitions": ["dev"], "reservations": [], **more}


def slurm_answer(rows: t.Sequence[Variables], *jobs: Variables) -> Variables:
    return {"slurm_nodes": {"nodes": list(rows), "jobs": list(jobs), "unknown": []}}


def act(kind: str, run: Variables, *statuses: str, **more: t.Any) -> views.Act:
    """Run the act with nodes that are drained and idle in Slurm, unless changed by ``more``."""
    rows = [{"instance_id": node(number).instance_id, "status": status} for number, status in enumerate(statuses, 1)]
    given = {"__remediation_slurm": slurm_answer([in_slurm(number) for number in range(1, 1 + len(statuses))]), **OF_SLURM, **more}
    return views.act(variables(run=run, __remediation_kind=kind, __remediation_nodes={"nodes": rows}, **given))


def whys(found: views.Act) -> list[str]:
    assert {each["code"] for each in found.pending} <= {"remediation-waits"}
    return [each["text"] for each in found.pending]


def test_repairs_of_a_kind_are_checked_and_recorded_first() -> None:
    first = {**repair(1), "codes": ["gpu-lost", "gpu-xid"]}
    run = {"repairs": [first, repair(2, "replace", 2), repair(3), repair(4), check(5)], "occupied": {THIRD: "there are jobs on it: 7."}}
    found = act("reboot", run, "Running", "Running", "Running", "Pending", "Running")
    assert (found.reboots, found.replacements, found.checks, found.repaired) == ([FIRST], [], [], [FIRST])
    (recorded,) = found.records
    did = recorded["value"]["acts"][0]
    assert (recorded["name"], recorded["value"]["times"], did["does"], did["codes"]) == (FIRST, 1, "reboot", first["codes"])
    assert ["there are jobs on it: 7." in whys(found)[0], "HyperPod now reports status Pending." in whys(found)[1]] == [True, True]
    then = act("replace", {**run, "repaired": found.repaired}, "Running", "Running")
    assert (then.reboots, then.replacements, then.pending, then.repaired) == ([], [SECOND], [], [FIRST, SECOND])
    assert then.records[0]["value"]["times"] == 2
    assert views.acted(variables(run=run)).nodes == [node(number).instance_id for number in (1, 2, 3, 4, 5)]


def test_the_slurm_query_covers_the_nodes_of_the_kind() -> None:
    own = variables(run={"repairs": [repair(1), repair(2, "replace"), repair(3)]}, __remediation_kind="reboot", **OF_SLURM)
    assert views.kind(own) == views.Kind([FIRST, THIRD], ["10.0.0.1", "10.0.0.3"], True, "head", "auto")
    without = views.kind({**own, "groups": {**OF_SLURM["groups"], "node_type_controller": ["other"]}})
    assert (without.in_slurm, without.controller) == (False, own["inventory_hostname"]), "delegate_to takes no empty name"


def test_without_an_answer_of_slurm_only_check_mode_continues() -> None:
    never = act("reboot", {"repairs": [repair(1)]}, "Running")
    assert never.repaired == [] and codes(never.pending) == [("remediation-waits", "pending")] and SILENT in whys(never)[0]
    planned = act("reboot", {"repairs": [repair(1)]}, "Running", ansible_check_mode=True, __remediation_slurm={"skipped": True})
    assert (planned.reboots, planned.repaired) == ([FIRST], [])


@pytest.mark.parametrize("answer", [{}, {"unreachable": True, "msg": "no"}, {"failed": False, "msg": "slurm_load_node error"}])
def test_a_silent_controller_postpones_all_repairs(answer: Variables) -> None:
    found = act("replace", {"repairs": [repair(1, "replace")], "occupied": {}}, "Running", __remediation_slurm=answer)
    assert (found.replacements, found.records) == ([], []) and SILENT in whys(found)[0]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"reason": "Action:Replace", "state": "fail"}, "HyperPod acts on Slurm's reason Action:Replace."),
        ({"reservations": ["hyperpod-deep-health-check"]}, "HyperPod runs deep health checks on the node."),
        ({"partitions": ["hyperpod-system-maintenance"]}, "HyperPod runs deep health checks on the node."),
        ({"features": ["SageMakerDeepHealthCheck:InProgress"]}, "HyperPod runs deep health checks on the node."),
        ({"state": "idle", "reason": ""}, "the node was put back into service: Slurm reports state idle."),
        ({"address": "10.0.0.9", "name": "ip-10-0-0-9"}, "Slurm has no node at its address, so it is unknown whether the node is in use."),
    ],
)
@pytest.mark.parametrize("planned", [repair(1), repair(1, "replace"), check(1)])
def test_a_changed_slurm_state_postpones_a_repair(row: Variables, why: str, planned: Variables) -> None:
    answer = slurm_answer([in_slurm(1, **row), in_slurm(2)])
    run = {"repairs": [planned, {**planned, "node": SECOND, "address": "10.0.0.2"}], "occupied": {}}
    found = act(planned["does"], run, "Running", "Running", __remediation_slurm=answer)
    assert found.repaired == [SECOND] and [each["name"] for each in found.records] == [SECOND]
    assert len(found.pending) == 1 and why in whys(found)[0]


def test_new_jobs_or_a_foreign_reason_postpone_a_repair() -> None:
    run = {"repairs": [repair(1)], "occupied": {}}
    busy = slurm_answer([in_slurm(1)], {"id": "7", "user": "alice", "nodes": ["ip-10-0-0-1"]})
    assert "there are jobs on it: 7 of alice." in whys(act("reboot", run, "Running", __remediation_slurm=busy))[0]
    foreign = {"__remediation_slurm": slurm_answer([in_slurm(1, reason="cooling")])}
    assert act("reboot", run, "Running", **foreign).repaired == [FIRST]
    assert "reason in Slurm (cooling) was not set by a repair" in whys(act("reboot", run, "Running", **foreign, **BY_SLURM))[0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"health_status": "Schedulable"}, ""),
        ({"health_status": "UnschedulablePendingReplacement"}, "HyperPod acts on the node's label node-health-status=UnschedulablePendingReplacement"),
        ({"deep_health_check": "InProgress"}, "HyperPod runs deep health checks on the node."),
        ({"pods": ["default/train"]}, "there are pods on it: default/train."),
        (None, "Kubernetes has no such node"),
        ("failed", "Kubernetes did not confirm that no pod runs on the node."),
    ],
)
def test_a_changed_kubernetes_state_postpones_a_repair(answer: t.Any, why: str) -> None:
    found = {"name": f"hyperpod-{FIRST}", **answer} if isinstance(answer, dict) else None
    result = {"msg": "no"} if answer == "failed" else {"nodes": [{"instance_id": FIRST, "kubernetes": found}]}
    of_eks = {"groups": {"cluster_ml": ["ml", "head"]}, "__remediation_kubernetes": result}
    made = act("reboot", {"repairs": [repair(1)], "occupied": {}}, "Running", **of_eks)
    assert made.repaired == ([] if why else [FIRST]) and (not why or why in whys(made)[0])


def test_outdated_records_are_removed() -> None:
    old = {"group": "gpus", "times": 1, "acts": [{"does": "reboot", "at": "2020-01-01T00:00:00Z"}]}
    run = {"repairs": [repair(1)], "occupied": {}, "records": {"repaired": {"i-0": old, FIRST: old}}}
    assert views.acted(variables(run=run)).outdated == ["i-0"]
    assert len(act("reboot", run, "Running").records[0]["value"]["acts"]) == 1


def test_checks_are_requested_by_group_and_recorded_first() -> None:
    before = {"group": "gpus", "times": 2, "acts": [{"does": "replace", "at": iso_seconds(datetime.datetime.now(datetime.timezone.utc))}]}
    run = {"repairs": [repair(1), check(2), {**check(3), "times": 2}], "occupied": {}, "records": {"repaired": {THIRD: before}}}
    found = act("check", {**run, "repaired": [FIRST]}, "Running", "Running", "Running")
    ids = [SECOND, THIRD]
    assert found.checks == [{"name": "gpus", "checks": ["InstanceStress"], "node_ids": ids}] and found.replacements == []
    made = {each["name"]: each["value"] for each in found.records}
    assert [(made[iid]["times"], made[iid]["acts"][-1]["does"]) for iid in ids] == [(0, "check"), (2, "check")]
    assert found.repaired == [FIRST, *ids]
    assert act("check", {"repairs": [repair(1)], "occupied": {}}, "Running").checks == []


def test_repairs_are_requested_in_slurm_on_that_route() -> None:
    run = {"repairs": [repair(1), repair(2, "replace"), repair(3, "replace"), check(4)], "occupied": {}}
    acts = {"reboots": [], "replacements": [SECOND, THIRD]}
    own = variables(run=run, __remediation_acts=acts, **OF_SLURM)
    assert (views.route(own).calls, views.route(own).requests) == (True, [])
    found = views.route({**own, **BY_SLURM})
    assert found.requests == [{"asks_for": "replace", "addresses": ["10.0.0.2", "10.0.0.3"], "node_ids": [SECOND, THIRD]}]
    assert (found.calls, found.purpose) == (False, "repair: ")
    reboots = views.route({**own, **BY_SLURM, "__remediation_acts": {"reboots": [FIRST], "replacements": []}})
    assert reboots.requests == [{"asks_for": "reboot", "addresses": ["10.0.0.1"], "node_ids": [FIRST]}]
    nothing = views.route({**own, **BY_SLURM, "__remediation_acts": {"reboots": [], "replacements": []}})
    assert nothing.requests == []


@pytest.mark.parametrize("way", ["api", "orchestrator"])
def test_requests_are_grouped_by_kind(way: str) -> None:
    repairs = [{"node": f"i-{number}", "address": f"10.0.0.{number}"} for number in (1, 2, 3)]
    acts = {"reboots": ["i-3"], "replacements": ["i-1", "i-2"], "checks": []}
    found = views.route({"remediation_route": way, "__remediation_acts": acts, "hyperpod_run": {"repairs": repairs}})
    requests = [
        {"asks_for": "reboot", "addresses": ["10.0.0.3"], "node_ids": ["i-3"]},
        {"asks_for": "replace", "addresses": ["10.0.0.1", "10.0.0.2"], "node_ids": ["i-1", "i-2"]},
    ]
    assert found == views.Route(way == "api", requests if way == "orchestrator" else [], "repair: ")
    none = {"reboots": [], "replacements": []}
    assert views.route({"remediation_route": way, "__remediation_acts": none, "hyperpod_run": {"repairs": repairs}}).requests == []
