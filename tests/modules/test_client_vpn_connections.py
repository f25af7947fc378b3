# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_connections against the simulated endpoint."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once


def end(endpoint, *people, **options):
    options = {"client_vpn_endpoint_id": endpoint.id, "poll_interval": 1, "people": list(people), **options}
    return endpoint.lab.run("client_vpn_connections", **options)


def test_connections_are_ended_once(endpoint):
    endpoint.connect("mallory")
    options = {"client_vpn_endpoint_id": endpoint.id, "poll_interval": 1, "people": ["mallory"]}
    changes_once(endpoint.lab, "client_vpn_connections", passing=["connections"], **options)


def test_check_mode_without_an_endpoint(lab):
    unknown = "(known after apply)"
    result = lab.run("client_vpn_connections", client_vpn_endpoint_id=unknown, people=["mallory"], check=True)
    assert (result["changed"], result["connections"], lab.calls()) == (False, [], [])


def test_only_the_persons_own_connections_are_ended(endpoint):
    lab = endpoint.lab
    for name in ("alice", "mallory", "mallory", "malloryx"):
        endpoint.connect(name)
    foreseen = end(endpoint, "mallory", check=True)
    assert lab.changes() == [] and len(foreseen["connections"]) == 2
    result = end(endpoint, "mallory", "nobody")
    assert lab.changes() == ["TerminateClientVpnConnections"] * 2
    assert [each["common_name"] for each in result["connections"]] == ["mallory", "mallory"]
    assert endpoint.connected() == ["alice", "malloryx"]
    second = end(endpoint, "mallory")
    assert (second["changed"], second["connections"], lab.changes()) == (False, [], [])


@pytest.mark.parametrize("kind", ["cut_after", "throttle"])
def test_connections_end_despite_lost_or_throttled_replies(endpoint, kind):
    endpoint.connect("mallory")
    endpoint.lab.fault(kind=kind, operation="TerminateClientVpnConnections", times=1)
    result = end(endpoint, "mallory")
    assert not result.get("failed"), result["msg"]
    assert endpoint.connected() == []


def test_an_empty_name_does_not_select_all_people(lab):
    result = lab.run("client_vpn_connections", client_vpn_endpoint_id="cvpn-endpoint-0123456789abcdef0", people=[""])
    assert result["failed"] and "people: '' is not allowed" in result["msg"]
    assert lab.calls() == []
