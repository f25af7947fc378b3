# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports for people of a gate on a node."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import observe as gate_observe


@pytest.mark.parametrize(
    ("script", "ports"),
    [
        ("echo 'mlfleet-login-people@300.socket loaded active listening Port 300'; "
         "echo 'mlfleet-login-people@222.socket loaded active listening Port 222'", (222, 300)),
        ("echo 'mlfleet-login-people@222.socket bad-setting active listening mlfleet-login-people@222.socket'", (222,)),
        ("exit 0", ()),
        ("echo 'Failed to list units: Connection timed out' >&2; exit 1", None),
    ],
)
def test_unreadable_ports_for_people_are_an_error(monkeypatch, tmp_path, script, ports):
    (tmp_path / "systemctl").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setattr(system, "SEARCH_PATH", str(tmp_path))
    if ports is None:
        with pytest.raises(system.CommandFailed, match="Connection timed out"):
            gate_observe._people_ports()
    else:
        assert gate_observe._people_ports() == ports
