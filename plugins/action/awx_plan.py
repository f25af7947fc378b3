# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the objects of AWX and returns the steps to those that the variables declare."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import plan
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.controller import Controller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.found import found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import wanted
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

ARGUMENTS: dict[str, t.Any] = {}


class ActionModule(ActionBase):
    """Only reads, on the control node."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": False}
        self.validate_argument_spec(argument_spec=ARGUMENTS)
        controller = Controller(self, task_vars or {})
        given = controller.variables
        fleet = declared(given)
        objects = wanted(fleet, verbs().values())
        choice = plan.Choice(frozenset(given["awx_adopt"]), bool(given["awx_purge"]), frozenset(given["awx_write_secrets"]))
        try:
            made = plan.plan(objects, found(fleet, objects, controller.read), choice)
        except Failure as error:
            return {**result, "failed": True, "msg": str(error)}
        for note in made.notes():
            Display().display(note)
        return {**result, **dataclasses.asdict(made)}
