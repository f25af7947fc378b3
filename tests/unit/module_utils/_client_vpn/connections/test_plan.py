# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which connections are ended, and what check mode reports."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import (
    Connection,
    Desired,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.result import Report

DESIRED = Desired("cvpn-endpoint-1", ("b", "mallory"))
ALICE = Connection("c-1", "alice")
REVOKED = (Connection("c-2", "mallory", client_ip="10.250.0.34"), Connection("c-3", "laptop", "b"), Connection("c-4", "mallory"))
STATE = State((ALICE, *REVOKED))


def test_people_are_matched_by_certificate_and_by_name():
    planned = plan(DESIRED, STATE)
    assert [step.arguments["connection"] for step in planned.steps] == list(REVOKED)
    assert planned.changes[0].before == "mallory from 10.250.0.34"
    assert planned.after(STATE) == State((ALICE,))


def test_ended_connections_are_returned():
    report = Report()
    assert report.result(report.noted(plan(DESIRED, STATE)).after(STATE))["connections"][0] == {
        "connection_id": "c-2",
        "common_name": "mallory",
        "username": "",
        "client_ip": "10.250.0.34",
        "established": "",
    }
    report.noted(plan(DESIRED, State((ALICE,))))
    assert report.result(State((ALICE,))) == {"connections": []}
