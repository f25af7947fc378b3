# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an endpoint means for OpenVPN and nftables, what is remembered of connections, and the lab's public DNS."""

from __future__ import annotations

import socket
import struct
from dataclasses import replace

import pytest
from lab.names import hosts_file
from lab.net import public
from lab.vpn.configuration import collapsed, packet_filter, pushed, server_configuration, server_files
from lab.vpn.connections import Connections
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


def test_no_list_no_check_of_it() -> None:
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


def test_only_udp_clients_are_told_to_say_goodbye() -> None:
    assert "explicit-exit-notify 1" in pushed(VIEW)
    assert pushed(replace(VIEW, transport="tcp")) == ["route 10.1.0.0 255.255.0.0"]


def test_the_server_shows_its_chain() -> None:
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
def test_a_rule_and_a_route_open_the_way(changes: dict, accepted: str) -> None:
    rules = packet_filter(replace(VIEW, **changes))
    assert "policy drop" in rules
    assert accepted in rules


@pytest.mark.parametrize("changes", [{"allowed": ()}, {"routes": ()}])
def test_nothing_is_open_without_a_rule_or_a_route(changes: dict) -> None:
    assert "daddr" not in packet_filter(replace(VIEW, **changes))


def test_source_nat() -> None:
    assert "snat to 10.1.1.200\n" in packet_filter(VIEW)
    both = replace(VIEW, interfaces=(("10.1.1.200", 24), ("10.1.2.200", 24)))
    assert "snat to jhash ip saddr mod 2 map { 0 : 10.1.1.200, 1 : 10.1.2.200 }\n" in packet_filter(both)


def test_networks_in_others_are_left_out() -> None:
    assert collapsed(["10.1.2.0/24", "10.1.0.0/16", "10.3.0.0/16"]) == ["10.1.0.0/16", "10.3.0.0/16"]


class TestConnections:
    ALICE = {
        "common_name": "alice",
        "ifconfig_pool_remote_ip": "10.100.0.2",
        "trusted_ip": "198.51.100.77",
        "trusted_port": "40000",
        "IV_PLAT": "linux",
    }

    @pytest.fixture
    def log(self) -> list[dict]:
        return []

    @pytest.fixture
    def connections(self, log: list[dict]) -> Connections:
        connections = Connections(log.append)
        connections.notice(VIEW, 1, "ESTABLISHED", "0", self.ALICE)
        return connections

    def test_one_that_lasts(self, connections: Connections, log: list[dict]) -> None:
        connections.notice(VIEW, 1, "BYTES", "0", {"bytes_received": "10", "bytes_sent": "20"})
        (view,) = connections.views()
        assert (view.common_name, view.client_ip, view.status, view.ended) == ("alice", "10.100.0.2", "active", None)
        assert (view.ingress_bytes, view.egress_bytes) == (10, 20)
        assert [(line["connection-log-type"], line["connection-end-time"]) for line in log] == [
            ("connection-attempt", "NA")
        ]
        assert connections.active(1, [view.connection_id]) == ["0"]

    def test_one_that_ended(self, connections: Connections, log: list[dict]) -> None:
        connections.notice(VIEW, 1, "BYTES", "0", {"bytes_received": "10", "bytes_sent": "20"})
        connections.notice(VIEW, 1, "DISCONNECT", "0", {})
        (view,) = connections.views()
        assert (view.status, view.ended is None) == ("terminated", False)
        assert (log[1]["connection-log-type"], log[1]["ingress-bytes"]) == ("connection-reset", "10")
        assert log[1]["connection-id"] == log[0]["connection-id"] == view.connection_id
        assert log[1]["connection-end-time"] != "NA"
        assert connections.active(1, [view.connection_id]) == []

    def test_numbers_are_those_of_a_process(self, connections: Connections) -> None:
        connections.notice(VIEW, 2, "ESTABLISHED", "0", self.ALICE | {"common_name": "bob"})
        connections.notice(VIEW, 2, "DISCONNECT", "0", {})
        assert [(view.common_name, view.status) for view in connections.views()] == [
            ("alice", "active"),
            ("bob", "terminated"),
        ]


class TestPublicNames:
    NAMES = {"lb.example": ["10.1.1.5", "10.1.2.5"], "*.cvpn.example": ["198.51.100.129"]}
    AAAA = 28

    @staticmethod
    def question(name: str, kind: int = public.A) -> bytes:
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        return struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, public.IN)

    def ask(self, name: str, kind: int = public.A) -> tuple[int, list[str]]:
        """Response code and addresses."""
        asked = self.question(name, kind)
        reply = public.answer(asked, self.NAMES)
        number, flags, _questions, count, *_rest = struct.unpack_from("!HHHHHH", reply)
        assert (number, flags & 0x8100) == (7, 0x8100)
        records = reply[len(asked) :]
        assert len(records) == 16 * count
        return flags & 15, [socket.inet_ntoa(records[16 * n + 12 : 16 * n + 16]) for n in range(count)]

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("lb.example", (0, ["10.1.1.5", "10.1.2.5"])),
            ("LB.Example", (0, ["10.1.1.5", "10.1.2.5"])),
            ("0a1b2c.cvpn.example", (0, ["198.51.100.129"])),
            ("cvpn.example", (public.NO_SUCH_NAME, [])),
            ("other.example", (public.NO_SUCH_NAME, [])),
        ],
    )
    def test_addresses(self, name: str, expected: tuple[int, list[str]]) -> None:
        assert self.ask(name) == expected

    def test_there_are_no_addresses_of_version_6(self) -> None:
        assert self.ask("lb.example", self.AAAA) == (0, [])

    @pytest.mark.parametrize("message", [b"", b"\0" * 12, struct.pack("!HHHHHH", 7, 0x8000, 1, 0, 0, 0) + b"\0" * 5])
    def test_what_is_no_question_has_no_answer(self, message: bytes) -> None:
        with pytest.raises((ValueError, struct.error, IndexError)):
            public.answer(message, self.NAMES)

    def test_hosts_files_cannot_say_every_name_below(self) -> None:
        text = hosts_file(self.NAMES)
        assert "10.1.1.5 lb.example" in text
        assert "cvpn" not in text
