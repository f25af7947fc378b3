# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of an endpoint for OpenVPN and nftables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lab.vpn.configuration import collapsed, packet_filter, pushed, server_configuration, server_files
from lab.vpn.view import EndpointView

ADDRESS = "198.51.100.129"
VIEW = EndpointView(
    endpoint_id="cvpn-endpoint-0123456789abcdef0",
    dns_name="cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com",
    vpc_id="vpc-1",
    server_certificate="LEAF\n",
    server_key="KEY\n",
    server_chain="CHAIN",
    client_ca="CA\n",
    client_cidr="10.100.0.0/22",
    transport="udp",
    port=443,
    split_tunnel=True,
    dns_servers=(),
    interfaces=(("10.1.1.200", 24),),
    routes=("10.1.0.0/16",),
    allowed=("10.1.0.0/16",),
    crl=None,
    resets=0,
)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, {"proto udp", "port 443", f"local {ADDRESS}", "server 10.100.0.0 255.255.252.0"}),
        ({"transport": "tcp", "port": 1194}, {"proto tcp-server", "port 1194"}),
        ({"client_cidr": "172.16.0.0/12"}, {"server 172.16.0.0 255.255.0.0"}),
        ({"crl": "LIST"}, {"crl-verify crl.pem"}),
        ({"dns_servers": ("10.1.0.2",)}, {'push "dhcp-option DNS 10.1.0.2"'}),
    ],
)
def test_configuration(changes: dict, lines: set[str]) -> None:
    assert lines <= set(server_configuration(replace(VIEW, **changes), ADDRESS).splitlines())


def test_without_a_revocation_list_none_is_checked() -> None:
    assert "crl" not in server_configuration(VIEW, ADDRESS)
    assert "crl.pem" not in server_files(VIEW, ADDRESS)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"routes": ("10.2.0.0/16", "10.1.0.0/16")}, ["route 10.1.0.0 255.255.0.0", "route 10.2.0.0 255.255.0.0"]),
        ({"routes": ()}, []),
        ({"split_tunnel": False}, ["redirect-gateway def1"]),
    ],
)
def test_pushed_routes(changes: dict, expected: list[str]) -> None:
    options = pushed(replace(VIEW, **changes))
    assert [option for option in options if not option.startswith("explicit-exit-notify")] == expected


def test_only_udp_clients_get_explicit_exit_notify() -> None:
    assert "explicit-exit-notify 1" in pushed(VIEW)
    assert pushed(replace(VIEW, transport="tcp")) == ["route 10.1.0.0 255.255.0.0"]


def test_the_server_sends_its_chain() -> None:
    files = server_files(replace(VIEW, crl="LIST"), ADDRESS)
    assert (files["server.pem"], files["crl.pem"]) == ("LEAF\nCHAIN\n", "LIST")
    assert server_files(replace(VIEW, server_chain=""), ADDRESS)["server.pem"] == "LEAF\n"


@pytest.mark.parametrize(
    ("changes", "accepted"),
    [
        ({}, "ip daddr { 10.1.0.0/16 } ip daddr { 10.1.0.0/16 } accept"),
        ({"allowed": ("10.1.1.0/24", "10.1.2.0/24")}, "ip daddr { 10.1.0.0/16 } ip daddr { 10.1.1.0/24, 10.1.2.0/24 }"),
        ({"allowed": ("10.1.1.0/24", "10.1.0.0/16")}, "ip daddr { 10.1.0.0/16 } ip daddr { 10.1.0.0/16 } accept"),
    ],
)
def test_traffic_needs_a_rule_and_a_route(changes: dict, accepted: str) -> None:
    rules = packet_filter(replace(VIEW, **changes))
    assert "policy drop" in rules
    assert accepted in rules


@pytest.mark.parametrize("changes", [{"allowed": ()}, {"routes": ()}])
def test_without_a_rule_or_a_route_traffic_is_blocked(changes: dict) -> None:
    assert "daddr" not in packet_filter(replace(VIEW, **changes))


def test_source_nat() -> None:
    assert "snat to 10.1.1.200\n" in packet_filter(VIEW)
    both = replace(VIEW, interfaces=(("10.1.1.200", 24), ("10.1.2.200", 24)))
    assert "snat to jhash ip saddr mod 2 map { 0 : 10.1.1.200, 1 : 10.1.2.200 }\n" in packet_filter(both)


def test_networks_within_others_are_omitted() -> None:
    assert collapsed(["10.1.2.0/24", "10.1.0.0/16", "10.3.0.0/16"]) == ["10.1.0.0/16", "10.3.0.0/16"]
