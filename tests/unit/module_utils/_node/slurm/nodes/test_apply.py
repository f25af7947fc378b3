# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of Slurm nodes, also of nodes that have not registered yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes import apply as applied
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

STARTED = """\
echo "$*" >>{calls}
[ "$2" = nodename=b ] && exit 0
echo 'slurm_update error: Invalid node state specified' >&2
exit 1
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for a Slurm that has just started: the first update resumes only node a and fails, the next one resumes b."""
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(applied, "_POLL_SECONDS", 0.01)
    found = tmp_path / "calls"
    programs = {"scontrol": STARTED.format(calls=found), "sinfo": "echo 'a|a|idle|none'; echo 'b|b|drained*|ours'", "squeue": "true"}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    return found


def step(*values: str) -> Step:
    return Step("scontrol update", {"names": ["a", "b"], "values": list(values)}, ())


def test_unregistered_nodes_are_resumed_once_they_register(calls: Path) -> None:
    applied.apply(step("state=resume"))
    assert calls.read_text().splitlines() == ["update nodename=a,b state=resume", "update nodename=b state=resume"]


def test_the_wait_for_registration_is_bounded(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "_HEARS_SECONDS", -1.0)
    with pytest.raises(CommandFailed, match="Invalid node state"):
        applied.apply(step("state=resume"))
    assert len(calls.read_text().splitlines()) == 1


def test_a_drain_that_slurm_refuses_fails(calls: Path) -> None:
    with pytest.raises(CommandFailed, match="Invalid node state"):
        applied.apply(step("state=drain", "reason=disk"))
    assert len(calls.read_text().splitlines()) == 1


def test_a_repair_of_nodes_with_jobs_is_refused(calls: Path) -> None:
    (calls.parent / "squeue").write_text("#!/bin/sh\necho '7|alice|RUNNING|a'\n")
    with pytest.raises(Refused, match="There are jobs on the nodes: 7 of alice. Nothing was changed"):
        applied.apply(step("state=fail", "reason=Action:Reboot"))
    assert not calls.exists()


def test_a_repair_of_nodes_without_jobs_is_requested(calls: Path) -> None:
    applied.apply(Step("scontrol update", {"names": ["b"], "values": ["state=fail", "reason=Action:Reboot"]}, ()))
    assert calls.read_text() == "update nodename=b state=fail reason=Action:Reboot\n"
