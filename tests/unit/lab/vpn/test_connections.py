# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Active and ended connections, from the events of OpenVPN's processes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lab.vpn.connections import Connections

VIEW = SimpleNamespace(endpoint_id="cvpn-endpoint-0123456789abcdef0", transport="udp")
ALICE = {
    "common_name": "alice",
    "ifconfig_pool_remote_ip": "10.100.0.2",
    "trusted_ip": "198.51.100.77",
    "trusted_port": "40000",
    "IV_PLAT": "linux",
}


@pytest.fixture
def log() -> list[dict]:
    return []


@pytest.fixture
def connections(log: list[dict]) -> Connections:
    connections = Connections(log.append)
    connections.notice(VIEW, 1, "ESTABLISHED", "0", ALICE)
    return connections


def test_an_active_connection(connections: Connections, log: list[dict]) -> None:
    connections.notice(VIEW, 1, "BYTES", "0", {"bytes_received": "10", "bytes_sent": "20"})
    (view,) = connections.views()
    assert (view.common_name, view.client_ip, view.status, view.ended) == ("alice", "10.100.0.2", "active", None)
    assert (view.ingress_bytes, view.egress_bytes) == (10, 20)
    assert [(line["connection-log-type"], line["connection-end-time"]) for line in log] == [
        ("connection-attempt", "NA")
    ]
    assert connections.active(1, [view.connection_id]) == ["0"]


def test_an_ended_connection(connections: Connections, log: list[dict]) -> None:
    connections.notice(VIEW, 1, "BYTES", "0", {"bytes_received": "10", "bytes_sent": "20"})
    connections.notice(VIEW, 1, "DISCONNECT", "0", {})
    (view,) = connections.views()
    assert (view.status, view.ended is None) == ("terminated", False)
    assert (log[1]["connection-log-type"], log[1]["ingress-bytes"]) == ("connection-reset", "10")
    assert log[1]["connection-id"] == log[0]["connection-id"] == view.connection_id
    assert log[1]["connection-end-time"] != "NA"
    assert connections.active(1, [view.connection_id]) == []


def test_client_numbers_belong_to_a_process(connections: Connections) -> None:
    connections.notice(VIEW, 2, "ESTABLISHED", "0", ALICE | {"common_name": "bob"})
    connections.notice(VIEW, 2, "DISCONNECT", "0", {})
    assert [(view.common_name, view.status) for view in connections.views()] == [
        ("alice", "active"),
        ("bob", "terminated"),
    ]
