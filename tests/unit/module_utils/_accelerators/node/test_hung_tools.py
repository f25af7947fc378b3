# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that count as hanging tools: only recorded ones of the same user."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hung_tools import HungTools, started

TOOL = "nvidia-smi"
SINCE = 1_800_000_000.0
STATUS = {
    "Name": TOOL,
    "State": "D (disk sleep)",
    "Uid": f"{os.getuid()}\t0\t0\t0",
    "SigPnd": "0" * 16,
    "ShdPnd": "0000000000000100",
}


class Node:
    """A node whose process 7 is a recorded tool, started 1000 ticks after the boot, that SIGKILL did not end."""

    def __init__(self, root: Path) -> None:
        self.folder, self._process = root / "hung", root / "proc/7"
        self._process.mkdir(parents=True)
        self.set_process()
        self.tools = HungTools(str(self.folder), str(root / "proc"))
        self.tools.begin(TOOL, 7, SINCE)
        (self.record,) = self.folder.iterdir()

    def set_process(self, ticks: int = 1000, state: str = "D", **status: str) -> None:
        fields = {**STATUS, **status}
        (self._process / "status").write_text("".join(f"{name}:\t{words}\n" for name, words in fields.items()))
        (self._process / "stat").write_text(f"7 ({TOOL}) x) {state} 1 7 7 0 {'0 ' * 14}{ticks} 0\n")

    def write_record(self, words: str) -> None:
        self.record.write_text(words)

    @property
    def is_hanging(self) -> bool:
        return self.tools.hanging(TOOL) == [SINCE]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_recorded_process_that_a_sigkill_did_not_end_hangs(node: Node) -> None:
    assert node.is_hanging and node.tools.hanging("dcgmi") == []
    node.set_process(SigPnd="0000000000000100", ShdPnd="0" * 16)
    assert node.is_hanging, "the signal is pending for the thread"
    assert (node.folder.stat().st_mode & 0o777, node.record.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_process_that_has_ended_does_not_hang(node: Node) -> None:
    node.tools.end(TOOL, 7)
    assert not node.is_hanging


RECORD = {"pid": 7, "ticks": 1000, "since": SINCE}
OTHERS: dict[str, t.Callable[[Node], None]] = {
    "of another user": lambda node: node.set_process(Uid="65534\t0\t0\t0"),
    "an unknown user": lambda node: node.set_process(Uid=""),
    "still runs": lambda node: node.set_process(ShdPnd="0" * 16),
    "ended by another signal": lambda node: node.set_process(ShdPnd="0000000000004000"),
    "the number of another process": lambda node: node.set_process(ticks=1001),
    "has ended": lambda node: node.set_process(state="Z"),
    "not recorded": lambda node: node.record.unlink(),
    "a record without a start": lambda node: node.write_record(json.dumps({**RECORD, "ticks": None})),
    "an empty record": lambda node: node.write_record(""),
    "a too deeply nested record": lambda node: node.write_record("[" * 200_000),
    "a damaged record": lambda node: node.write_record("{"),
    "a list": lambda node: node.write_record("[]"),
    "half a record": lambda node: node.write_record('{"pid": 7}'),
    "a record that others can read": lambda node: node.record.chmod(0o644),
    "a record that others can write to": lambda node: node.record.chmod(0o602),
    "a folder that others can write to": lambda node: node.folder.chmod(0o777),
    "a link to a record": lambda node: (node.record.rename(node.folder / "x"), node.record.symlink_to("x")),
    "a link to the folder": lambda node: (node.folder.rename(node.folder.with_name("x")), node.folder.symlink_to("x")),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_other_processes_do_not_count_as_hanging(change: t.Callable[[Node], None], node: Node) -> None:
    change(node)
    assert not node.is_hanging


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("what", ["record", "folder"])
def test_records_of_other_users_do_not_count(what: str, node: Node) -> None:
    os.chown(getattr(node, what), 65534, 65534)
    assert not node.is_hanging


def test_nothing_is_recorded_in_a_folder_that_others_can_write(node: Node) -> None:
    node.record.unlink()
    node.folder.chmod(0o777)
    node.tools.begin(TOOL, 7, SINCE)
    assert not list(node.folder.iterdir())


def test_a_record_of_a_process_that_is_gone_is_removed(node: Node) -> None:
    node.set_process(ticks=1001)
    assert not node.is_hanging and not node.record.exists()


def test_started_returns_none_for_a_missing_process() -> None:
    assert started(os.getpid()) and started(2**22 + 1) is None
