# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of AWX's collection for one step of the plan."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.arguments import arguments, with_ids
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.controller import Controller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import wanted
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

ARGUMENTS: dict[str, t.Any] = {"step": {"type": "dict", "required": True}}


class ActionModule(ActionBase):
    """The plan decides what changes. In check mode, the step is only reported."""

    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": True}
        _checked, given = self.validate_argument_spec(argument_spec=ARGUMENTS)
        step = Step(**given["step"])
        header = f"{step.kind} {step.name}"
        result["diff"] = {"before": step.before, "after": step.after, "before_header": header, "after_header": header}
        if self._task.check_mode:
            return result
        controller = Controller(self, task_vars or {})
        fleet = declared(controller.variables)
        objects = {each.key: each for each in wanted(fleet, verbs().values())}
        try:
            for each in arguments(step, objects.get((step.kind, step.name)), fleet.organization):
                controller.write(step.kind, with_ids(each, controller.read, fleet.organization))
        except Failure as error:
            return {**result, "changed": False, "failed": True, "msg": f"Could not {step}: {error}. The next run continues."}
        return result
