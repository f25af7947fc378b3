# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Slurm node of this machine, and what Slurm is told of it."""

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
def test_what_slurm_is_told(state: str, reason: str, found: Verdict, expected: tuple[str, ...]) -> None:
    assert own_node.change(Member("n1", "gpu", state, reason), found) == expected


def test_the_node_is_the_one_that_slurmd_calls_itself(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (own_node.report(BAD), node.told()) == (Reported(DRAIN), [f"update nodename=n1 {' '.join(DRAIN)}"])
    monkeypatch.delenv("SLURMD_NODENAME")
    monkeypatch.setattr(socket, "gethostname", lambda: "n0.example.org")
    assert (own_node.report(BAD), node.told()) == (Reported(DRAIN), [f"update nodename=n0 {' '.join(DRAIN)}"])
    monkeypatch.setattr(socket, "gethostname", lambda: "n9")
    assert (own_node.report(BAD), node.told()) == (Reported(), [])
    assert own_node.report(LOG_LED) == Reported(held="Slurm does not list it")


@pytest.mark.parametrize("found", [BAD, LOG_LED], ids=["seen now", "led to by the log"])
def test_the_brake_holds_whatever_made_the_node_unfit(node: t.Any, found: Verdict) -> None:
    node.others = [f"n2|gpu|drained|{REASON}"]
    node.is_in("idle", "none")
    told = own_node.report(found)
    assert (told.values, node.told()) == ((), [])
    assert told.held == "1 of 2 nodes of partition gpu are already drained for their accelerators"


def test_a_drain_that_came_at_the_same_moment_as_others_is_taken_back(node: t.Any) -> None:
    drained = node.slurm / "drained"
    drained.write_text(f"n0|gpu|drained|{REASON}\nn1|gpu|drained|{REASON}\n")
    node.does("scontrol", f'echo "$*" >>{node.slurm}/told; cp {drained} {node.slurm}/known')
    told = own_node.report(BAD)
    assert (told.values, node.told()[1:]) == ((), ["update nodename=n1 state=resume"])
    assert "at the same moment" in told.held


def test_a_node_that_we_drained_is_resumed_whatever_the_brake_says(node: t.Any) -> None:
    node.others = [f"n{number}|gpu|drained|{REASON}" for number in (2, 3)]
    node.is_in("drained", REASON)
    assert own_node.report(GOOD) == Reported(RESUME)
    assert own_node.report(Verdict(0, False, "unfit-replace: gpu-lost")).values[0] == "state=drain", "with what is known now"


def test_slurm_is_not_waited_for(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_node, "SECONDS", 0.2)
    node.does("sinfo", "exec sleep 100")
    with pytest.raises(CommandFailed, match="did not end"):
        own_node.report(BAD)
