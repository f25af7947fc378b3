# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the SSM wrapper lies is told to the module, unless the task says it."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.node_access import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import ssm_proxy


@pytest.mark.parametrize(("given", "script"), [({}, ssm_proxy.__file__), ({"_proxy_script": "/there"}, "/there")])
def test_the_module_gets_the_wrapper(action, given, script):
    made, node = action(ActionModule, {"cluster_name": "ml", **given}, {"changed": True})
    assert made.run(task_vars={}) == {"changed": True}
    assert node.asked == [{"cluster_name": "ml", "_proxy_script": script}]
