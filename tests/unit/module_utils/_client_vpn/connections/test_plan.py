# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose connections are ended, and what check mode says of it."""

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
THEIRS = (Connection("c-2", "mallory", client_ip="10.250.0.34"), Connection("c-3", "laptop", "b"), Connection("c-4", "mallory"))
STATE = State((ALICE, *THEIRS))


def test_people_are_known_by_their_certificates_and_by_their_names():
    planned = plan(DESIRED, STATE)
    assert [step.arguments["connection"] for step in planned.steps] == list(THEIRS)
    assert planned.changes[0].before == "mallory from 10.250.0.34"
    assert planned.after(STATE) == State((ALICE,))


def test_what_is_ended_is_returned():
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
