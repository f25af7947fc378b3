# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which unfit nodes are rebooted or replaced, and what prevents it."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import Node, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import history as past, plan as plans
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.checks import Request
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.spare import Capacity

from ..fleets import CREATED, cluster, node, problem

NOW = datetime.datetime(2026, 11, 25, 3, 0, tzinfo=datetime.timezone.utc)
AMPLE = plans.Budget(at_once=25, per_day=100, group_percent=100)
BAD = problem("gpu-remap-failed", "unfit-replace")
SHAKEN = problem()


def known(*nodes: Node, before: t.Any = None, launched: t.Any = None, **records: t.Any) -> plans.Known:
    made = document([cluster(*nodes)], created=CREATED, before=before)
    return plans.Known(
        nodes=made["clusters"]["ml"]["nodes"],
        stops=made["common"],
        launched=launched or {},
        history=past.history(records.get("records", {}), NOW),
        now=NOW,
    )


def fit(count: int, start: int = 50) -> list[Node]:
    return [node(number) for number in range(start, start + count)]


def does(made: plans.Plan) -> list[tuple[str, str]]:
    return [(row.node[-2:], row.does) for row in made.rows]


def record(*acts: str, hours: int = 2, times: int = 1, codes: t.Sequence[str] = ()) -> dict[str, t.Any]:
    at = (NOW - datetime.timedelta(hours=hours)).isoformat()
    return {"group": "gpus", "times": times, "acts": [{"does": each, "at": at, **({"codes": list(codes)} if codes else {})} for each in acts]}


def iid(number: int) -> str:
    return node(number).instance_id


def test_each_unfit_node_gets_the_repair_of_its_verdict() -> None:
    watched, unseen = node(3, problem("gpu-throttled", "watch")), node(4, not_read="It could not be reached.")
    made = plans.plan(known(node(1, SHAKEN, jobs=("7 of alice",)), node(2, BAD), watched, unseen, *fit(6)), AMPLE)
    assert sorted(does(made)) == [("01", "reboot"), ("02", "replace")]
    row = next(each for each in made.acts if each.does == "reboot")
    assert (row.address, row.times, row.group) == ("10.0.0.1", 1, "gpus")
    assert row.why == "It fell off the bus. The run waits for the node's jobs: 7 of alice."


def test_a_healthy_fleet_has_an_empty_plan_without_a_number() -> None:
    made = plans.plan(known(*fit(3)), AMPLE)
    assert made.rows == () and made.number("ml") == ""


def test_the_plan_number_depends_only_on_the_repairs() -> None:
    one = plans.plan(known(node(1, SHAKEN), node(2, BAD), *fit(9)), AMPLE)
    same = plans.plan(known(node(2, BAD), node(1, SHAKEN), *fit(30)), AMPLE)
    other = plans.plan(known(node(1, BAD), node(2, BAD), *fit(9)), AMPLE)
    assert one.number("ml") == same.number("ml") != other.number("ml")
    found = plans.plan(known(node(1, SHAKEN), node(2, problem("gpu-lost", "unfit-replace")), *fit(9)), AMPLE)
    assert does(found) == does(one) and found.number("ml") != one.number("ml"), "an approval is valid for one finding only"
    assert one.number("ml").startswith("ml:") and one.number("b").startswith("b:")


def test_a_problem_common_to_many_nodes_stops_all_repairs() -> None:
    made = plans.plan(known(*(node(number, SHAKEN) for number in (1, 2, 3)), node(4, BAD), *fit(6)), AMPLE)
    assert {row.does for row in made.rows} == {"stop"} and len(made.rows) == 4 and made.acts == ()
    assert made.rows[0].why.startswith("3 of 10 nodes have gpu-xid (Xid 79). Find the common cause (image")


