# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress lines during an NCCL test."""

from __future__ import annotations

import queue
import threading
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action import nccl_test

OPTIONS = {"addresses": ["10.1.2.3", "10.1.2.4"], "gpus": 8}


def test_the_modules_result_is_returned_and_the_thread_ends(action: t.Any) -> None:
    testing, node = action(nccl_test.ActionModule, OPTIONS, {"nccl_test": {"verdict": "passed"}, "changed": False})
    result = testing.run(task_vars={"inventory_hostname": "i-1"})
    assert result["nccl_test"] == {"verdict": "passed"} and node.calls == [OPTIONS]
    assert "nccl-test" not in [each.name for each in threading.enumerate()]


def test_lines_are_shown_while_the_module_runs(action: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(nccl_test.display, "display", lines.put)
    monkeypatch.setitem(nccl_test.show_progress.__kwdefaults__, "quiet", 0.001)
    testing, node = action(nccl_test.ActionModule, OPTIONS, {"changed": False})
    shown: list[str] = []
    node.before = lambda _arguments: shown.append(lines.get(timeout=30))
    testing.run(task_vars={"inventory_hostname": "i-1"})
    assert [line.rpartition(":")[0] for line in shown] == ["i-1: NCCL test of 2 nodes"]


def test_progress_is_shown_until_the_test_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, lines = threading.Event(), []

    def shown(line: str) -> None:
        lines.append(line)
        if len(lines) == 2:
            ended.set()

    monkeypatch.setattr(nccl_test.display, "display", shown)
    nccl_test.show_progress("i-1", ["10.1.2.3", "10.1.2.4"], ended, quiet=0.001)
    assert lines == ["i-1: NCCL test of 2 nodes: 0 s"] * 2
    nccl_test.show_progress("i-1", None, ended)
    assert len(lines) == 2
