# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Slurm node of this machine, and what Slurm is told of it."""

from __future__ import annotations

import socket
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.hooks.program import own_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.hooks.program.verdict import Verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import SlurmNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

BAD, GOOD, UNKNOWN = Verdict(0, False, "unfit-reboot: gpu-lost"), Verdict(0, True, ""), Verdict(0, False, "")
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
    assert own_node.change(SlurmNode("n1", "10.0.0.2", state, reason), found) == expected


def test_the_node_is_the_one_that_slurmd_calls_itself(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    node.does("sinfo", f'echo "$*" >>{node.slurm}/asked; cat {node.slurm}/known')
    assert (own_node.tell(BAD), node.told()) == (DRAIN, [f"update nodename=n1 {' '.join(DRAIN)}"])
    assert "--nodes=n1" in (node.slurm / "asked").read_text()
    monkeypatch.delenv("SLURMD_NODENAME")
    monkeypatch.setattr(socket, "gethostname", lambda: "n0.example.org")
    assert (own_node.tell(BAD), node.told()) == (DRAIN, [f"update nodename=n0 {' '.join(DRAIN)}"])
    monkeypatch.setattr(socket, "gethostname", lambda: "n9")
    assert (own_node.tell(BAD), node.told()) == ((), [])


def test_slurm_is_not_waited_for(node: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_node, "SECONDS", 0.2)
    node.does("sinfo", "exec sleep 100")
    with pytest.raises(CommandFailed, match="did not end"):
        own_node.tell(BAD)
