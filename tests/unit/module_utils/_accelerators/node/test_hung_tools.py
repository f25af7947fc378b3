# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which processes count as tools that hang: recorded ones alone, and no other user's."""

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
    """Process 7 was started 1000 ticks after the boot, is a tool of ours, and SIGKILL does not end it."""

    def __init__(self, root: Path) -> None:
        self.folder, self._process = root / "hung", root / "proc/7"
        self._process.mkdir(parents=True)
        self.is_now()
        self.tools = HungTools(str(self.folder), str(root / "proc"))
        self.tools.begin(TOOL, 7, SINCE)
        (self.record,) = self.folder.iterdir()

    def is_now(self, ticks: int = 1000, state: str = "D", **status: str) -> None:
        fields = {**STATUS, **status}
        (self._process / "status").write_text("".join(f"{name}:\t{words}\n" for name, words in fields.items()))
        (self._process / "stat").write_text(f"7 ({TOOL}) x) {state} 1 7 7 0 {'0 ' * 14}{ticks} 0\n")

    def writes(self, words: str) -> None:
        self.record.write_text(words)

    @property
    def hangs(self) -> bool:
        return self.tools.hanging(TOOL) == [SINCE]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_recorded_process_that_a_sigkill_did_not_end(node: Node) -> None:
    assert node.hangs and node.tools.hanging("dcgmi") == []
    node.is_now(SigPnd="0000000000000100", ShdPnd="0" * 16)
    assert node.hangs, "sent to the thread"
    assert (node.folder.stat().st_mode & 0o777, node.record.stat().st_mode & 0o777) == (0o700, 0o600)


def test_one_that_has_ended(node: Node) -> None:
    node.tools.end(TOOL, 7)
    assert not node.hangs


RECORD = {"pid": 7, "ticks": 1000, "since": SINCE}
OTHERS: dict[str, t.Callable[[Node], None]] = {
    "of another user": lambda node: node.is_now(Uid="65534\t0\t0\t0"),
    "a user who is unknown": lambda node: node.is_now(Uid=""),
    "still runs": lambda node: node.is_now(ShdPnd="0" * 16),
    "ended by another signal": lambda node: node.is_now(ShdPnd="0000000000004000"),
    "the number of another process": lambda node: node.is_now(ticks=1001),
    "has ended": lambda node: node.is_now(state="Z"),
    "not recorded": lambda node: node.record.unlink(),
    "a record without a start": lambda node: node.writes(json.dumps({**RECORD, "ticks": None})),
    "an empty record": lambda node: node.writes(""),
    "a record that is nested too deeply": lambda node: node.writes("[" * 200_000),
    "a damaged record": lambda node: node.writes("{"),
    "a list": lambda node: node.writes("[]"),
    "half a record": lambda node: node.writes('{"pid": 7}'),
    "a record that others can read": lambda node: node.record.chmod(0o644),
    "a record that others can write to": lambda node: node.record.chmod(0o602),
    "a folder that others can write to": lambda node: node.folder.chmod(0o777),
    "a link to a record": lambda node: (node.record.rename(node.folder / "x"), node.record.symlink_to("x")),
    "a link to the folder": lambda node: (node.folder.rename(node.folder.with_name("x")), node.folder.symlink_to("x")),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_what_is_no_tool_of_ours_that_hangs(change: t.Callable[[Node], None], node: Node) -> None:
    change(node)
    assert not node.hangs


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("what", ["record", "folder"])
def test_what_is_recorded_by_others_does_not_count(what: str, node: Node) -> None:
    os.chown(getattr(node, what), 65534, 65534)
    assert not node.hangs


def test_nothing_is_recorded_where_others_can_write(node: Node) -> None:
    node.record.unlink()
    node.folder.chmod(0o777)
    node.tools.begin(TOOL, 7, SINCE)
    assert not list(node.folder.iterdir())


def test_a_record_of_a_process_that_is_gone_is_removed(node: Node) -> None:
    node.is_now(ticks=1001)
    assert not node.hangs and not node.record.exists()


def test_the_start_of_a_process() -> None:
    assert started(os.getpid()) and started(2**22 + 1) is None
