# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commit-confirm as the controller drives it: change, log in anew, confirm; otherwise tell what the node undid."""

from __future__ import annotations

import time
import typing as t

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible.plugins.action import ActionBase
from ansible.plugins.connection import ConnectionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of, printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.in_memory import without_file

PAUSE = 2.0
# After its timer fired the node still has to put the files back and to let sshd reload them.
MARGIN = 45.0

display = Display()


class CommitConfirmAction(ActionBase):
    """Runs the module of the same name in two phases, the second one over a new login."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        for option in ("phase", "token"):
            if option in self._task.args:
                raise AnsibleActionFail(f"{option} is set by the action plugin; remove it from the task.")
        without_file(self._connection)
        applied = self._execute_module(module_args=dict(self._task.args), task_vars=task_vars)
        change = applied.get("sshd_change") or {}
        if change.get("status") == "pending":
            applied["sshd_change"] = change = self._confirm(change, task_vars=task_vars)
        change.pop("token", None)
        result.update(applied)
        return result

    def _confirm(self, change: dict[str, t.Any], *, task_vars: t.Any) -> dict[str, t.Any]:
        """Ask over new logins until the node says what became of the change."""
        timeout = int(self._task.args.get("confirm_timeout", 60))
        deadline = time.monotonic() + timeout + MARGIN
        last_error = ""
        while True:
            answer, error = self._ask(change["token"], task_vars=task_vars)
            last_error = error or last_error
            if answer.get("status") == "confirmed":
                return answer
            if answer.get("status") == "rolled_back":
                raise AnsibleActionFail(rolled_back_message(change, timeout=timeout, last_error=last_error))
            if time.monotonic() >= deadline:
                raise AnsibleConnectionFailure(lost_message(change, timeout=timeout, last_error=last_error))
            display.vv(f"The change of {printable(change['subject'])} is not confirmed yet: {last_error}")
            time.sleep(PAUSE)

    def _ask(self, token: str, *, task_vars: t.Any) -> tuple[dict[str, t.Any], str]:
        """One new login and one question: the node's answer, or why there is none."""
        arguments = {"phase": "confirm", "token": token}
        try:
            # Without a reset the old multiplexed connection would answer, which proves nothing.
            if type(self._connection).reset is not ConnectionBase.reset:
                self._connection.reset()
            answer = self._execute_module(module_args=arguments, task_vars=task_vars)
        except AnsibleConnectionFailure as error:
            return {}, last_line(str(error))
        if answer.get("failed"):
            return {}, last_line(str(answer.get("msg") or answer.get("module_stderr") or "the module failed"))
        status = answer.get("sshd_change") or {}
        return status, last_line(str(status.get("note") or ""))


def rolled_back_message(change: dict[str, t.Any], *, timeout: int, last_error: str) -> str:
    return (
        f"The change of {printable(change['subject'])} was rolled back by the node: no new login confirmed it within {timeout} s. "
        f"Put back: {', '.join(map(printable, change['files']))}. The last attempt failed with: {last_error or 'no error'}"
    )


def lost_message(change: dict[str, t.Any], *, timeout: int, last_error: str) -> str:
    return (
        f"The node could not be asked what became of the change of {printable(change['subject'])}. It was to undo the change "
        f"after {timeout} s by itself. The last attempt failed with: {last_error or 'no error'}"
    )


def last_line(text: str) -> str:
    lines = [line.strip() for line in lines_of(text) if line.strip()]
    return printable(lines[-1]) if lines else ""
