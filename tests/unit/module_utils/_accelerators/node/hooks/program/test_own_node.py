# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Slurm node of this machine, and its updates."""

from __future__ import annotations

import socket
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import own_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.brake import Member
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.own_node import Reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.verdict import Verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

BAD, GOOD, UNKNOWN = Verdict(0, False, "unfit-reboot: gpu-lost"), Verdict(0, True, ""), Verdict(0, False, "")
LOG_LED = Verdict(0, False, "unfit-reboot: gpu-xid", log_led=True)
REASON = "mlfleet.hyperpod: accelerators: unfit-reboot: gpu-lost"
DRAIN, RESUME = ("state=drain", f"reason={REASON}"), ("state=resume",)


@pytest.mark.parametrize(
    ("state", "reason", "found", "expected"),
    [
        ("idle", "", BAD, DRAIN),
        ("mixed", "", BAD, DRAIN),
        ("idle", REASON, BAD, DRAIN),
        ("drained", REASON, BAD, ()),
        ("drained", REASON.replace("reboot", "replace"), BAD, DRAIN),
        ("drained", "", BAD, ()),
        ("drained", "mlfleet.hyperpod: new software: ", BAD, ()),
        ("fail", "Action:Replace", BAD, ()),
        ("down", "Not responding", BAD, ()),
        ("drained", REASON, GOOD, RESUME),
        ("draining", REASON, GOOD, RESUME),
        ("idle", REASON, GOOD, ()),
        ("drained", "mlfleet.hyperpod: new software: ", GOOD, ()),
        ("drained", "mine", GOOD, ()),
        ("drained", REASON, UNKNOWN, ()),
        ("idle", "", UNKNOWN, ()),
        ("idle", "", GOOD, ()),
    ],
)
def test_the_update_depends_on_state_reason_and_verdict(state: str, reason: str, found: Verdict, expected: tuple[str, ...]) -> None:
    assert own_node.change(Member("n1", "gpu", state, reason), found) == expected


def test_the_node_is_that_of_slurmd_or_of_the_host_name(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (own_node.report(BAD), node.updates()) == (Reported(DRAIN), [f"update nodename=n1 {' '.join(DRAIN)}"])
    monkeypatch.delenv("SLURMD_NODENAME")
    monkeypatch.setattr(socket, "gethostname", lambda: "n0.example.org")
    assert (own_node.report(BAD), node.updates()) == (Reported(DRAIN), [f"update nodename=n0 {' '.join(DRAIN)}"])
    monkeypatch.setattr(socket, "gethostname", lambda: "n9")
    assert (own_node.report(BAD), node.updates()) == (Reported(), [])
    assert own_node.report(LOG_LED) == Reported(held="Slurm does not list the node")


@pytest.mark.parametrize("found", [BAD, LOG_LED], ids=["seen now", "by the log"])
def test_the_brake_applies_to_all_verdicts(node: t.Any, found: Verdict) -> None:
    node.others = [f"n2|gpu|drained|{REASON}"]
    node.set_state("idle", "none")
    reported = own_node.report(found)
    assert (reported.values, node.updates()) == ((), [])
    assert reported.held == "1 of 2 nodes of partition gpu are already drained because of their accelerators"


def test_a_drain_at_the_same_moment_as_others_is_undone(node: t.Any) -> None:
    drained = node.slurm / "drained"
    drained.write_text(f"n0|gpu|drained|{REASON}\nn1|gpu|drained|{REASON}\n")
    node.set_command("scontrol", f'echo "$*" >>{node.slurm}/updates; cp {drained} {node.slurm}/nodes')
    reported = own_node.report(BAD)
    assert (reported.values, node.updates()[1:]) == ((), ["update nodename=n1 state=resume"])
    assert "at the same moment" in reported.held


def test_the_brake_does_not_stop_the_resume_of_our_own_drain(node: t.Any) -> None:
    node.others = [f"n{number}|gpu|drained|{REASON}" for number in (2, 3)]
    node.set_state("drained", REASON)
    assert own_node.report(GOOD) == Reported(RESUME)
    assert own_node.report(Verdict(0, False, "unfit-replace: gpu-lost")).values[0] == "state=drain", "with the current reason"


def test_a_slurm_that_does_not_answer_is_an_error(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_node, "SECONDS", 0.2)
    node.set_command("sinfo", "exec sleep 100")
    with pytest.raises(CommandFailed, match="did not end"):
        own_node.report(BAD)
