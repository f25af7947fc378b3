# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a module's progress while it waits. Ansible shows a module's own output only at its end, maybe half an hour later."""

from __future__ import annotations

import os
import pathlib
import tempfile
import threading
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

LOOK = 2.0
"""Seconds between two reads of the progress file."""

display = Display()


class Watched(ActionBase):
    """Runs the module of the same name on the control node, and shows the lines that the module writes to ``_progress_file``."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        variables = task_vars or {}
        if self._connection.transport != "local":
            return {**result, **self._execute_module(module_args=dict(self._task.args), task_vars=variables)}
        handle, name = tempfile.mkstemp(prefix="hyperpod-progress-")
        os.close(handle)
        ended = threading.Event()
        watcher = threading.Thread(target=show, args=(pathlib.Path(name), ended), daemon=True)
        watcher.start()
        try:
            arguments = {**self._task.args, "_progress_file": name}
            answer = self._execute_module(module_args=arguments, task_vars=variables)
        finally:
            ended.set()
            watcher.join()
            os.unlink(name)
        # The file no longer exists, so its path must not be in the result.
        answer.get("invocation", {}).get("module_args", {}).pop("_progress_file", None)
        return {**result, **answer}


def show(path: pathlib.Path, ended: threading.Event) -> None:
    """Show each complete line of the progress file once, until the module has ended."""
    shown = 0
    while True:
        last = ended.wait(LOOK)
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        for line in lines[shown:]:
            display.display(f"waiting: {line}")
        shown = len(lines)
        if last:
            return
