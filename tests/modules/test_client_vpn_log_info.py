# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_log_info against the simulated CloudWatch Logs."""

from __future__ import annotations

import json
import time

import pytest
from simulated.shape import reads

GROUP = "/mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0"


@pytest.fixture
def log(lab):
    """A log group with a connection of alice and a failed attempt of mallory."""
    logs = lab.client("logs")
    logs.create_log_group(logGroupName=GROUP)
    logs.create_log_stream(logGroupName=GROUP, logStreamName="connections")
    event = {"connection-log-type": "connection-attempt", "connection-start-time": "2026-11-21 08:15:30", "username": "N/A"}
    attempts = {"alice": "successful", "mallory": "failed"}
    lines = [{**event, "common-name": name, "connection-attempt-status": status} for name, status in attempts.items()]
    now = int(time.time() * 1000)
    events = [{"timestamp": now, "message": json.dumps(line)} for line in lines]
    logs.put_log_events(logGroupName=GROUP, logStreamName="connections", logEvents=events)
    yield
    logs.delete_log_group(logGroupName=GROUP)


def test_successful_and_failed_connections(lab, log):
    at = "2026-11-21T08:15:30Z"
    for check in (True, False):
        people = reads(lab, "client_vpn_log_info", check=check, log_group=GROUP)["people"]
        assert {name: (each["last_connected"], each["last_refused"]) for name, each in people.items()} == {
            "alice": (at, ""),
            "mallory": ("", at),
        }


def test_a_missing_log_group_is_no_error(lab):
    assert not reads(lab, "client_vpn_log_info", log_group="/mlfleet/hyperpod/client-vpn/vpc-nosuch")["exists"]


@pytest.mark.parametrize("days", [0, 3654])
def test_days_out_of_range_are_refused(lab, days):
    result = lab.run("client_vpn_log_info", log_group=GROUP, days=days)
    assert result["failed"] and f"days: {days} is not allowed" in result["msg"] and lab.calls() == []
