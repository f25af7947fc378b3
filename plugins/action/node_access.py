# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes the path of the SSM wrapper to the module. The module runs from an archive, so it cannot find the path itself."""

from __future__ import annotations

import os
import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import ssm_proxy


class ActionModule(ActionBase):
    """Runs the module of the same name with the additional argument ``_proxy_script``."""

    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        arguments = {"_proxy_script": os.path.abspath(ssm_proxy.__file__), **self._task.args}
        result.update(
            self._execute_module(module_name="mlfleet.hyperpod.node_access", module_args=arguments, task_vars=task_vars)
        )
        return result
