# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done now of what is planned: kind by kind, by what AWS, Slurm and Kubernetes said directly before it."""

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
SILENT = "the controller did not confirm that no job is on it."
OF_SLURM = {"groups": {"node_type_controller": ["other", "head"], "hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "head"]}}


def in_slurm(number: int, **more: t.Any) -> Variables:
    named = {"name": f"ip-10-0-0-{number}", "address": f"10.0.0.{number}"}
    return {**named, "state": "drained", "reason": OURS, "features": [], "partitions": ["dev"], "reservations": [], **more}


def asked(rows: t.Sequence[Variables], *jobs: Variables) -> Variables:
    return {"slurm_nodes": {"nodes": list(rows), "jobs": list(jobs), "unknown": []}}


def act(kind: str, run: Variables, *statuses: str, **more: t.Any) -> views.Act:
    """Slurm says that the nodes are drained and idle, unless told otherwise."""
    rows = [{"instance_id": node(number).instance_id, "status": status} for number, status in enumerate(statuses, 1)]
    told = {"__remediation_slurm": asked([in_slurm(number) for number in range(1, 1 + len(statuses))]), **OF_SLURM, **more}
    return views.act(variables(run=run, __remediation_kind=kind, __remediation_nodes={"nodes": rows}, **told))


def whys(found: views.Act) -> list[str]:
    assert {each["code"] for each in found.pending} <= {"remediation-waits"}
    return [each["text"] for each in found.pending]


def test_what_of_a_kind_is_done_directly_before_it() -> None:
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


def test_of_whom_slurm_is_asked_and_where() -> None:
    own = variables(run={"repairs": [repair(1), repair(2, "replace"), repair(3)]}, __remediation_kind="reboot", **OF_SLURM)
    assert views.kind(own) == views.Kind([FIRST, THIRD], ["10.0.0.1", "10.0.0.3"], True, "head", "auto")
    without = views.kind({**own, "groups": {**OF_SLURM["groups"], "node_type_controller": ["other"]}})
    assert (without.in_slurm, without.controller) == (False, own["inventory_hostname"]), "delegate_to takes no empty name"


def test_without_a_word_of_a_controller_nothing_is_done_but_check_mode_plans_it() -> None:
    never = act("reboot", {"repairs": [repair(1)]}, "Running")
    assert never.repaired == [] and codes(never.pending) == [("remediation-waits", "pending")] and SILENT in whys(never)[0]
    planned = act("reboot", {"repairs": [repair(1)]}, "Running", ansible_check_mode=True, __remediation_slurm={"skipped": True})
    assert (planned.reboots, planned.repaired) == ([FIRST], [])


@pytest.mark.parametrize("answer", [{}, {"unreachable": True, "msg": "no"}, {"failed": False, "msg": "slurm_load_node error"}])
def test_a_controller_that_is_silent_by_now_keeps_all_nodes(answer: Variables) -> None:
    found = act("replace", {"repairs": [repair(1, "replace")], "occupied": {}}, "Running", __remediation_slurm=answer)
    assert (found.replacements, found.records) == ([], []) and SILENT in whys(found)[0]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"reason": "Action:Replace", "state": "fail"}, "Slurm's reason is Action:Replace, on which HyperPod acts."),
        ({"reservations": ["hyperpod-deep-health-check"]}, "HyperPod runs deep health checks on it."),
        ({"partitions": ["hyperpod-system-maintenance"]}, "HyperPod runs deep health checks on it."),
        ({"features": ["SageMakerDeepHealthCheck:InProgress"]}, "HyperPod runs deep health checks on it."),
        ({"state": "idle", "reason": ""}, "it was put back into service: Slurm reports state idle."),
        ({"address": "10.0.0.9", "name": "ip-10-0-0-9"}, "Slurm has no node at its address, so it is unknown whether it is in use."),
    ],
)
@pytest.mark.parametrize("planned", [repair(1), repair(1, "replace"), check(1)])
def test_what_slurm_says_by_now_keeps_a_node(row: Variables, why: str, planned: Variables) -> None:
    told = asked([in_slurm(1, **row), in_slurm(2)])
    run = {"repairs": [planned, {**planned, "node": SECOND, "address": "10.0.0.2"}], "occupied": {}}
    found = act(planned["does"], run, "Running", "Running", __remediation_slurm=told)
    assert found.repaired == [SECOND] and [each["name"] for each in found.records] == [SECOND]
    assert len(found.pending) == 1 and why in whys(found)[0]


