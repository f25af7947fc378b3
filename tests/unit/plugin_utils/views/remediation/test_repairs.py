# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the role remediation: plan, approval, execution, and verification."""

from __future__ import annotations

import datetime
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import Node, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.accelerator_health import seen
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.remediation import repairs as views

from ..._accelerators.fleets import CREATED, cluster, health_answer, node, problem

Variables = dict[str, t.Any]
BAD = problem("gpu-rows-failed", "unfit-replace")
STRESS = {"remediation_deep_checks": "InstanceStress", "remediation_deep_check_nodes": "gpus"}
GROUP = {"name": "gpus", "training_plan_arn": ""}
PLANNED = ("remediation-planned", "note")
OPTIONS = {
    "remediation_approve": [],
    "remediation_route": "api",
    "remediation_deep_checks": [],
    "remediation_deep_check_nodes": [],
    "remediation_at_once": 2,
    "remediation_per_day": 8,
    "remediation_group_percent": 100,
    "remediation_jobs_timeout": 3600,
    "remediation_wait_timeout": 14400,
}


def reported(*nodes: Node) -> Variables:
    made = document([cluster(*nodes)], created=CREATED)
    return {"nodes": made["clusters"]["ml"]["nodes"], "common": made["common"]}


def variables(*nodes: Node, run: Variables | None = None, **more: t.Any) -> Variables:
    """The variables of the cluster's host."""
    made = {
        **OPTIONS,
        "inventory_hostname": "ml",
        "ansible_check_mode": False,
        "ansible_play_hosts_all": ["ml"],
        "hyperpod_cluster_group": "cluster_ml",
        "groups": {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "head"]},
        "group_names": ["cluster_ml"],
        "hyperpod_run": {"records": {}, "cluster": {"groups": [GROUP], "node_recovery": "Automatic"}, **(run or {})},
        seen.NODES: [],
        seen.REPORTED: reported(*nodes),
        **more,
    }
    return {**made, "hostvars": {"ml": made, "head": {"hyperpod_instance_id": "i-head", "hyperpod_instance_group": "gpus"}}}


def of_node(own: Variables, iid: str = "i-head", **more: t.Any) -> Variables:
    return {**own, "inventory_hostname": "head", "hyperpod_instance_id": iid, "hyperpod_instance_group": "gpus", **more}


def repair(number: int, does: str = "reboot", times: int = 1) -> Variables:
    where = {"node": node(number).instance_id, "group": "gpus", "address": f"10.0.0.{number}"}
    return {**where, "does": does, "why": "", "times": times, "turn": 1, "checks": "", "codes": ()}


def check(number: int) -> Variables:
    return {**repair(number, "check", 0), "checks": "InstanceStress"}


def fit(count: int) -> list[Node]:
    return [node(number) for number in range(50, 50 + count)]


def codes(found: t.Sequence[Variables]) -> list[tuple[str, str]]:
    return [(each["code"], each["kind"]) for each in found]


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("remediation_at_once", 0, "1 to 25"),
        ("remediation_at_once", 26, "1 to 25"),
        ("remediation_per_day", 0, "1 to 1000"),
        ("remediation_group_percent", 101, "0 to 100"),
        ("remediation_jobs_timeout", -1, "0 to 86400"),
        ("remediation_wait_timeout", 0, "1 to 86400"),
        ("remediation_deep_check_nodes", "others", "instance IDs and instance groups of nodes that take jobs: gpus"),
        ("remediation_route", "slurm", "api, orchestrator"),
        ("remediation_approve", "yes", "all, or the number of a plan that a run reported, such as ml:0a1b2c3d"),
    ],
)
def test_invalid_options_are_refused(option: str, value: t.Any, allowed: str) -> None:
    (found,) = views.refusals(variables(**{**STRESS, option: value}))
    shown = f"'{value}'" if isinstance(value, str) else value
    assert found["text"] == f"{option}: {shown} is not allowed. Allowed: {allowed}."
    assert views.refusals(variables()) == views.refusals(variables(**STRESS)) == []


