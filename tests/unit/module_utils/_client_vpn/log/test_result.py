# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections and refusals of each person, parsed from log lines."""

from __future__ import annotations

import json

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log.result import people


def line(name: str, at: str, status: str = "successful", **more: str) -> str:
    event = {
        "connection-log-type": "connection-attempt",
        "connection-attempt-status": status,
        "connection-start-time": at,
        "username": "N/A",
        "common-name": name,
    }
    return json.dumps({**event, **more})


def test_the_last_connection_and_refusal_of_each_person_are_returned():
    lines = [
        line("alice", "2026-11-21 08:15:30"),
        line("alice", "2026-11-20 08:15:30"),
        line("mallory", "2026-11-19 10:00:00"),
        line("mallory", "2026-11-21 09:00:00", "failed"),
        line("bob", "2026-11-21 09:30:00", "waiting-for-assertion"),
        line("NA", "2026-11-21 09:00:00", "failed"),
        line("laptop", "2026-11-21 09:00:00", username="carol"),
        line("alice", "2026-11-22 09:00:00", **{"connection-log-type": "connection-reset"}),
        "not JSON",
        "[]",
    ]
    assert people(lines) == {
        "alice": {"last_connected": "2026-11-21T08:15:30Z", "last_refused": "", "connections": 2},
        "bob": {"last_connected": "", "last_refused": "", "connections": 0},
        "carol": {"last_connected": "2026-11-21T09:00:00Z", "last_refused": "", "connections": 1},
        "mallory": {
            "last_connected": "2026-11-19T10:00:00Z",
            "last_refused": "2026-11-21T09:00:00Z",
            "connections": 1,
        },
    }
