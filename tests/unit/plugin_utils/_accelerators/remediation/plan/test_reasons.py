# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The row of one node in a repair plan: what prevents a repair, in which order, and with which text."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import history as past, plan as plans
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.checks import NONE, Request
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.plan import Row

NOW = datetime.datetime(2026, 11, 25, 3, 0, tzinfo=datetime.timezone.utc)
AMPLE = plans.Budget(at_once=25, per_day=100, group_percent=100)
BUSY = "HyperPod reports status SystemUpdating"
ONE = "i-1"


def problem(code: str = "gpu-lost", verdict: str = "unfit-reboot", cause: str = "hardware", text: str = "It is lost.") -> dict[str, str]:
    return {"code": code, "verdict": verdict, "cause": cause, "text": text, "key": "k"}


def node(verdict: str, *problems: dict[str, str], known: t.Any = None, since: str = "", does: str = "", **more: t.Any) -> dict[str, t.Any]:
    of = {"hyperpod": "Running", "slurm": "idle", "slurm_reason": "", "kubernetes": {}, "jobs": [], **(known or {})}
    named = {"instance_group": "gpus", "node_type": "compute", "private_ip": "10.0.0.1", "looked_at": ["GPUs"]}
    return {"verdict": verdict, "problems": list(problems), "known": of, "service": {"does": does, "since": since}, **named, **more}


def row(of: dict[str, t.Any], *, request: Request = NONE, budget: plans.Budget = AMPLE, acts: t.Any = None, **known: t.Any) -> Row | None:
    records = {ONE: {"group": "gpus", "times": len(acts), "acts": acts}} if acts else {}
    others = {f"i-{number}": node("fit") for number in range(10, 19)}
    given = plans.Known({ONE: of, **others}, known.pop("stops", ()), {}, past.history(records, NOW), NOW, **known)
    return next((each for each in plans.plan(given, budget, request).rows if each.node == ONE), None)


def act(does: str, *codes: str, hours: int = 30) -> dict[str, t.Any]:
    return {"does": does, "at": (NOW - datetime.timedelta(hours=hours)).isoformat(), "codes": list(codes)}


LOST, SOLD = node("unfit-reboot", problem()), node("unfit-replace", problem(verdict="unfit-replace"))
NO_ADDRESS = "HyperPod returned no address for the node. A run needs the address to find the node in Slurm."
STILL = "It is lost. A reboot was requested before, and the node is still unfit."


@pytest.mark.parametrize(
    ("of", "acts", "does", "why", "times", "turn"),
    [
        (LOST, [], "reboot", "It is lost.", 1, 1),
        (SOLD, [], "replace", "It is lost.", 1, 1),
        (LOST, [act("reboot", "gpu-lost")], "replace", STILL, 2, 2),
        (LOST, [act("reboot")], "replace", STILL, 2, 2),
        (LOST, [act("reboot", "other", "gpu-lost")], "replace", STILL, 2, 2),
        (LOST, [act("reboot", "other")], "reboot", "It is lost.", 2, 2),
        (LOST, [act("replace", "gpu-lost")], "reboot", "It is lost.", 2, 2),
        (node("unfit-reboot"), [], "reboot", "The check reports the node as unfit.", 1, 1),
        (node("unfit-reboot", problem(text="One")), [], "reboot", "One.", 1, 1),
        (node("unfit-reboot", problem(text="One?"), problem(text="Two!"), problem("x", "watch")), [], "reboot", "One? Two!", 1, 1),
        (node("unfit-reboot", problem(), known={"jobs": ["7", "8"]}), [], "reboot", "It is lost. The run waits for the node's jobs: 7, 8.", 1, 1),
    ],
)
def test_repairs_are_planned(of: dict[str, t.Any], acts: t.Any, does: str, why: str, times: int, turn: int) -> None:
    codes = ("gpu-lost",) if of["problems"] else ()
    assert row(of, acts=acts) == Row(ONE, "gpus", does, why, "10.0.0.1", times, turn, codes=codes)