def test_an_unapproved_plan_is_shown_and_not_executed() -> None:
    found = views.plan(variables(node(1, problem()), *fit(9)))
    number = re.findall(r"remediation_approve=(\S+) and run", found.findings[1]["text"])[0]
    assert found.repairs == [] and codes(found.findings) == [PLANNED, ("remediation-unapproved", "pending")]
    assert f"reboot {node(1).instance_id}" in found.findings[1]["text"] and "It fell off the bus." in found.findings[0]["text"]
    agreed = views.plan(variables(node(1, problem()), *fit(9), remediation_approve=number))
    assert codes(agreed.findings) == [PLANNED] and agreed.repairs == [{**repair(1), "why": "It fell off the bus.", "codes": ("gpu-xid",)}]
    assert set(agreed.nodes) == {node(1).instance_id, *(each.instance_id for each in fit(9))}
    other = views.plan(variables(node(1, BAD), *fit(9), remediation_approve=number))
    assert other.repairs == [] and f"{number} was approved" in other.findings[1]["text"]


def test_a_healthy_cluster_is_reported() -> None:
    (found,) = views.plan(variables(*fit(2))).findings
    assert found["text"] == "No node of ml needs a repair." and found["kind"] == "note"


SILENT = {"not_read": "It does not answer."}
NOTHING_LEFT = "The health of all 2 nodes of ml is unknown, so this run can't plan repairs."


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node(1, **SILENT), node(2, **SILENT)], [("failure", NOTHING_LEFT)]),
        (
            [node(1), node(2, **SILENT)],
            [
                ("note", "No node of ml whose health is known (1 of 2) needs a repair."),
                ("pending", f"1 of 2 nodes may need a repair because their health is unknown: {node(2).instance_id}."),
            ],
        ),
        ([node(1, health=health_answer(verdict="unknown")), node(2, **SILENT)], [("failure", NOTHING_LEFT)]),
        ([node(1, **SILENT), node(2, problem()), *fit(9)], ["pending", "note", "pending"]),
        ([node(1), node(2, has_accelerators=False)], [("note", "No node of ml needs a repair.")]),
    ],
    ids=["none was read", "one was read", "none was read whole", "another is unfit", "another has no accelerators"],
)
def test_unread_nodes_do_not_count_as_healthy(nodes: list[Node], expected: list[t.Any]) -> None:
    found = [(each["kind"], each["text"]) for each in views.plan(variables(*nodes)).findings]
    assert found == expected or [kind for kind, _text in found] == expected


def test_a_blocked_repair_is_reported_once_as_a_failure() -> None:
    found = views.plan(variables(*(node(number, BAD) for number in (1, 2, 3)), *fit(2), remediation_approve="all"))
    assert found.repairs == [] and codes(found.findings) == [("remediation-stopped", "failure")]


def test_postponed_repairs_have_their_own_codes() -> None:
    busy = node(1, BAD, service="HyperPod reports status SystemUpdating")
    nodes = (busy, node(2, problem()), node(3, problem("gpu-fallen", "unfit-replace")), *fit(30))
    made = variables(*nodes, remediation_approve="all", remediation_at_once=1)
    made[seen.REPORTED]["nodes"][busy.instance_id]["service"]["since"] = iso_seconds(datetime.datetime.now(datetime.timezone.utc))
    found = views.plan(made)
    assert codes(found.findings) == [PLANNED, *[("remediation-waits", "pending")] * 2] and len(found.repairs) == 1
    made[seen.REPORTED]["nodes"][busy.instance_id]["service"]["since"] = CREATED
    assert ("remediation-escalated", "failure") in codes(views.plan(made).findings)


