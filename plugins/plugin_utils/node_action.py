# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins for modules on nodes, which can be used in plays where a failed node does not stop the run for other nodes.

Ansible drops an unreachable host from all later plays without running a rescue, and ends the playbook if no host is left.
In a play that isolates nodes, a lost connection therefore fails the task, and the play's rescue handles the failure.
"""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase

ISOLATES = "hyperpod_isolates_nodes"
"""The variable that marks a play that isolates nodes."""
ORDERED = "hyperpod_ordered"
"""The variable that marks such a play if an operator named its nodes. A failed node is then reported as a failure, otherwise as
pending."""
LOST = "hyperpod_connection_lost"
"""The return value that marks a task that failed because its connection was lost."""


class NodeAction(ActionBase):
    """Runs the module of the same name on the node."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        variables = task_vars or {}
        try:
            return {**result, **self.on_node(variables)}
        except AnsibleConnectionFailure as error:
            if not variables.get(ISOLATES, False):
                raise
            return {**result, "failed": True, "msg": str(error), LOST: True}

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        answer: dict[str, t.Any] = self._execute_module(module_args=dict(self._task.args), task_vars=variables)
        return answer