@pytest.mark.parametrize(
    ("status", "since", "expected"),
    [
        ("SystemUpdating", "2026-11-25T00:00:01Z", "wait"),
        ("SystemUpdating", "2026-11-25T00:00:00Z", "escalate"),
        ("DeepHealthCheckInProgress", "2026-11-25T01:15:00Z", "wait"),
        ("Pending", "2026-11-25T01:30:01Z", "wait"),
        ("Pending", "2026-11-25T01:30:00Z", "escalate"),
        ("ShuttingDown", "2026-11-25T02:20:01Z", "wait"),
        ("ShuttingDown", "2026-11-25T02:20:00Z", "escalate"),
        ("ShuttingDown", "2026-11-20T00:00:00Z", "escalate"),
    ],
)
def test_an_action_of_hyperpod_is_waited_for_and_then_escalated(status: str, since: str, expected: str) -> None:
    busy = node(1, SHAKEN, hyperpod=status, service=f"HyperPod reports status {status}")
    given = known(busy, *fit(5))
    given.nodes[iid(1)]["service"]["since"] = since
    (row,) = plans.plan(given, AMPLE).rows
    assert row.does == expected and row.why.startswith(f"HyperPod reports status {status}, at least since {since}.")


def test_an_unreadable_node_waits_while_hyperpod_works_on_it() -> None:
    blind = {"not_read": "It could not be reached."}
    made = plans.plan(known(node(1, service="HyperPod reports status Pending", **blind), node(2, **blind), *fit(5)), AMPLE)
    assert does(made) == [("01", "wait")]


UNREAD = problem("gpu-xid", "unknown", text="GPU 3 reported Xid 119: x. The signs of this fault could not be read: y.")
DENIED = problem("gpu-xid-unconfirmed", "watch", text="GPU 3 reported Xid 79, but the device shows no sign of it: x.")


@pytest.mark.parametrize("code", ["gpu-xid", "nvswitch-sxid", "efa-error", "gpu-inforom"])
def test_a_record_without_a_readable_witness_is_escalated(code: str) -> None:
    made = plans.plan(known(node(1, {**UNREAD, "code": code}), *fit(5)), AMPLE)
    (row,) = made.rows
    assert (row.does, made.acts) == ("escalate", ())
    assert row.why.startswith("GPU 3 reported Xid 119: x. The signs of this fault could not be read: y. Inspect the node")


def test_unknown_and_refuted_problems_are_left_alone() -> None:
    others = [problem("gpu-missing", "unknown"), problem("gpu-unreadable", "unknown"), problem("driver-hangs", "unknown"), DENIED]
    others.append(problem("kernel-log-stranger", "watch"))
    assert plans.plan(known(*(node(number, each) for number, each in enumerate(others, 1)), *fit(5)), AMPLE).rows == ()


def test_an_unfit_node_is_repaired_even_if_other_facts_are_unread() -> None:
    assert does(plans.plan(known(node(1, SHAKEN, UNREAD), *fit(5)), AMPLE)) == [("01", "reboot")]


def test_an_unreadable_node_can_be_checked_on_request() -> None:
    request = Request(("InstanceStress",), (iid(1),))
    assert does(plans.plan(known(node(1, UNREAD), *fit(5)), AMPLE, request)) == [("01", "check")]


def test_many_forged_records_do_not_stop_repairs() -> None:
    """A problem found on the whole fleet and then refuted does not count as common to its nodes."""
    made = plans.plan(known(*(node(number, DENIED) for number in range(2, 20)), node(1, SHAKEN), *fit(9)), AMPLE)
    assert does(made) == [("01", "reboot")]


def test_the_reasons_of_a_plan_are_sentences() -> None:
    missing = problem("gpu-missing", text="7 of 8 GPUs are present (expected by EC2).")
    (row,) = plans.plan(known(node(1, missing, problem("gpu-sram", text="has too many errors")), *fit(5)), AMPLE).rows
    assert row.why == "7 of 8 GPUs are present (expected by EC2). has too many errors."
    waits = problem("gpu-rows-pending", "watch", text="GPU 1 waits for a reset.")
    (row,) = plans.plan(known(node(1, waits, {**waits, "text": "GPU 2 waits for a reset."}, slurm="idle"), *fit(5)), AMPLE).rows
    assert row.why == "GPU 1 waits for a reset. GPU 2 waits for a reset."


@pytest.mark.parametrize("kind", ["controller", "login"])
def test_login_and_controller_nodes_are_escalated(kind: str) -> None:
    given = known(node(1, BAD), *fit(5))
    given.nodes[iid(1)]["node_type"] = kind
    (row,) = plans.plan(given, AMPLE).rows
    assert row.does == "escalate" and row.why.startswith(f"The node is a {kind} node")