def test_repaired_nodes_are_drained_in_slurm_and_resumed_if_fit() -> None:
    access = {"node_access": {"i-head": {"access": "ready"}}}
    watched = node(3, problem("gpu-throttled", "watch"))
    nodes = (node(1, BAD), node(2), watched, node(4, not_read="It could not be reached."))
    found = views.jobs(of_node(variables(*nodes, run={"repairs": [repair(1)], **access})))
    assert (found.addresses, found.reached, found.cluster_host) == (["10.0.0.1"], True, "ml")
    assert sorted(found.fit) == ["10.0.0.2", "10.0.0.3"] and found.reason.startswith(found.purpose)
    run = {"repairs": [repair(1), repair(2), repair(4)], "repaired": [repair(1)["node"], repair(2)["node"]], **access}
    done = views.jobs(of_node(variables(*nodes, run={**run, "judged": True})))
    assert done.held == ["10.0.0.1"] and found.held == [] and sorted(done.fit) == ["10.0.0.2", "10.0.0.3"]
    assert (done.mended, found.mended, done.of_health) == (["10.0.0.2"], [], "accelerators: ")
    watching = {**run, "repairs": [repair(1), repair(3)], "repaired": [repair(1)["node"], repair(3)["node"]], "judged": True}
    assert views.jobs(of_node(variables(*nodes, run=watching))).mended == ["10.0.0.3"]
    assert views.jobs(of_node(variables(*nodes, run={**watching, "judged": False}))).mended == []
    unseen = views.jobs(of_node(variables(*nodes, run=run)))
    assert unseen.held == ["10.0.0.1", "10.0.0.2"] and unseen.fit == ["10.0.0.3"]
    locked = views.jobs(of_node(variables(*nodes, run=access)))
    assert locked.fit == []


def test_unconfigured_repaired_nodes_stay_drained() -> None:
    done = [node(1).instance_id, node(2).instance_id]
    run = {"repairs": [repair(1), repair(2)], "repaired": done, "judged": True, "nodes_before": done, "unconfigured_nodes": done[:1]}
    own = variables(node(1), node(2), run=run)
    found = views.jobs(of_node(own))
    assert (found.fit, found.mended, found.held) == (["10.0.0.2"], ["10.0.0.2"], ["10.0.0.1"])
    held, repaired = views.judged(own)
    assert [(each["code"], each["kind"]) for each in (held, repaired)] == [
        ("remediation-unconfigured", "pending"),
        ("remediation-repaired", "note"),
    ]
    assert held["node"] == done[0] and "stays drained" in held["text"]


def test_nodes_with_jobs_or_actions_of_hyperpod_are_left_alone() -> None:
    rows = [
        {"name": "ip-10-0-0-1", "address": "10.0.0.1", "state": "draining", "reason": "ours"},
        {"name": "ip-10-0-0-2", "address": "10.0.0.2", "state": "failed", "reason": "Action:Replace"},
        {"name": "ip-10-0-0-3", "address": "10.0.0.3", "state": "drained", "reason": "ours"},
    ]
    jobs = [{"id": "7", "user": "alice", "nodes": ["ip-10-0-0-1", "ip-10-0-0-2"]}]
    own = variables(run={"repairs": [repair(number) for number in (1, 2, 3, 4)]})
    found = views.emptied(of_node(own, __remediation_jobs={"slurm_nodes": {"nodes": rows, "jobs": jobs}}))
    assert found == {
        node(1).instance_id: "there are jobs on it: 7 of alice.",
        node(2).instance_id: "HyperPod acts on Slurm's reason Action:Replace.",
        node(4).instance_id: "Slurm has no node at its address, so it is unknown whether the node is in use.",
    }


def test_repaired_nodes_are_checked_again() -> None:
    run = {"repairs": [repair(1), repair(2, "replace")], "repaired": [node(1).instance_id, node(2).instance_id], "nodes_before": ["i-old"]}
    own = variables(run=run)
    assert views.turn_group(of_node(own, node(1).instance_id)) == "hyperpod_repaired"
    assert views.turn_group(of_node(own, "i-new")) == "hyperpod_repaired"
    assert views.turn_group(of_node(own, "i-new", hyperpod_instance_group="others")) == ""
    assert views.turn_group(of_node(own, "i-old")) == ""
    assert views.turn_group(of_node(variables(run={"repairs": [], "nodes_before": []}), "i-new")) == ""


