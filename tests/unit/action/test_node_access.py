# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin passes the path of the SSM wrapper to the module, unless the task sets it."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.node_access import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import ssm_proxy


@pytest.mark.parametrize(("options", "script"), [({}, ssm_proxy.__file__), ({"_proxy_script": "/path"}, "/path")])
def test_the_module_receives_the_path_of_the_wrapper(action, options, script):
    made, node = action(ActionModule, {"cluster_name": "ml", **options}, {"changed": True})
    assert made.run(task_vars={}) == {"changed": True}
    assert node.calls == [{"cluster_name": "ml", "_proxy_script": script}]