def test_a_reboot_that_did_not_help_is_followed_by_a_replacement() -> None:
    (row,) = plans.plan(known(node(1, SHAKEN), *fit(5), records={iid(1): record("reboot")}), AMPLE).rows
    assert (row.does, row.times) == ("replace", 2) and "A reboot was requested before, and the node is still unfit." in row.why


@pytest.mark.parametrize(
    ("codes", "does"), [((), "replace"), (("gpu-xid",), "replace"), (("gpu-lost", "gpu-xid"), "replace"), (("driver-mismatch",), "reboot")]
)
def test_only_a_reboot_for_the_same_problem_is_followed_by_a_replacement(codes: t.Sequence[str], does: str) -> None:
    before = {iid(1): record("reboot", codes=codes)}
    (row,) = plans.plan(known(node(1, SHAKEN), *fit(5), records=before), AMPLE).rows
    assert (row.does, row.times, row.codes) == (does, 2, ("gpu-xid",))
    assert ("A reboot was requested before" in row.why) == (does == "replace")


def test_a_reboot_and_a_replacement_have_different_plan_numbers() -> None:
    before = [{iid(1): record("reboot", codes=[code])} for code in ("gpu-xid", "gpu-lost")]
    assert len({plans.plan(known(node(1, SHAKEN), *fit(5), records=each), AMPLE).number("ml") for each in before}) == 2


OF_SETUP = problem("driver-mismatch", cause="config")


def test_a_misconfigured_node_is_rebooted_and_never_replaced() -> None:
    assert does(plans.plan(known(node(1, OF_SETUP), *fit(5)), AMPLE)) == [("01", "reboot")]
    for nodes, records in (((node(1, OF_SETUP),), {iid(1): record("reboot")}), ((node(1, {**OF_SETUP, "verdict": "unfit-replace"}),), {})):
        (row,) = plans.plan(known(*nodes, *fit(5), records=records), AMPLE).rows
        assert row.does == "escalate" and row.why.startswith("The node is misconfigured (driver-mismatch), and a replacement would have the same image.")
    both = plans.plan(known(node(1, OF_SETUP, SHAKEN), *fit(5), records={iid(1): record("reboot")}), AMPLE)
    assert does(both) == [("01", "replace")] and both.rows[0].codes == ("driver-mismatch", "gpu-xid")
    watched = plans.plan(known(node(1, OF_SETUP, problem("gpu-throttled", "watch")), *fit(5), records={iid(1): record("reboot")}), AMPLE)
    assert [row.does for row in watched.rows] == ["escalate"]


def test_a_node_that_is_unfit_after_two_repairs_is_escalated() -> None:
    (row,) = plans.plan(known(node(1, SHAKEN), *fit(5), records={iid(1): record("reboot", "replace", times=2)}), AMPLE).rows
    assert row.does == "escalate" and row.why.startswith("2 repairs were requested")
    launched = {iid(1): (NOW - datetime.timedelta(hours=1)).isoformat()}
    (heir,) = plans.plan(known(node(1, SHAKEN), *fit(5), launched=launched, records={iid(9): record("replace", times=2)}), AMPLE).rows
    assert heir.does == "escalate"


def test_an_approval_covers_one_repair_only() -> None:
    first = plans.plan(known(node(1, BAD), *fit(9)), AMPLE)
    second = plans.plan(known(node(1, BAD), *fit(9), records={iid(1): record("replace")}), AMPLE)
    assert does(first) == does(second) == [("01", "replace")] and first.number("ml") != second.number("ml")


@pytest.mark.parametrize(
    ("changes", "expected", "why"),
    [
        ({"known": {"hyperpod": "Failure", "slurm": "down", "jobs": [], "kubernetes": {}}}, "escalate", "HyperPod reports status Failure. Only"),
        ({"private_ip": ""}, "later", "HyperPod returned no address"),
    ],
)
def test_only_running_nodes_known_to_slurm_are_repaired(changes: dict[str, t.Any], expected: str, why: str) -> None:
    given = known(node(1, BAD), *fit(9))
    given.nodes[iid(1)].update(changes)
    (row,) = plans.plan(given, AMPLE).rows
    assert row.does == expected and row.why.startswith(why)


