# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of ``login_sessions``: asks again until nobody is left, and shows whom it waits for."""

from __future__ import annotations

import datetime
import time
import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import to_result
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import session_wait

LOST_LOOKS = 5
"""So many looks in a row may fail before the node counts as unreachable: people's sessions outlive a short cut."""
QUIET = 60.0
"""Seconds between two lines while nothing changes."""

display = Display()


class ActionModule(ActionBase):
    """Runs the module of the same name as often as it takes."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        variables = task_vars or {}
        node = variables.get("hyperpod_instance_id") or variables.get("inventory_hostname", "the node")
        began, started = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
        answer = self._wait(node, started, variables)
        if answer.get("failed"):
            return {**result, **answer}
        ended = self._task.args.get("state") == "ended" and bool(answer["login_sessions"])
        if ended:
            answer = self._ask(variables, state="ended")
            if answer.get("failed"):
                return {**result, **answer}
        left = answer["login_sessions"]
        answer["session_wait"] = session_wait.outcome(
            left,
            state=session_wait.state_of(left, ended=ended, check_mode=bool(self._task.check_mode)),
            started=began,
            elapsed=time.monotonic() - started,
            timeout=self._seconds("wait_timeout", 0),
        )
        return {**result, **answer, **to_result(session_wait.findings(left, wait=answer["session_wait"]))}

    def _wait(self, node: str, started: float, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        """The last answer: nobody is left, the time is up, or the module refused its options."""
        lost, told, told_at, notice = 0, "", 0.0, self._task.args.get("notice", "")
        while True:
            try:
                answer = self._ask(variables, state="reported", notice=notice)
                lost, notice = 0, ""
            except AnsibleConnectionFailure:
                lost += 1
                if lost == LOST_LOOKS:
                    raise
                answer = {}
            elapsed = time.monotonic() - started
            if answer.get("failed"):
                return answer
            timeout, interval = self._seconds("wait_timeout", 0), self._seconds("poll_interval", 10)
            if answer and (not answer["login_sessions"] or elapsed >= timeout or self._task.check_mode):
                return answer
            if answer:
                names = session_wait.who(answer["login_sessions"])
                if names != told or elapsed - told_at >= QUIET:
                    told, told_at = names, elapsed
                    sessions = answer["login_sessions"]
                    display.display(session_wait.progress(sessions, node=node, elapsed=elapsed, wait_timeout=timeout))
            time.sleep(max(0.0, min(interval, timeout - elapsed)) if answer else interval)

    def _ask(self, variables: dict[str, t.Any], *, state: str, notice: str = "") -> dict[str, t.Any]:
        arguments = {**self._task.args, "state": state, "notice": notice}
        return self._execute_module(module_args=arguments, task_vars=variables)

    def _seconds(self, option: str, default: int) -> int:
        """Asked after the module has accepted its options."""
        return int(self._task.args.get(option, default))
