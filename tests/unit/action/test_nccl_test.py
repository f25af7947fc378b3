# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines while a test of NCCL lasts."""

from __future__ import annotations

import queue
import threading
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action import nccl_test

ASKED = {"addresses": ["10.1.2.3", "10.1.2.4"], "gpus": 8}


def test_the_module_answers(action: t.Any) -> None:
    asking, node = action(nccl_test.ActionModule, ASKED, {"nccl_test": {"verdict": "passed"}, "changed": False})
    answer = asking.run(task_vars={"inventory_hostname": "i-1"})
    assert answer["nccl_test"] == {"verdict": "passed"} and node.asked == [ASKED]
    assert "nccl-test" not in [each.name for each in threading.enumerate()]


def test_lines_are_shown_while_the_module_runs(action: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(nccl_test.display, "display", lines.put)
    monkeypatch.setitem(nccl_test.show_progress.__kwdefaults__, "quiet", 0.001)
    asking, node = action(nccl_test.ActionModule, ASKED, {"changed": False})
    shown: list[str] = []
    node.before = lambda _arguments: shown.append(lines.get(timeout=30))
    asking.run(task_vars={"inventory_hostname": "i-1"})
    assert [line.rpartition(":")[0] for line in shown] == ["i-1: NCCL test of 2 node(s)"]


def test_it_tells_until_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, lines = threading.Event(), []

    def shown(line: str) -> None:
        lines.append(line)
        if len(lines) == 2:
            ended.set()

    monkeypatch.setattr(nccl_test.display, "display", shown)
    nccl_test.show_progress("i-1", ["10.1.2.3", "10.1.2.4"], ended, quiet=0.001)
    assert lines == ["i-1: NCCL test of 2 node(s): 0 s"] * 2
    nccl_test.show_progress("i-1", None, ended)
    assert len(lines) == 2