def test_the_budget_of_a_run_limits_repairs() -> None:
    made = plans.plan(known(*(node(number, problem(str(number), "unfit-replace")) for number in (1, 2, 3)), *fit(30)), plans.Budget(2, 100, 100))
    assert [row.does for row in made.rows] == ["replace", "replace", "later"]
    assert made.rows[2].why == "This run has reached the limit remediation_at_once=2. Run again after this run has ended."


def test_the_daily_budget_counts_past_and_planned_repairs() -> None:
    records = {iid(90): record("reboot"), iid(91): record("reboot", hours=25)}
    made = plans.plan(known(node(1, SHAKEN), node(2, BAD), *fit(9), records=records), plans.Budget(25, 2, 100))
    assert sorted(row.does for row in made.rows) == ["later", "replace"]


@pytest.mark.parametrize(("percent", "expected"), [(0, ["replace", "later"]), (19, ["replace", "later"]), (20, ["replace", "replace"])])
def test_a_group_keeps_its_share_in_service(percent: int, expected: list[str]) -> None:
    made = plans.plan(known(node(1, BAD), node(2, problem("x", "unfit-replace")), *fit(8)), plans.Budget(25, 100, percent))
    assert [row.does for row in made.rows] == expected


def test_nodes_already_out_of_service_count_and_can_be_repaired() -> None:
    away = [node(number, slurm="down") for number in (5, 6)]
    made = plans.plan(known(node(1, BAD), *away, *fit(17)), plans.Budget(25, 100, 10))
    text = "Instance group gpus has 2 of 20 nodes out of service, including nodes with planned actions, and remediation_group_percent allows 2."
    assert does(made) == [("01", "later")] and made.rows[0].why == text
    drained = plans.plan(known(node(1, BAD, slurm="drained"), *away, *fit(17)), plans.Budget(25, 100, 10))
    assert does(drained) == [("01", "replace")]


def in_kubernetes(**more: t.Any) -> dict[str, t.Any]:
    labels = {"health_status": "Schedulable", "deep_health_check": "", "fault_types": "", "fault_reasons": "", "node_pool": ""}
    return {"node": "hyperpod-i", **labels, "unschedulable": False, "taints": [], "conditions": [], **more}


def test_a_node_of_karpenter_is_escalated() -> None:
    (row,) = plans.plan(known(node(1, BAD, kubernetes=in_kubernetes(node_pool="gpus")), *fit(9)), AMPLE).rows
    assert row.does == "escalate" and "for NodePool gpus" in row.why
    (row,) = plans.plan(known(node(1, BAD, kubernetes=in_kubernetes()), *fit(9)), AMPLE).rows
    assert row.does == "replace"


@pytest.mark.parametrize(
    ("more", "does"),
    [
        ({}, "replace"),
        ({"unschedulable": True}, "later"),
        ({"health_status": "Unschedulable"}, "later"),
        ({"health_status": ""}, "replace"),
        ({"conditions": [{"type": "Ready", "status": "Unknown", "reason": "", "message": ""}]}, "later"),
        ({"conditions": [{"type": "NvidiaErrorReboot", "status": "True", "reason": "", "message": ""}]}, "replace"),
    ],
)
def test_nodes_that_accept_no_pods_are_out_of_service(more: dict[str, t.Any], does: str) -> None:
    made = plans.plan(known(node(1, BAD), node(2, kubernetes=in_kubernetes(**more)), *fit(3)), plans.Budget(25, 100, 10))
    assert [row.does for row in made.rows] == [does]


def test_a_kubernetes_node_is_matched_by_its_instance_id() -> None:
    given = known(node(1, BAD, kubernetes=in_kubernetes()), *fit(9))
    given.nodes[iid(1)]["private_ip"] = ""
    assert [row.does for row in plans.plan(given, AMPLE).rows] == ["replace"]


PENDING = problem("gpu-rows-pending", "watch", text="GPU 3 waits for a reset.")


def waiting(number: int, **more: t.Any) -> Node:
    return node(number, PENDING, **{"slurm": "idle", **more})