STOP = ({"text": "3 nodes have it."}, {"text": "4 have that."})
CONFIGURED = node("unfit-replace", problem(verdict="unfit-replace", cause="config"))
IMAGE = "The node is misconfigured (gpu-lost), and a replacement would have the same image."
LATELY, LONG_AGO = "2026-11-25T02:59:00Z", "2026-11-24T00:00:00Z"
NOT_FOUGHT = "Find out what HyperPod waits for, or contact AWS. Runs do not change the node until HyperPod has finished."
HELD: list[tuple[dict[str, t.Any], dict[str, t.Any], str, str]] = [
    (node("unfit-reboot", problem(), does=BUSY, since=LATELY), {}, "wait", f"{BUSY}, at least since {LATELY}."),
    (node("unfit-reboot", problem(), does=BUSY, since=LONG_AGO), {}, "escalate", f"{BUSY}, at least since {LONG_AGO}. {NOT_FOUGHT}"),
    (node("unknown", does=BUSY, since=LATELY), {}, "wait", f"{BUSY}, at least since {LATELY}."),
    (node("unfit-reboot", problem(), does=BUSY, since="2026-11-25T00:00:00Z"), {}, "escalate", f"{BUSY}, at least since 2026-11-25T00:00:00Z. {NOT_FOUGHT}"),
    (node("unfit-reboot", problem(), does=BUSY, since="2026-11-25T00:00:01Z"), {}, "wait", f"{BUSY}, at least since 2026-11-25T00:00:01Z."),
    (LOST, {"stops": STOP}, "stop", "3 nodes have it. 4 have that."),
    (
        node("unfit-reboot", problem(), node_type="login"),
        {},
        "escalate",
        "The node is a login node, on which users or the queue depend. Repair the node manually.",
    ),
    (
        node("unfit-reboot", problem(), known={"kubernetes": {"node_pool": "gpus"}}),
        {},
        "escalate",
        "Karpenter manages the node for NodePool gpus. To replace the node, delete its NodeClaim.",
    ),
    (
        node("unfit-reboot", problem(), known={"hyperpod": "Failure"}),
        {},
        "escalate",
        "HyperPod reports status Failure. Only nodes with status Running are repaired or checked.",
    ),
    (node("unfit-reboot", problem(), private_ip=""), {}, "later", NO_ADDRESS),
    (
        node("unfit-reboot", problem(), known={"slurm_reason": "hot"}),
        {"by_orchestrator": True},
        "later",
        "The node's reason in Slurm (hot) was not set by a repair, and a request to HyperPod would overwrite it.",
    ),
    (CONFIGURED, {}, "escalate", f"{IMAGE} Correct the image or the lifecycle scripts, or repair the node manually."),
    (
        LOST,
        {"acts": [act("reboot", "a"), act("replace", "b")]},
        "escalate",
        "2 repairs were requested in 7 days, and the node is still unfit. Open a support case with AWS.",
    ),
    (LOST, {"budget": plans.Budget(0, 100, 100)}, "later", "This run has reached the limit remediation_at_once=0. Run again after this run has ended."),
    (
        LOST,
        {"budget": plans.Budget(25, 0, 100)},
        "later",
        "The actions of the last 24 hours, including this run, have reached the limit remediation_per_day=0.",
    ),
]


@pytest.mark.parametrize(("of", "more", "does", "why"), HELD)
def test_each_condition_that_prevents_a_repair_is_reported(of: dict[str, t.Any], more: dict[str, t.Any], does: str, why: str) -> None:
    assert row(of, **more) == Row(ONE, "gpus", does, why)


@pytest.mark.parametrize(
    ("of", "more"),
    [
        (node("unfit-reboot", problem(cause="config")), {}),
        (node("unfit-replace"), {}),
        (node("unfit-replace", problem(verdict="unfit-replace", cause="config"), problem("x", "unfit-reboot")), {}),
        (node("unfit-reboot", problem(), known={"slurm_reason": "hot"}), {"by_orchestrator": False}),
        (node("unfit-reboot", problem(), known={"slurm_reason": "mlfleet.hyperpod: repair: x"}), {"by_orchestrator": True}),
        (node("unfit-reboot", problem(), node_type=""), {}),
        (LOST, {"budget": plans.Budget(1, 1, 0)}),
    ],
)
def test_other_conditions_do_not_prevent_a_repair(of: dict[str, t.Any], more: dict[str, t.Any]) -> None:
    found = row(of, **more)
    assert found and found.does in ("reboot", "replace")


UNREAD = "Inspect the node. Reboot the node if these signs still can't be read."


@pytest.mark.parametrize(
    ("code", "verdict", "escalates"),
    [
        *((code, "unknown", True) for code in ("gpu-xid", "nvswitch-sxid", "efa-error", "gpu-inforom")),
        ("gpu-xid", "watch", False),
        ("gpu-lost", "unknown", False),
    ],
)
def test_a_record_without_a_readable_witness_is_escalated(code: str, verdict: str, escalates: bool) -> None:
    of = node("unknown", problem(code, verdict))
    assert row(of) == (Row(ONE, "gpus", "escalate", f"It is lost. {UNREAD}") if escalates else None)
    found = row(of, request=Request(("InstanceStress",), ("gpus",)))
    assert found and found.does == "check"


def test_codes_of_a_row_are_sorted_and_bounded() -> None:
    many = [problem(f"code-{number:02d}") for number in reversed(range(30))]
    found = row(node("unfit-reboot", *many, many[0]))
    assert found and found.codes == tuple(f"code-{number:02d}" for number in range(20))


WITHOUT = "The node's type has no accelerators, so deep health checks do not apply."
STRESS = Request(("InstanceStress", "InstanceConnectivity"), (ONE,))
BY = "HyperPod runs InstanceStress, InstanceConnectivity, and reboots or replaces the node if a check fails."


@pytest.mark.parametrize(
    ("of", "does", "why"),
    [
        (node("fit"), "check", BY),
        (node("watch"), "check", BY),
        (node("unknown"), "check", BY),
        (node("fit", known={"jobs": ["7"]}), "check", f"{BY} The run waits for the node's jobs: 7."),
        (node(""), "later", WITHOUT),
        (node("fit", does=BUSY, since=LONG_AGO), "wait", f"{BUSY}, at least since {LONG_AGO}."),
        (node("fit", private_ip=""), "later", NO_ADDRESS),
    ],
)
def test_checks_are_planned(of: dict[str, t.Any], does: str, why: str) -> None:
    done = {"address": "10.0.0.1", "times": 0, "turn": 1} if does == "check" else {}
    assert row(of, request=STRESS) == Row(ONE, "gpus", does, why, checks="InstanceStress,InstanceConnectivity", **done)


@pytest.mark.parametrize("kind", ["login", "controller"])
def test_only_workers_are_checked(kind: str) -> None:
    assert row(node("fit", node_type=kind), request=STRESS) is None
    assert row(node("fit", node_type=""), request=STRESS) is not None