def test_the_outcome_of_repairs_is_reported() -> None:
    run = {"repairs": [repair(1), repair(2), repair(3), repair(4, "replace"), repair(5)], "repaired": [node(number).instance_id for number in (1, 2, 3, 4)]}
    run["nodes_before"] = [node(number).instance_id for number in range(1, 6)]
    heir = Node(**{**node(4).__dict__, "instance_id": "i-new"})
    found = views.judged(variables(node(1), node(2, BAD), node(3, not_read="It could not be reached."), heir, node(5), run=run))
    assert codes(found) == [
        ("remediation-repaired", "note"),
        ("remediation-unfit", "failure"),
        ("remediation-waits", "pending"),
        ("remediation-repaired", "note"),
    ]
    assert "was rebooted, but is still unfit (unfit-replace)" in found[1]["text"]
    assert "was replaced by i-new. The node is fit again." in found[3]["text"]


def test_a_reboot_that_did_not_help_a_working_node_is_reported() -> None:
    rows = problem("gpu-rows-pending", "watch")
    run = {"repairs": [{**repair(number), "codes": ["gpu-rows-pending"]} for number in (1, 2)], "nodes_before": []}
    run["repaired"] = [node(number).instance_id for number in (1, 2)]
    still, mended = views.judged(variables(node(1, rows), node(2, problem("gpu-hot", "watch")), run=run))
    assert (still["code"], mended["code"]) == ("remediation-waits", "remediation-repaired")
    assert "was rebooted. The node is back in service, but still has these findings: gpu-rows-pending." in still["text"]


def test_a_replacement_at_another_address_is_found_by_its_group() -> None:
    run = {"repairs": [repair(1, "replace"), repair(2, "replace")], "repaired": [node(1).instance_id, node(2).instance_id]}
    run["nodes_before"] = [node(number).instance_id for number in (1, 2, 3)]
    heirs = [Node(**{**node(number, *bad).__dict__, "instance_id": f"i-new{number}"}) for number, bad in ((7, ()), (8, (BAD,)))]
    found = views.judged(variables(node(3), *heirs, run=run))
    assert ["i-new7. The node is fit" in found[0]["text"], "i-new8, but is still unfit" in found[1]["text"]] == [True, True], found
    one = views.judged(variables(node(3), heirs[0], run=run))
    assert codes(one) == [("remediation-repaired", "note"), ("remediation-waits", "pending")]


def test_checks_are_planned_approved_and_reported_like_repairs() -> None:
    found = views.plan(variables(node(1, problem()), node(2), node(3), *fit(2), **STRESS))
    assert codes(found.findings) == [PLANNED] * 2 + [("remediation-unchecked", "pending")] * 3 + [("remediation-unapproved", "pending")]
    assert "not checked in this run: This run has reached the limit remediation_at_once=2" in found.findings[2]["text"]
    number = re.findall(r"remediation_approve=(\S+) and run", found.findings[-1]["text"])[0]
    agreed = views.plan(variables(node(1, problem()), node(2), node(3), *fit(2), **STRESS, remediation_approve=number))
    assert [(each["does"], each["checks"]) for each in agreed.repairs] == [("reboot", ""), ("check", "InstanceStress")]


def test_the_outcome_of_checks_is_reported() -> None:
    run = {"repairs": [check(number) for number in (1, 2, 3)], "repaired": [node(number).instance_id for number in (1, 2, 3)], "nodes_before": []}
    heir = Node(**{**node(2).__dict__, "instance_id": "i-new"})
    own = variables(node(1), heir, node(3, BAD), run=run)
    found = views.judged(own)
    assert codes(found) == [("remediation-repaired", "note")] * 2 + [("remediation-unfit", "failure")]
    assert "was checked. The node is fit again." in found[0]["text"]
    assert "was checked and replaced by i-new. The node is fit again." in found[1]["text"]
    assert views.turn_group(of_node(own, "i-new")) == "hyperpod_repaired"


ARN = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/research"
OF_A_PLAN = {"cluster": {"node_recovery": "", "groups": [{**GROUP, "training_plan_arn": ARN}, {"name": "others", "training_plan_arn": f"{ARN}-2"}]}}