def test_a_working_node_that_needs_a_reboot_gets_it_when_idle() -> None:
    hot = node(3, problem("gpu-hot", "watch"), slurm="idle")
    made = plans.plan(known(node(1, SHAKEN), waiting(2), hot, *fit(12)), AMPLE)
    assert does(made) == [("01", "reboot"), ("02", "reboot")]
    row = made.rows[1]
    assert (row.why, row.address, row.times, row.turn, row.codes) == ("GPU 3 waits for a reset.", "10.0.0.2", 1, 1, ("gpu-rows-pending",))
    assert made.number("ml") != plans.plan(known(node(1, SHAKEN), node(2), hot, *fit(12)), AMPLE).number("ml")
    of_eks = waiting(2, slurm="", kubernetes=in_kubernetes())
    assert does(plans.plan(known(of_eks, *fit(9)), AMPLE)) == [("02", "reboot")]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"slurm": "mixed", "jobs": ("7 of alice",)}, "The node will be rebooted after these jobs have ended: 7 of alice."),
        ({"slurm": "", "kubernetes": in_kubernetes(), "jobs": ("default/train",)}, "The node will be rebooted after these jobs have ended: default/train."),
        ({"slurm": "allocated"}, "The node will be rebooted when it is idle. Slurm reports state allocated."),
        ({"slurm": ""}, "The node will be rebooted when it is known to be idle, but neither Slurm nor Kubernetes reported its state."),
    ],
)
def test_a_working_node_that_needs_a_reboot_stays_in_service(more: dict[str, t.Any], why: str) -> None:
    (row,) = plans.plan(known(waiting(1, **more), *fit(9)), AMPLE).rows
    assert (row.does, row.why) == ("later", f"A GPU must remap a row of its memory. {why}")


def test_unfit_nodes_precede_pending_reboots_and_checks() -> None:
    nodes = (waiting(1), node(2, SHAKEN), node(3), *fit(12))
    assert does(plans.plan(known(*nodes), plans.Budget(2, 100, 100), only(3))) == [("02", "reboot"), ("01", "reboot"), ("03", "later")]
    assert does(plans.plan(known(*nodes), plans.Budget(1, 100, 100))) == [("02", "reboot"), ("01", "later")]
    assert does(plans.plan(known(*nodes), plans.Budget(25, 1, 100))) == [("02", "reboot"), ("01", "later")]
    assert does(plans.plan(known(*nodes), plans.Budget(25, 100, 0))) == [("02", "reboot"), ("01", "later")]
    assert does(plans.plan(known(*nodes), AMPLE, only(1))) == [("02", "reboot"), ("01", "check")]


def test_each_condition_that_delays_a_reboot_is_reported() -> None:
    stopped = plans.plan(known(waiting(9), *(node(number, SHAKEN) for number in (1, 2, 3)), *fit(6)), AMPLE)
    assert {row.does for row in stopped.rows} == {"stop"} and len(stopped.rows) == 4
    busy = known(waiting(1, service="HyperPod reports status Pending"), *fit(9))
    busy.nodes[iid(1)]["service"]["since"] = "2026-11-20T00:00:00Z"
    assert does(plans.plan(busy, AMPLE)) == [("01", "later")]
    for more in ({"node_type": "login"}, {"known": {"kubernetes": {"node_pool": "gpus"}, "jobs": [], "slurm": "", "hyperpod": "Running"}}):
        given = known(waiting(1), *fit(9))
        given.nodes[iid(1)].update(more)
        assert plans.plan(given, AMPLE).rows == ()
    twice = plans.plan(known(waiting(1), *fit(9), records={iid(1): record("reboot", "reboot", times=2)}), AMPLE)
    assert does(twice) == [("01", "escalate")] and twice.rows[0].why.endswith("the node needs another reboot for its GPU memory. Open a support case with AWS.")
    once = plans.plan(known(waiting(1), *fit(9), records={iid(1): record("reboot", codes=["gpu-rows-pending"])}), AMPLE)
    assert [(row.does, row.times) for row in once.rows] == [("reboot", 2)]


@pytest.mark.parametrize(("many", "others", "expected"), [(3, 11, "later"), (3, 12, "reboot"), (2, 2, "reboot")])
def test_a_reboot_that_many_nodes_need_is_delayed(many: int, others: int, expected: str) -> None:
    made = plans.plan(known(*(waiting(number) for number in range(1, many + 1)), node(40, SHAKEN), *fit(others - 1)), AMPLE)
    assert [row.does for row in made.rows] == ["reboot", *[expected] * many]


