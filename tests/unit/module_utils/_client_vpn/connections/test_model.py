# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a connection is named, and the placeholder that AWS returns for an empty value."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import Connection


@pytest.mark.parametrize(
    ("person", "connection"),
    [
        ("bob", Connection("c-1", "bob", "b")),
        ("b", Connection("c-1", "", "b")),
        ("c-1", Connection("c-1")),
    ],
)
def test_a_connection_is_named_by_its_known_attributes(person, connection):
    assert connection.person == person


@pytest.mark.parametrize(
    ("status", "live"),
    [("active", True), ("failed-to-terminate", True), ("splendid", True), ("terminating", False), ("terminated", False)],
)
def test_only_a_terminated_connection_carries_no_traffic(status, live):
    assert Connection.of({"ConnectionId": "c-1", "Status": {"Code": status}}).active is live


@pytest.mark.parametrize("nothing", ["-", "NA", "N/A", "", " "])
def test_the_placeholder_of_aws_is_an_empty_name(nothing):
    shown = Connection.of(
        {
            "ConnectionId": "cvpn-connection-1",
            "CommonName": nothing,
            "Username": nothing,
            "ClientIp": "10.0.0.2",
            "ConnectionEndTime": nothing,
        }
    )
    assert (shown.common_name, shown.username, shown.person, shown.ended) == ("", "", "cvpn-connection-1", "")
