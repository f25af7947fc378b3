# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_endpoint_info against the simulated API."""

from __future__ import annotations

from simulated.shape import reads

INFO = "client_vpn_endpoint_info"


def test_a_vpc_without_an_endpoint(lab, made):
    for check in (True, False):
        assert reads(lab, INFO, check=check, vpc_id=made.vpc)["client_vpn_endpoints"] == []


def test_an_endpoint_with_its_connections(lab, place):
    endpoint = lab.run("client_vpn_endpoint", **place.options)["client_vpn_endpoint"]["client_vpn_endpoint_id"]
    lab.control("vpn-connect", {"endpoint_id": endpoint, "common_name": "alice"})
    for options in ({"vpc_id": place.vpc}, {"client_vpn_endpoint_ids": [endpoint]}):
        (found,) = reads(lab, INFO, connections=True, **options)["client_vpn_endpoints"]
        assert found["client_vpn_endpoint_id"] == endpoint
        assert [each["common_name"] for each in found["connections"]] == ["alice"]
