# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules with secret options receive them through the connection if it supports pipelining."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.client_vpn_pki import ActionModule


@pytest.mark.parametrize("able", [True, False])
def test_pipelining_is_enabled_if_the_connection_supports_it(action, able):
    made, node = action(ActionModule, {"a": 1}, {"changed": True})
    made._connection.has_pipelining = able
    assert made.run(task_vars={}) == {"changed": True}
    assert (node.calls, made._connection.options) == ([{"a": 1}], {"pipelining": True} if able else {})
