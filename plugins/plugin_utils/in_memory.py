# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins for modules whose arguments contain private keys.

Without pipelining, Ansible would write the module and its arguments to a disk.
"""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase


def without_file(connection: t.Any) -> None:
    """Send the modules of this task through the connection, if the connection plugin supports pipelining."""
    if connection.has_pipelining:
        connection.set_option("pipelining", True)


class InMemoryAction(ActionBase):
    """Runs the module of the same name with its arguments in memory."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        without_file(self._connection)
        result.update(self._execute_module(module_args=dict(self._task.args), task_vars=task_vars))
        return result
