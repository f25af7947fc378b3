# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ``readiness_gate`` on a node, and passes the control node's time. The module compares the node's clock with this time."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import NodeAction


class ActionModule(NodeAction):
    """See ``NodeAction``."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        arguments = {"controller_time": time.time(), **self._task.args}
        answer: dict[str, t.Any] = self._execute_module(module_args=arguments, task_vars=variables)
        return answer
