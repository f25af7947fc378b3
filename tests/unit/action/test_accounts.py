# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lost connection in plays with isolated nodes and in others, for one of the modules that run on nodes."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleConnectionFailure
from ansible_collections.mlfleet.hyperpod.plugins.action.accounts import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, LOST

LOST_CONNECTION = AnsibleConnectionFailure("timed out")


@pytest.mark.parametrize("isolates", [True, False])
def test_a_lost_connection_is_a_failure_only_in_plays_with_isolated_nodes(action, isolates):
    made, node = action(ActionModule, {"name": "a"}, LOST_CONNECTION)
    if isolates:
        result = made.run(task_vars={ISOLATES: True})
        assert (result["failed"], result[LOST], result["msg"]) == (True, True, "timed out")
    else:
        with pytest.raises(AnsibleConnectionFailure):
            made.run(task_vars={})
    assert node.calls == [{"name": "a"}]
