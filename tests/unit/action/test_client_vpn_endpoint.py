# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of the module is shown during its wait if it runs on the controller."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.client_vpn_endpoint import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import watch

TASK = {"vpc_id": "vpc-1"}


@pytest.fixture
def shown(monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(watch.display, "display", lines.append)
    return lines


def test_each_line_is_shown_once_and_the_file_is_removed(action, shown):
    made, node = action(ActionModule, TASK, {"changed": True, "invocation": {"module_args": {**TASK, "_progress_file": "x"}}})
    files = []

    def work(arguments):
        path = Path(arguments["_progress_file"])
        files.append((path, stat.S_IMODE(os.stat(path).st_mode)))
        path.write_text("one\ntwo\nhal")

    node.before = work
    result = made.run(task_vars={})
    assert shown == ["waiting: one", "waiting: two"]
    assert result == {"changed": True, "invocation": {"module_args": TASK}}
    ((path, mode),) = files
    assert (path.exists(), mode, node.calls) == (False, 0o600, [{**TASK, "_progress_file": str(path)}])


def test_a_failure_leaves_no_file(action, shown):
    made, node = action(ActionModule, TASK, OSError("no"))
    with pytest.raises(OSError):
        made.run(task_vars={})
    assert not os.path.exists(node.calls[0]["_progress_file"])


def test_no_progress_is_shown_if_the_module_runs_elsewhere(action, shown):
    made, node = action(ActionModule, TASK, {"changed": False}, transport="ssh")
    assert made.run(task_vars={}) == {"changed": False}
    assert (node.calls, shown) == ([TASK], [])