def test_unchecked_nodes_do_not_reduce_a_share() -> None:
    others = [node(number, has_accelerators=False) for number in range(70, 80)]
    made = plans.plan(known(*map(waiting, (1, 2, 3)), *fit(7), *others), AMPLE)
    assert {(row.does, row.why.partition(".")[0]) for row in made.rows} == {("later", "3 of 10 nodes have gpu-rows-pending")}


STRESS = Request(("InstanceStress", "InstanceConnectivity"), ("gpus",))


def only(*numbers: int) -> Request:
    return Request(("InstanceStress",), tuple(iid(number) for number in numbers))


def test_requested_nodes_that_are_not_unfit_are_checked() -> None:
    watched, unseen = node(2, problem("gpu-throttled", "watch")), node(3, not_read="It could not be reached.")
    nodes = (node(1), watched, unseen, node(4, SHAKEN), node(5, has_accelerators=False), node(6, jobs=("7 of alice",)), *fit(9))
    made = plans.plan(known(*nodes), AMPLE, only(1, 2, 3, 4, 5, 6))
    assert does(made) == [("04", "reboot"), ("01", "check"), ("02", "check"), ("03", "check"), ("05", "later"), ("06", "check")]
    row = made.acts[-1]
    assert (row.address, row.times, row.turn, row.checks) == ("10.0.0.6", 0, 1, "InstanceStress")
    assert row.why == "HyperPod runs InstanceStress, and reboots or replaces the node if a check fails. The run waits for the node's jobs: 7 of alice."
    assert len(plans.plan(known(*fit(9)), AMPLE, STRESS).acts) == 9
    assert plans.plan(known(*fit(9)), AMPLE).rows == ()


@pytest.mark.parametrize("kind", ["controller", "login"])
def test_login_and_controller_nodes_are_not_checked(kind: str) -> None:
    given = known(*fit(2))
    given.nodes[iid(50)]["node_type"] = kind
    assert [row.node for row in plans.plan(given, AMPLE, STRESS).rows] == [iid(51)]


def test_checks_use_the_budget_left_by_repairs() -> None:
    made = plans.plan(known(node(1, SHAKEN), *fit(9)), plans.Budget(2, 100, 100), only(50, 51))
    assert does(made) == [("01", "reboot"), (iid(50)[-2:], "check"), (iid(51)[-2:], "later")]
    day = plans.plan(known(*fit(9), records={iid(90): record("check", times=0)}), plans.Budget(25, 2, 100), only(50, 51))
    assert [row.does for row in day.rows] == ["check", "later"]
    share = plans.plan(known(*fit(10)), plans.Budget(25, 100, 10), STRESS)
    assert [row.does for row in share.rows].count("check") == 1 and share.rows[1].checks == "InstanceStress,InstanceConnectivity"


def test_the_nodes_checked_longest_ago_come_first() -> None:
    records = {iid(50): record("check", hours=1, times=0), iid(51): record("check", hours=30, times=0)}
    made = plans.plan(known(*fit(3), records=records), AMPLE, STRESS)
    assert [row.node for row in made.rows] == [iid(52), iid(51), iid(50)] and [row.turn for row in made.rows] == [1, 2, 2]


def test_an_approval_covers_one_check_of_one_kind() -> None:
    first = plans.plan(known(*fit(3)), AMPLE, only(50)).number("ml")
    again = plans.plan(known(*fit(3), records={iid(50): record("check", times=0)}), AMPLE, only(50)).number("ml")
    other = plans.plan(known(*fit(3)), AMPLE, Request(("InstanceConnectivity",), (iid(50),))).number("ml")
    assert len({first, again, other}) == 3


def test_a_check_does_not_count_as_a_repair() -> None:
    (once,) = plans.plan(known(node(1, SHAKEN), *fit(5), records={iid(1): record("reboot", "check")}), AMPLE).rows
    assert (once.does, once.times, once.turn) == ("replace", 2, 3)
    (fresh,) = plans.plan(known(node(1, SHAKEN), *fit(5), records={iid(1): record("check", times=0)}), AMPLE).rows
    assert (fresh.does, fresh.times) == ("reboot", 1)
    bad = known(node(1, SHAKEN), *fit(5), records={iid(1): record("check", "check", "check", times=0)})
    assert does(plans.plan(bad, AMPLE)) == [("01", "reboot")]
    kept = plans.plan(known(*fit(2), records={iid(50): record("reboot", "replace", times=2)}), AMPLE, only(50)).rows
    assert [(row.does, row.times) for row in kept] == [("check", 2)]


