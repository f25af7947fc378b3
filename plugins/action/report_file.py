# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files of a report on the control node. Their content is not a module argument, because -vvv prints arguments."""

from __future__ import annotations

import os
import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.files import write_whole

FILE: dict[str, t.Any] = {
    "path": {"type": "str", "required": True},
    "content": {"type": "str", "required": True},
    "mode": {"type": "str", "choices": ["0600", "0644"], "default": "0600"},
}
ARGUMENTS: dict[str, t.Any] = {"files": {"type": "list", "elements": "dict", "options": FILE, "required": True}}


class ActionModule(ActionBase):
    """Runs on the control node, without a module."""

    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": False}
        _checked, given = self.validate_argument_spec(argument_spec=ARGUMENTS)
        written = []
        for each in given["files"]:
            path = os.path.abspath(os.path.expanduser(each["path"]))
            try:
                write_whole(path, each["content"], mode=int(each["mode"], 8))
            except OSError as error:
                return {**result, "failed": True, "msg": f"The report {path} could not be written: {error.strerror}."}
            written.append(path)
        return {**result, "written": written}
