# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the answer of a node, its trust record, and the findings about it."""

from __future__ import annotations

import dataclasses
import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import (
    apply as access,
    plan,
    result as report,
    session,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.node_script import Answer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.record import Recorded, Records
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey

from .test_plan import COMPUTE, MARK, MARKED, NODE, OPERATIONS, OTHER_MARK, RECORD, key, recorded

FRESH_MARK = "c" * 32
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abcdefghijkl"
CLUSTER = Cluster("ml", ARN, "abcdefghijkl", "us-west-2", "111111111111", "aws", "InService", "slurm")


class Parameters:
    """A client of Parameter Store that only writes."""

    def __init__(self) -> None:
        self.written: dict[str, t.Any] = {}

    def put_parameter(self, *, Name: str, Value: str, **_others: t.Any) -> dict[str, t.Any]:
        self.written[Name] = json.loads(Value)
        return {}


@pytest.fixture(name="parameters")
def _parameters() -> Parameters:
    return Parameters()


@pytest.fixture(name="sessions")
def _sessions(parameters: Parameters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> access.Sessions:
    monkeypatch.setattr(access, "AT_ONCE", 1)
    return access.Sessions(CLUSTER, Records(parameters), OPERATIONS, None, str(tmp_path), timeout=60)


def answer(*keys: PublicKey, mismatch: bool = False, problem: str = "", **more: t.Any) -> Answer:
    return Answer(keys, mismatch, problem, **{"found": MARK, "mark": MARK, **more})


NEW_DISK = {"found": "", "mark": FRESH_MARK, "changed": ("account hyperpod-ops",)}
NEW = plan.NodePlan(NODE, plan.GAIN, "no trust record")
KNOWN = plan.NodePlan(NODE, plan.RECHECK, "a recheck was requested", (key(1),), (key(1),), configured=True, mark=MARK)
MOVED = dataclasses.replace(KNOWN, action=plan.GAIN, reason=plan.NEW_TIMES, announced=True)
UNMARKED = dataclasses.replace(KNOWN, mark="")


@dataclasses.dataclass(frozen=True)
class Case:
    plan: plan.NodePlan
    answer: Answer
    access: str
    reason: str = ""
    saved: bool = True
    fresh: bool = False
    configured: bool = False


CASES = {
    "new node": Case(NEW, answer(key(1), **NEW_DISK), "gained", "no trust record", fresh=True),
    "nothing new": Case(KNOWN, answer(key(1)), "ready", "a recheck was requested", saved=False, configured=True),
    "another type of key": Case(KNOWN, answer(key(1), key(3, "ssh-rsa")), "ready", "a recheck was requested", configured=True),
    "repaired account": Case(KNOWN, answer(key(1), changed=("x",)), "ready", "a recheck was requested", configured=True),
    "a problem": Case(NEW, answer(problem="useradd failed"), "pending", "useradd failed", saved=False),
    "a problem after the keys": Case(KNOWN, answer(key(1), problem="no"), "pending", "no", saved=False),
    "new disk, announced by AWS": Case(MOVED, answer(key(2), **NEW_DISK), "gained", plan.NEW_DISK, fresh=True),
    "same disk, other times": Case(MOVED, answer(key(1)), "gained", access.SAME_DISK, configured=True),
    "new disk, not announced": Case(KNOWN, answer(key(2), **NEW_DISK), "gained", access.UNANNOUNCED_DISK, fresh=True),
    "disk with another mark": Case(
        KNOWN, answer(key(2), **{**NEW_DISK, "found": OTHER_MARK}), "gained", access.UNANNOUNCED_DISK, fresh=True
    ),
    "new disk, same key": Case(KNOWN, answer(key(1), **NEW_DISK), "gained", access.UNANNOUNCED_DISK, fresh=True),
    "keys that fill a record": Case(
        NEW, answer(key(1, size=4096), **NEW_DISK), "pending", "its host keys are too long for a trust record", saved=False
    ),
    "record without a mark": Case(
        UNMARKED, answer(key(1), **{**NEW_DISK, "changed": ()}), "ready", "a recheck was requested", configured=True
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_answers_are_judged(sessions: access.Sessions, parameters: Parameters, case: Case) -> None:
    outcome = sessions._judge(case.plan, case.answer)
    assert (outcome.access, outcome.reason) == (case.access, case.reason)
    assert (outcome.fresh, outcome.configured, bool(outcome.changes)) == (case.fresh, case.configured, case.saved)
    if case.saved:
        written = parameters.written[f"/mlfleet/hyperpod/abcdefghijkl/trust/{NODE.instance_id}"]
        assert written["host_keys"] == [str(each) for each in case.answer.host_keys]
        assert (written["mark"], written["triple"]) == (case.answer.mark, list(NODE.triple))
        assert written["configured"] == case.configured
        assert outcome.changes[0].action == ("create" if case.fresh else "update")
    assert bool(parameters.written) == case.saved


@pytest.mark.parametrize(
    "planned, reply, where",
    [
        (KNOWN, answer(key(2), mismatch=True), "this disk"),
        (KNOWN, answer(key(2)), "this disk"),
        (KNOWN, answer(key(2), problem="whatever"), "this disk"),
        (MOVED, answer(key(2), mismatch=True), "this disk"),
        (UNMARKED, answer(key(2), mismatch=True, found=""), "the same launch and software update"),
        (UNMARKED, answer(key(2), mismatch=True, found=OTHER_MARK), "the same launch and software update"),
    ],
)
def test_another_key_on_the_same_disk_is_refused(
    sessions: access.Sessions, parameters: Parameters, planned: plan.NodePlan, reply: Answer, where: str
) -> None:
    outcome = sessions._judge(planned, reply)
    assert (outcome.access, outcome.record, parameters.written) == ("refused", None, {})
    assert f"presents host key ssh-ed25519 {key(2).fingerprint}" in outcome.reason
    assert f"ssh-ed25519 {key(1).fingerprint} is recorded for {where}." in outcome.reason
    assert "(ansible-playbook mlfleet.hyperpod.forget_node -e forget_nodes=i-1), then run again" in outcome.reason
    (found,) = report.findings([outcome])
    assert (found.kind, found.code, found.node, found.text) == ("pending", "host-key-changed", "i-1", outcome.reason)


def of_node(number: int) -> plan.NodePlan:
    node = dataclasses.replace(NODE, instance_id=f"i-{number}")
    return plan.NodePlan(node, plan.GAIN, "no trust record")


def test_a_refused_node_stops_no_other_node(
    sessions: access.Sessions, parameters: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = iter([f"hostkey {key(2)}\nmark {MARK}\nmismatch all\n", f"hostkey {key(5)}\nmarked {MARK}\ndone\n"])
    monkeypatch.setattr(access, "run_script", lambda route, script: next(texts))
    monkeypatch.setattr(access.Sessions, "_require_programs", lambda self: None)
    outcomes = sessions.carry_out(plan.TrustPlan((KNOWN, of_node(2)), ()))
    assert [outcome.access for outcome in outcomes] == ["refused", "gained"]
    assert list(parameters.written) == ["/mlfleet/hyperpod/abcdefghijkl/trust/i-2"]


GREETED = f"hostkey {key(1)}\nmarked {MARK}\ndone\n"


@pytest.mark.parametrize(
    "behaviours, tried, not_tried",
    [
        (["no reply"] * 5, 2, 3),
        (["no reply", GREETED, "no reply", "no reply", "no reply"], 5, 0),
        (["ended"] * 5, 5, 0),
    ],
)
def test_after_two_nodes_without_a_reply_no_other_is_tried(
    sessions: access.Sessions, monkeypatch: pytest.MonkeyPatch, behaviours: list[str], tried: int, not_tried: int
) -> None:
    left = iter(behaviours)

    def run_script(route: session.Route, script: str) -> str:
        behaviour = next(left)
        if behaviour == "no reply":
            raise session.NoGreeting("no answer\x1b[2J")
        if behaviour == "ended":
            raise session.SessionFailed("AccessDeniedException: no")
        return behaviour

    monkeypatch.setattr(access, "run_script", run_script)
    monkeypatch.setattr(access.Sessions, "_require_programs", lambda self: None)
    outcomes = sessions.carry_out(plan.TrustPlan(tuple(map(of_node, range(5))), ()))
    assert len(behaviours) - len(list(left)) == tried
    assert [each.reason for each in outcomes].count(access.NOT_TRIED) == not_tried
    assert all("\x1b" not in each.reason for each in outcomes)


@pytest.mark.parametrize(
    "planned, state, fresh, changed",
    [
        (NEW, "would_gain", True, True),
        (MOVED, "would_gain", False, True),
        (dataclasses.replace(KNOWN, action=plan.READY, reason=""), "ready", False, False),
        (plan.NodePlan(NODE, plan.PENDING, "the node is Pending"), "pending", False, False),
    ],
)
def test_nodes_without_a_session_have_an_outcome(planned: plan.NodePlan, state: str, fresh: bool, changed: bool) -> None:
    outcome = access.settled(planned)
    assert (outcome.access, outcome.fresh, bool(outcome.changes)) == (state, fresh, changed)
    assert outcome.reason == planned.reason and outcome.configured == (planned.configured and state == "ready")


def test_the_report_names_newly_trusted_and_pending_nodes() -> None:
    gained = access.Outcome(NODE, "gained", "no trust record", RECORD, fresh=True)
    rsa_only = access.Outcome(COMPUTE, "gained", access.UNANNOUNCED_DISK, dataclasses.replace(RECORD, host_keys=(key(3, "ssh-rsa"),)), fresh=True)
    known = access.Outcome(NODE, "ready", "", RECORD)
    moved = access.Outcome(NODE, "gained", access.SAME_DISK, RECORD)
    findings = report.findings([gained, rsa_only, known, moved, access.Outcome(COMPUTE, "pending", "no agent"), access.settled(NEW)])
    assert [(each.kind, each.code, each.node, each.text) for each in findings] == [
        ("note", "node-trusted", "i-1", f"node i-1 (login-group): host keys recorded (no trust record), host key ssh-ed25519 {key(1).fingerprint}"),
        (
            "note",
            "node-trusted",
            "i-2",
            f"node i-2 (worker): host keys recorded ({access.UNANNOUNCED_DISK}), host key ssh-rsa {key(3, 'ssh-rsa').fingerprint}",
        ),
        ("pending", "node-not-reached", "i-2", "node i-2 (worker): no agent"),
        (
            "note",
            "node-would-gain-access",
            "i-1",
            "node i-1 (login-group): would gain access (no trust record); changes are predicted only on nodes with access",
        ),
    ]


def test_known_hosts_lines_are_only_of_nodes_with_a_valid_record() -> None:
    moved = dataclasses.replace(NODE, instance_id="i-8", last_software_update_time="2026-11-22")
    records = recorded(MARKED, dataclasses.replace(RECORD, triple=("i-8", *NODE.triple[1:])), shared=(key(7),))
    nodes: list[Node] = [NODE, COMPUTE, moved]
    assert report.host_key_lines(CLUSTER, nodes, records) == {
        "i-1": [f"i-1.abcdefghijkl {key(1)}", f"i-1.abcdefghijkl {key(7)}"]
    }
    new = dataclasses.replace(RECORD, triple=COMPUTE.triple, host_keys=(key(4),))
    after: Recorded = report.after(records, [access.Outcome(COMPUTE, "gained", "", new)])
    assert report.host_key_lines(CLUSTER, nodes, after)["i-2"] == [f"i-2.abcdefghijkl {key(4)}"]
