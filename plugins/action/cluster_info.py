# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules in the worker process of their task if they only read or check mode is on; see ``aws_here``."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.modules import (
    cluster_info,
    cluster_lock,
    cluster_node_info,
    cluster_record,
    host_key_secret,
    login_targets,
    network_load_balancer,
    security_group_rule,
    target_group,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import aws_here

MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        *(cluster_info, cluster_lock, cluster_node_info, cluster_record, host_key_secret),
        *(login_targets, network_load_balancer, security_group_rule, target_group),
    )
}


class ActionModule(ActionBase):
    """Runs the module of the task, by its last name."""

    _supports_check_mode = True
    _supports_async = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        variables, task = task_vars or {}, self._task
        name = task.action.rpartition(".")[2]
        changes_nothing = task.check_mode or aws_here.only_reads(name, task.args)
        here = changes_nothing and aws_here.same_place(self, variables)
        found = aws_here.answer(MODULES[name], task.args) if here else None
        return {**result, **(found or self._execute_module(task_vars=variables, wrap_async=task.async_val))}
