# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``login_sessions``: polls until no session is left, and prints the remaining users."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import to_result
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import session_wait
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.asked_again import Answer, AskedAgain


class ActionModule(AskedAgain):
    """Runs the module of the same name repeatedly."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        node = variables.get("hyperpod_instance_id") or variables.get("inventory_hostname", "the node")
        began = datetime.datetime.now(datetime.timezone.utc)
        notices = [self._task.args.get("notice", "")]
        answer, elapsed = self.until_empty(
            node,
            ask=lambda: self._reported(notices, variables),
            who=lambda answer: session_wait.who(answer["login_sessions"]),
        )
        if answer.get("failed"):
            return answer
        ended = self._task.args.get("state") == "ended" and bool(answer["login_sessions"])
        if ended:
            answer = self._ask(variables, state="ended")
            if answer.get("failed"):
                return answer
        left = answer["login_sessions"]
        answer["session_wait"] = session_wait.outcome(
            left,
            state=session_wait.state_of(left, ended=ended, check_mode=bool(self._task.check_mode)),
            started=began,
            elapsed=elapsed,
            timeout=self.seconds("wait_timeout", 0),
        )
        return {**answer, **to_result(session_wait.findings(left, wait=answer["session_wait"]))}

    def _reported(self, notices: list[str], variables: dict[str, t.Any]) -> Answer:
        """Poll once. Only the first successful poll sends the notice to the users."""
        answer = self._ask(variables, state="reported", notice=notices[-1])
        notices.append("")
        return answer

    def _ask(self, variables: dict[str, t.Any], *, state: str, notice: str = "") -> Answer:
        arguments = {**self._task.args, "state": state, "notice": notice}
        return t.cast(Answer, self._execute_module(module_args=arguments, task_vars=variables))
