# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``client_vpn_pki`` without a file; the module's documentation says what it does."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """Runs the module of the same name with its arguments in memory."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        # A module that is not pipelined lies on the disk with its arguments, the authority's private key included.
        if self._connection.has_pipelining:
            self._connection.set_option("pipelining", True)
        result.update(self._execute_module(module_args=dict(self._task.args), task_vars=task_vars))
        return result