def test_training_plans_are_read_if_a_node_is_unfit() -> None:
    assert views.training_plans(variables(node(1, problem()), *fit(2), run=OF_A_PLAN)) == [ARN]
    assert views.training_plans(variables(*fit(2), run=OF_A_PLAN)) == []
    assert views.training_plans(variables(node(1, BAD))) == []


@pytest.mark.parametrize(
    ("capacity", "planned", "expected"),
    [
        ({"available": 0, "spare": 0, "why": ""}, [], "Training plan research has 0 available and 0 spare instances. There is no capacity for a replacement."),
        ({"available": 0, "spare": 1, "why": ""}, ["replace"], "It fell off the bus."),
        ({"available": None, "spare": None, "why": "not allowed."}, ["replace"], "research is unknown: not allowed."),
    ],
)
def test_a_replacement_waits_for_capacity(capacity: Variables, planned: list[str], expected: str) -> None:
    answer = {"training_plans": [{"name": ARN, **capacity}]}
    own = variables(node(1, BAD), *fit(9), run=OF_A_PLAN, remediation_approve="all", __remediation_training_plans=answer)
    found = views.plan(own)
    assert [each["does"] for each in found.repairs] == planned and expected in found.findings[0]["text"]
    skipped = views.plan(variables(node(1, BAD), *fit(9), run=OF_A_PLAN, remediation_approve="all", __remediation_training_plans={"skipped": True}))
    assert len(skipped.repairs) == 1


BY_SLURM = {"remediation_route": "orchestrator"}


def test_the_orchestrator_route_is_refused_without_node_recovery() -> None:
    off = {"cluster": {"groups": [GROUP], "node_recovery": "None"}}
    found = views.plan(variables(node(1, BAD), *fit(9), run=off, remediation_approve="all", **BY_SLURM))
    assert found.repairs == [] and codes(found.findings) == [("option-refused", "failure"), PLANNED]
    assert "remediation_route: 'orchestrator' is not allowed: the cluster's NodeRecovery is None" in found.findings[0]["text"]
    assert views.plan(variables(node(1, BAD), *fit(9), run=off, remediation_approve="all")).repairs
    assert views.plan(variables(node(1, BAD), *fit(9), remediation_approve="all", **BY_SLURM)).repairs


def test_a_foreign_reason_prevents_the_request() -> None:
    cooled = node(1, BAD, slurm="drained", slurm_reason="cooling")
    (held, *_rest) = views.plan(variables(cooled, *fit(9), remediation_approve="all", **BY_SLURM)).findings
    assert held["code"] == "remediation-waits" and "The node's reason in Slurm (cooling) was not set by a repair" in held["text"]
    assert views.plan(variables(cooled, *fit(9), remediation_approve="all")).repairs
    ours = node(1, BAD, slurm="drained", slurm_reason="mlfleet.hyperpod: accelerators: unfit-replace")
    assert views.plan(variables(ours, *fit(9), remediation_approve="all", **BY_SLURM)).repairs


def test_nodes_that_cannot_be_repaired_are_left_before_the_request() -> None:
    reasons = {1: "mlfleet.hyperpod: repair: unfit for work", 2: "cooling", 3: "cooling"}
    rows = [{"name": f"ip-10-0-0-{number}", "address": f"10.0.0.{number}", "state": "drained", "reason": why} for number, why in reasons.items()]
    own = variables(run={"repairs": [repair(1), repair(2), check(3), repair(4)]})
    answer = {"__remediation_jobs": {"slurm_nodes": {"nodes": rows, "jobs": []}}}
    unknown = {node(4).instance_id: "Slurm has no node at its address, so it is unknown whether the node is in use."}
    assert views.emptied(of_node(own, **answer)) == unknown
    found = views.emptied(of_node(own, **answer, **BY_SLURM))
    assert found == {
        node(2).instance_id: "The node's reason in Slurm (cooling) was not set by a repair, and a request to HyperPod would overwrite it.",
        **unknown,
    }
