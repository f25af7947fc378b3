# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings about a gate."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import options as gate_options, result as gate_result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.check import Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.model import State

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"
NO_MOUNT = Problem("gate-mounts", "/fsx is not mounted")
DEFAULTS = {
    "state": "open",
    "port": 223,
    "former_ports": [],
    "people_port": 222,
    "former_people_ports": [],
    "host_keys": [ED + " shared"],
    "host_certificates": [],
    "users": [{"name": "bob", "uid": None}, {"name": "alice", "uid": 20001}],
    "mounts": ["/fsx/"],
    "mount_timeout": 5,
    "silent_mounts": "warn",
    "instance": "i-0123456789abcdef0",
}


def desired(**options):
    return gate_options.desired({**DEFAULTS, **options})


@pytest.mark.parametrize(
    "noted, expected",
    [
        (None, []),
        ({"closed": 0, "opened": None, "problems": ["bad"]}, ["at 1970-01-01T00:00:00Z (bad). The gate is still closed."]),
        ({"closed": 0, "opened": 60, "problems": ["bad"]}, ["(bad). The gate was open again at 1970-01-01T00:01:00Z."]),
    ],
)
def test_actions_of_the_watcher_are_reported_for_a_day(noted, expected):
    found = State(True, (222,), True, {}, noted=noted)
    notes = gate_result.findings(found, now=86400)
    assert len(notes) == len(expected) and all(part in note.text for part, note in zip(expected, notes))
    assert gate_result.findings(found, now=86461) == (notes if noted and noted["opened"] is None else [])


def test_problems_are_pending_and_warnings_are_notes():
    found = State(False, (), True, {}, problems=(NO_MOUNT,), warnings=(Problem("gate-mounts", "/home does not answer within 5 s"),))
    assert [(each.kind, each.code, each.text) for each in gate_result.findings(found, now=0)] == [
        ("pending", "gate-mounts", "Not ready for logins: /fsx is not mounted."),
        ("note", "gate-mounts", "Open for logins although /home does not answer within 5 s."),
    ]


def test_a_node_that_is_not_ready_fails_on_request():
    wanted, found = desired(), State(False, (), True, {}, problems=(NO_MOUNT,))
    with pytest.raises(gate_result.NotReady, match="not ready for logins: /fsx is not mounted") as caught:
        gate_result.result(wanted, found, fail=True)
    assert gate_result.failed(caught.value) == gate_result.result(wanted, found, fail=False)
    assert gate_result.failed(Refused("no")) == {}