def test_jobs_by_now_keep_a_node_and_so_does_a_reason_where_hyperpod_is_asked_by_it() -> None:
    run = {"repairs": [repair(1)], "occupied": {}}
    busy = asked([in_slurm(1)], {"id": "7", "user": "alice", "nodes": ["ip-10-0-0-1"]})
    assert "there are jobs on it: 7 of alice." in whys(act("reboot", run, "Running", __remediation_slurm=busy))[0]
    theirs = {"__remediation_slurm": asked([in_slurm(1, reason="cooling")])}
    assert act("reboot", run, "Running", **theirs).repaired == [FIRST]
    assert "that no repair has set (cooling)" in whys(act("reboot", run, "Running", **theirs, **BY_SLURM))[0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"health_status": "Schedulable"}, ""),
        ({"health_status": "UnschedulablePendingReplacement"}, "its label node-health-status is UnschedulablePendingReplacement"),
        ({"deep_health_check": "InProgress"}, "HyperPod runs deep health checks on it."),
        ({"pods": ["default/train"]}, "there are pods on it: default/train."),
        (None, "Kubernetes has no such node"),
        ("failed", "Kubernetes did not confirm that no pod is on it."),
    ],
)
def test_what_kubernetes_says_by_now_keeps_a_node(answer: t.Any, why: str) -> None:
    found = {"name": f"hyperpod-{FIRST}", **answer} if isinstance(answer, dict) else None
    told = {"msg": "no"} if answer == "failed" else {"nodes": [{"instance_id": FIRST, "kubernetes": found}]}
    of_eks = {"groups": {"cluster_ml": ["ml", "head"]}, "__remediation_kubernetes": told}
    made = act("reboot", {"repairs": [repair(1)], "occupied": {}}, "Running", **of_eks)
    assert made.repaired == ([] if why else [FIRST]) and (not why or why in whys(made)[0])


def test_records_that_count_no_more_are_removed() -> None:
    old = {"group": "gpus", "times": 1, "acts": [{"does": "reboot", "at": "2020-01-01T00:00:00Z"}]}
    run = {"repairs": [repair(1)], "occupied": {}, "records": {"repaired": {"i-0": old, FIRST: old}}}
    assert views.acted(variables(run=run)).outdated == ["i-0"]
    assert len(act("reboot", run, "Running").records[0]["value"]["acts"]) == 1


def test_aws_is_asked_for_checks_by_groups_and_they_are_recorded_before() -> None:
    before = {"group": "gpus", "times": 2, "acts": [{"does": "replace", "at": iso_seconds(datetime.datetime.now(datetime.timezone.utc))}]}
    run = {"repairs": [repair(1), check(2), {**check(3), "times": 2}], "occupied": {}, "records": {"repaired": {THIRD: before}}}
    found = act("check", {**run, "repaired": [FIRST]}, "Running", "Running", "Running")
    ids = [SECOND, THIRD]
    assert found.checks == [{"name": "gpus", "checks": ["InstanceStress"], "node_ids": ids}] and found.replacements == []
    made = {each["name"]: each["value"] for each in found.records}
    assert [(made[iid]["times"], made[iid]["acts"][-1]["does"]) for iid in ids] == [(0, "check"), (2, "check")]
    assert found.repaired == [FIRST, *ids]
    assert act("check", {"repairs": [repair(1)], "occupied": {}}, "Running").checks == []


def test_hyperpod_is_asked_in_slurm_where_that_is_the_route() -> None:
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
def test_what_is_asked_for_which_nodes(way: str) -> None:
    repairs = [{"node": f"i-{number}", "address": f"10.0.0.{number}"} for number in (1, 2, 3)]
    acts = {"reboots": ["i-3"], "replacements": ["i-1", "i-2"], "checks": []}
    found = views.route({"remediation_route": way, "__remediation_acts": acts, "hyperpod_run": {"repairs": repairs}})
    asks = [
        {"asks_for": "reboot", "addresses": ["10.0.0.3"], "node_ids": ["i-3"]},
        {"asks_for": "replace", "addresses": ["10.0.0.1", "10.0.0.2"], "node_ids": ["i-1", "i-2"]},
    ]
    assert found == views.Route(way == "api", asks if way == "orchestrator" else [], "repair: ")
    none = {"reboots": [], "replacements": []}
    assert views.route({"remediation_route": way, "__remediation_acts": none, "hyperpod_run": {"repairs": repairs}}).requests == []
