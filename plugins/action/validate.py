# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``validate`` on the controller, also for a node that nobody can reach."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase

ARGUMENTS = {"refusals": {"type": "list", "elements": "str", "required": True}}


class ActionModule(ActionBase):
    """Needs no connection."""

    _requires_connection = False
    _supports_check_mode = True
    TRANSFERS_FILES = False

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        _checked, given = self.validate_argument_spec(ARGUMENTS)
        refusals = given["refusals"]
        return {**result, "changed": False, "failed": bool(refusals), "msg": " ".join(refusals)}
