# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of a change to sshd: it makes the change, logs in again and confirms the change.

If no new login works, the node reverts the change, and the action plugin reports that.
"""

from __future__ import annotations

import contextlib
import os
import time
import typing as t
from dataclasses import dataclass

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of, printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.in_memory import without_file
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import NodeAction

PAUSE = 2.0
# After the timer on the node has fired, the node needs some time to restore the files and reload sshd.
MARGIN = 45.0
SHORTEST_LOGIN = 15
"""Minimum time limit of a login in seconds. A session of Systems Manager starts slowly and may wait in a queue."""
SSH = "ssh"

display = Display()


class CommitConfirmAction(NodeAction):
    """Runs the module of the same name in two phases. The second phase uses a new login."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        for option in ("phase", "token"):
            if option in self._task.args:
                raise AnsibleActionFail(f"The option {option} is set by the action plugin. Remove {option} from the task.")
        without_file(self._connection)
        applied = super().on_node(variables)
        change = applied.get("sshd_change") or {}
        if change.get("status") == "pending":
            applied["sshd_change"] = change = self._confirm(change, task_vars=variables)
        change.pop("token", None)
        return applied

    def _confirm(self, change: dict[str, t.Any], *, task_vars: t.Any) -> dict[str, t.Any]:
        """Poll over new logins until the node reports the outcome of the change.

        The last poll happens after the node's own rollback, even if earlier polls hung.
        """
        timeout = int(self._task.args.get("confirm_timeout", 60))
        undone = time.monotonic() + timeout + MARGIN
        attempts = Attempts(self._log_of(task_vars))
        while True:
            begun = time.monotonic()
            with self._limited(timeout):
                answer, error = self._ask(change["token"], task_vars=task_vars)
            attempts.add(error, seconds=time.monotonic() - begun)
            if answer.get("status") == "confirmed":
                return answer
            if answer.get("status") == "rolled_back":
                raise AnsibleActionFail(rolled_back_message(change, timeout=timeout, attempts=attempts))
            if begun >= undone:
                raise AnsibleConnectionFailure(lost_message(change, timeout=timeout, attempts=attempts))
            display.vv(f"The change of {printable(change['subject'])} is not confirmed yet: {attempts.last_error}")
            time.sleep(PAUSE)

    @contextlib.contextmanager
    def _limited(self, timeout: int) -> t.Iterator[None]:
        """Limit the time of a login. If a login hangs, there is time for another before the node reverts the change."""
        limits = {"timeout": max(SHORTEST_LOGIN, timeout // 2), "reconnection_retries": 0}
        before = {name: self._connection.get_option(name) for name in limits} if self._connection.transport == SSH else {}
        for name in before:
            self._connection.set_option(name, limits[name])
        try:
            yield
        finally:
            for name, value in before.items():
                self._connection.set_option(name, value)

    def _log_of(self, task_vars: t.Any) -> t.Callable[[], str]:
        """A function that returns the ProxyCommand's log entries about the node from now on. ssh itself does not show them."""
        variables, since = task_vars or {}, ssh_log.now()
        state_dir = os.path.expanduser(str(variables.get("hyperpod_state_dir", "")))
        names = [str(variables[name]) for name in ("hyperpod_instance_id", "hyperpod_private_ip") if variables.get(name)]
        return lambda: (ssh_log.last(state_dir, names, since=since) or "") if state_dir and names else ""

    def _ask(self, token: str, *, task_vars: t.Any) -> tuple[dict[str, t.Any], str]:
        """Log in again and query the outcome. Return the node's answer, or the reason why it is missing."""
        arguments = {"phase": "confirm", "token": token}
        try:
            # Without a reset, the existing multiplexed connection would be used, which proves nothing about new logins.
            if type(self._connection).reset is not ConnectionBase.reset:
                self._connection.reset()
            answer = self._execute_module(module_args=arguments, task_vars=task_vars)
        except AnsibleConnectionFailure as error:
            return {}, last_line(str(error))
        if answer.get("failed"):
            return {}, last_line(str(answer.get("msg") or answer.get("module_stderr") or "the module failed"))
        status = answer.get("sshd_change") or {}
        return status, last_line(str(status.get("note") or ""))


@dataclass
class Attempts:
    """The failed attempts to confirm a change, for error messages."""

    proxy: t.Callable[[], str] = str
    """A function that returns the ProxyCommand's log."""
    count: int = 0
    longest: float = 0.0
    """Duration of the longest attempt in seconds."""
    last_error: str = ""

    def add(self, error: str, *, seconds: float) -> None:
        self.count += 1
        self.longest = max(self.longest, seconds)
        self.last_error = error or self.last_error

    def __str__(self) -> str:
        noted = printable(self.proxy())
        return (
            f"The last attempt failed with: {self.last_error or 'no error'} (attempts: {self.count}, the longest: "
            f"{self.longest:.0f} s{f', session: {noted}' if noted else ''})"
        )


def rolled_back_message(change: dict[str, t.Any], *, timeout: int, attempts: Attempts) -> str:
    return (
        f"The change of {printable(change['subject'])} was rolled back by the node: no new login confirmed it within {timeout} s. "
        f"Restored: {', '.join(map(printable, change['files']))}. {attempts}"
    )


def lost_message(change: dict[str, t.Any], *, timeout: int, attempts: Attempts) -> str:
    return (
        f"The outcome of the change of {printable(change['subject'])} is unknown: the node did not answer. The node reverts an "
        f"unconfirmed change itself after {timeout} s. {attempts}"
    )


def last_line(text: str) -> str:
    lines = [line.strip() for line in lines_of(text) if line.strip()]
    return printable(lines[-1]) if lines else ""