@pytest.mark.parametrize(
    ("changes", "expected", "why"),
    [
        ({"known": {"hyperpod": "Failure", "slurm": "down", "jobs": []}}, "later", "HyperPod reports status Failure. Only nodes with status Running"),
        ({"private_ip": ""}, "later", "HyperPod returned no address"),
        ({"service": {"does": "HyperPod reports status Pending", "since": "2026-11-20T00:00:00Z"}}, "wait", "HyperPod reports status Pending, at least since"),
    ],
)
def test_a_delayed_check_is_not_escalated(changes: dict[str, t.Any], expected: str, why: str) -> None:
    given = known(*fit(3))
    given.nodes[iid(50)].update(changes)
    (row,) = plans.plan(given, AMPLE, only(50)).rows
    assert row.does == expected and row.why.startswith(why)


def test_one_check_runs_per_cluster_at_a_time() -> None:
    busy = node(1, hyperpod="DeepHealthCheckInProgress", service="HyperPod reports status DeepHealthCheckInProgress")
    (row,) = plans.plan(known(busy, *fit(3)), AMPLE, only(50)).rows
    assert row.does == "wait" and row.why.startswith(f"HyperPod now checks {iid(1)}, and")


def test_a_problem_common_to_many_nodes_stops_checks() -> None:
    made = plans.plan(known(*(node(number, SHAKEN) for number in (1, 2, 3)), *fit(3)), AMPLE, only(50))
    assert {row.does for row in made.rows} == {"stop"}


def spare(available: int | None, spares: int | None = 0) -> Capacity:
    return Capacity("research", available, spares, "" if available is not None else "not allowed")


def replaceable(count: int) -> list[Node]:
    return [node(number, problem(str(number), "unfit-replace")) for number in range(1, count + 1)]


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (spare(0), ["later"] * 3),
        (spare(1, 1), ["replace", "replace", "later"]),
        (spare(3), ["replace"] * 3),
        (spare(None), ["replace"] * 3),
        (spare(5, None), ["replace"] * 3),
    ],
)
def test_replacements_use_the_remaining_capacity_of_the_training_plan(left: Capacity, expected: list[str]) -> None:
    made = plans.plan(dataclasses.replace(known(*replaceable(3), *fit(20)), spare={"gpus": left}), AMPLE)
    assert [row.does for row in made.rows] == expected


def test_missing_and_unknown_capacity_for_a_replacement_is_reported() -> None:
    given = known(*replaceable(2), *fit(20))
    last = plans.plan(dataclasses.replace(given, spare={"gpus": spare(0, 1)}), AMPLE).rows[1]
    assert last.why == "Training plan research has 0 available and 1 spare instances, and this run already uses 1. There is no capacity for a replacement."
    unsure = plans.plan(dataclasses.replace(given, spare={"gpus": spare(None)}), AMPLE).rows[0]
    assert unsure.why == "It fell off the bus. Capacity for a replacement in training plan research is unknown: not allowed."


def test_groups_share_a_training_plan_and_reboots_need_no_capacity() -> None:
    given = known(*replaceable(2), node(3, SHAKEN), *fit(20))
    given.nodes[iid(2)]["instance_group"] = "others"
    made = plans.plan(dataclasses.replace(given, spare={"gpus": spare(1), "others": spare(1)}), AMPLE)
    assert sorted(does(made)) == [("01", "replace"), ("02", "later"), ("03", "reboot")]
    shaken = known(node(3, SHAKEN), node(4, SHAKEN), *fit(20), records={iid(4): record("reboot")})
    assert does(plans.plan(dataclasses.replace(shaken, spare={"gpus": spare(1)}), AMPLE)) == [("03", "reboot"), ("04", "replace")]
    apart = plans.plan(dataclasses.replace(given, spare={"others": spare(1)}), AMPLE)
    assert [row.does for row in apart.rows].count("replace") == 2
