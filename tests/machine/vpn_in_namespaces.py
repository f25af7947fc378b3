# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunnels between laptops and a VPC with real OpenVPN; test_data_paths.py starts it in separate namespaces."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
import typing as t
from dataclasses import replace

import pytest
from lab.hosts.laptop import Laptop
from lab.hosts.namespace import bind
from lab.names import PEOPLE, Paths
from lab.net.network import Network
from lab.vpn.tunnels import VpnServers
from lab.vpn.view import EndpointView
from vpn_certificates import Pair

VPC, OPEN, CLOSED, INTERFACE = "vpc-test", "10.1.1.10", "10.1.2.20", "10.1.1.200"
ENDPOINT = "cvpn-endpoint-0123456789abcdef0"
NAME = f"{ENDPOINT}.prod.clientvpn.us-west-2.amazonaws.com"
SITE = "203.0.113.80"
# Returns the client's address, as the lab's site in the internet does.
NODE = """
import http.server, sys
sys.path.insert(0, sys.argv[1])
from lab.net.public import Site
http.server.ThreadingHTTPServer(("", 80), Site).serve_forever()
"""
GET = """
import sys, urllib.request
print(urllib.request.urlopen('http://' + sys.argv[1], timeout=2).read().decode())
"""
PROFILE = """\
client
dev tun
proto {transport}
remote {name} 443
remote-random-hostname
resolv-retry infinite
nobind
remote-cert-tls server
cipher AES-256-GCM
verify-x509-name server.vpn.test name
reneg-sec 0
verb 3
<ca>
{authority}</ca>
<cert>
{certificate}</cert>
<key>
{key}</key>
"""


class Bed:
    """A VPC with two nodes, an endpoint and laptops."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        for folder in (paths.disks, paths.rootfs, paths.etc_hosts.parent):
            folder.mkdir(parents=True)
        for person in PEOPLE:
            (paths.home / "people" / person).mkdir(parents=True)
        bind(os.environ["IMAGE"], paths.rootfs, read_only=True)
        self.network = Network(paths)
        self.network.ensure_vpc(VPC, "10.1.0.0/16", True)
        self.nodes = [self._node("open", OPEN), self._node("closed", CLOSED)]
        self.authority = Pair("authority")
        self.server = Pair("server.vpn.test", self.authority, server=True)
        self.people = {name: Pair(name, self.authority) for name in PEOPLE}
        self.servers = VpnServers(paths, self.network)
        self.events: list[tuple[str, dict[str, t.Any]]] = []
        self.servers.on_event = lambda endpoint_id, event: self.events.append((endpoint_id, event))
        self.view = EndpointView(
            endpoint_id=ENDPOINT,
            dns_name=NAME,
            vpc_id=VPC,
            server_certificate=self.server.pem,
            server_key=self.server.key,
            server_chain=self.authority.pem,
            client_ca=self.authority.pem,
            client_cidr="10.100.0.0/22",
            transport="udp",
            port=443,
            split_tunnel=True,
            dns_servers=(),
            interfaces=((INTERFACE, 24),),
            routes=("10.1.0.0/16",),
            allowed=("10.1.1.0/24",),
            crl=None,
            resets=0,
        )
        self.servers.sync(self.view)

    def _node(self, netns: str, address: str) -> subprocess.Popen[bytes]:
        self.network.attach(netns, VPC, [(address, 24)])
        command = ["ip", "netns", "exec", netns, sys.executable, "-c", NODE, str(self.paths.tests)]
        return subprocess.Popen(command)

    def change(self, **changes: t.Any) -> None:
        self.view = replace(self.view, **changes)
        self.servers.sync(self.view)

    def laptop(self, person: str) -> Laptop:
        return Laptop(self.paths, person)

    def on(self, person: str, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.laptop(person).argv(command), capture_output=True, text=True, check=False)

    def connect(self, person: str, **changes: str) -> None:
        """Start openvpn with the person's profile."""
        pair = self.people[person]
        values = {"transport": "udp", "name": NAME, "authority": self.authority.pem}
        profile = PROFILE.format(**values | {"certificate": pair.pem, "key": pair.key} | changes)
        self.laptop(person).up()
        (self.laptop(person).root / "root/me.ovpn").write_text(profile)
        options = ("--config", "/root/me.ovpn", "--daemon", "--log", "/root/log", "--writepid", "/root/pid")
        assert self.on(person, "openvpn", *options).returncode == 0

    def disconnect(self, person: str) -> None:
        self.on(person, "sh", "-c", "kill $(cat /root/pid); while kill -0 $(cat /root/pid); do sleep 0.05; done")

    def log(self, person: str) -> str:
        return (self.laptop(person).root / "root/log").read_text()

    def get(self, person: str, address: str) -> str:
        """The client address that a server at ``address`` returns; empty without a reply."""
        return self.on(person, "python3", "-c", GET, address).stdout.strip()

    def logged(self, person: str) -> list[dict[str, t.Any]]:
        """Entries of the connection log for the person."""
        return [event for endpoint, event in self.events if (endpoint, event["common-name"]) == (ENDPOINT, person)]

    def active(self) -> dict[str, str]:
        """ID of each person's newest active connection."""
        connections = self.servers.connections(ENDPOINT)
        return {each.common_name: each.connection_id for each in connections if each.status == "active"}

    def until(self, holds: t.Callable[[], object], seconds: float = 15) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            logs = [self.log(person) for person in PEOPLE if (self.laptop(person).root / "root/log").exists()]
            assert time.monotonic() < deadline, "\n".join([self.server_log(), *logs])
            time.sleep(0.1)

    def server_log(self) -> str:
        return "\n".join(path.read_text() for path in sorted((self.paths.state / "vpn").glob("*/log")))

    def close(self) -> None:
        for person in PEOPLE:
            self.laptop(person).down()
        self.servers.close()
        for node in self.nodes:
            node.send_signal(signal.SIGKILL)
            node.wait()


@pytest.fixture(scope="module")
def bed() -> t.Iterator[Bed]:
    made = Bed(Paths(pathlib.Path(os.environ["STATE"]), "vpn"))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def alice(bed: Bed) -> t.Iterator[str]:
    """alice, connected with the initial rules."""
    bed.change(allowed=("10.1.1.0/24",), routes=("10.1.0.0/16",), crl=None)
    logged = len(bed.logged("alice"))
    bed.connect("alice")
    bed.until(lambda: "alice" in bed.active() and bed.get("alice", OPEN))
    bed.until(lambda: len(bed.logged("alice")) > logged)
    yield "alice"
    bed.disconnect("alice")  # the server keeps the connection for some seconds


def test_the_vpc_is_unreachable_without_a_connection(bed: Bed) -> None:
    bed.laptop("alice").up()
    assert bed.get("alice", OPEN) == ""
    assert bed.get("alice", SITE) == "198.51.100.77"


def test_only_names_below_the_endpoints_name_resolve(bed: Bed) -> None:
    found = bed.on("alice", "getent", "ahosts", f"anything.{NAME}").stdout.split()
    assert found[0].startswith("198.51.100.")
    assert bed.on("alice", "getent", "ahosts", NAME).returncode != 0


def test_a_split_tunnel_carries_only_the_vpc_with_source_nat(bed: Bed, alice: str) -> None:
    assert bed.get(alice, OPEN) == INTERFACE
    assert bed.get(alice, SITE) == "198.51.100.77"
    routes = bed.on(alice, "ip", "-o", "route").stdout.splitlines()
    through = [line.split()[0] for line in routes if "tun0" in line]
    assert sorted(through) == ["10.1.0.0/16", "10.100.0.0/22"]
    assert [line.split()[2] for line in routes if line.startswith("default")] == ["198.51.100.1"]


def test_rules_filter_packets_and_end_no_connection(bed: Bed, alice: str) -> None:
    before = bed.active()
    assert bed.get(alice, CLOSED) == ""
    bed.change(allowed=("10.1.1.0/24", "10.1.2.0/24"))
    assert bed.get(alice, CLOSED) == INTERFACE
    bed.change(allowed=("10.1.2.0/24",))
    assert bed.get(alice, OPEN) == ""
    assert bed.active() == before


def test_a_changed_interface_carries_the_traffic(bed: Bed, alice: str) -> None:
    bed.change(interfaces=(("10.1.2.200", 24),))
    assert bed.get(alice, OPEN) == "10.1.2.200"
    bed.change(interfaces=((INTERFACE, 24), ("10.1.2.200", 24)))
    assert bed.get(alice, OPEN) in (INTERFACE, "10.1.2.200")
    bed.change(interfaces=((INTERFACE, 24),))
    assert bed.get(alice, OPEN) == INTERFACE


def test_a_revocation_list_resets_all_connections_and_blocks_the_revoked_one(bed: Bed, alice: str) -> None:
    bed.connect("mallory")
    bed.until(lambda: "mallory" in bed.active())
    before = bed.active()
    bed.change(crl=bed.authority.revoke(bed.people["mallory"]), resets=bed.view.resets + 1)
    bed.until(lambda: "alice" in bed.active() and bed.get(alice, OPEN), 20)
    assert bed.active()["alice"] != before["alice"]
    bed.until(lambda: "certificate revoked: CN=mallory" in bed.server_log(), 20)
    assert "mallory" not in bed.active()
    assert bed.get("mallory", OPEN) == ""
    bed.disconnect("mallory")


def test_a_client_may_reconnect_after_its_connection_was_terminated(bed: Bed, alice: str) -> None:
    before = bed.active()[alice]
    bed.servers.terminate(ENDPOINT, [before])
    bed.until(lambda: bed.active().get(alice, before) != before, 20)
    ended = next(each for each in bed.servers.connections(ENDPOINT) if each.connection_id == before)
    assert (ended.status, ended.ended is None) == ("terminated", False)


def test_the_connection_log_has_an_entry_for_begin_and_end(bed: Bed) -> None:
    bed.connect("bob")
    bed.until(lambda: "bob" in bed.active() and bed.get("bob", OPEN))
    bed.until(lambda: bed.servers.connections(ENDPOINT)[-1].ingress_bytes > 0)
    bed.disconnect("bob")
    bed.until(lambda: len(bed.logged("bob")) == 2)
    begin, end = bed.logged("bob")
    assert begin["client-vpn-endpoint-id"] == ENDPOINT
    assert (begin["connection-log-type"], begin["connection-attempt-status"]) == ("connection-attempt", "successful")
    assert (begin["common-name"], begin["device-ip"]) == ("bob", "198.51.100.78")
    assert begin["connection-end-time"] == "NA"
    assert (end["connection-log-type"], end["connection-id"]) == ("connection-reset", begin["connection-id"])
    assert int(end["ingress-bytes"]) > 0
    assert end["connection-end-time"] != "NA"


def test_profiles_work_after_a_renewal_of_the_server_certificate(bed: Bed, alice: str) -> None:
    renewed = Pair("server.vpn.test", bed.authority, server=True)
    before = bed.active()[alice]
    bed.change(server_certificate=renewed.pem, server_key=renewed.key)
    bed.until(lambda: bed.active().get(alice, before) != before, 20)
    bed.until(lambda: bed.get(alice, OPEN), 5)


def test_a_full_tunnel_over_tcp_carries_all_traffic(bed: Bed) -> None:
    bed.change(transport="tcp", split_tunnel=False)
    bed.connect("bob", transport="tcp")
    bed.until(lambda: "bob" in bed.active() and bed.get("bob", OPEN))
    assert bed.get("bob", SITE) == ""
    bed.disconnect("bob")
    bed.change(transport="udp", split_tunnel=True)


def test_a_removed_endpoint_leaves_nothing(bed: Bed) -> None:
    bed.servers.remove(ENDPOINT)
    assert bed.servers.connections(ENDPOINT) == []
    assert bed.on("alice", "getent", "ahosts", f"anything.{NAME}").returncode != 0
    assert not [name for name in os.listdir("/run/netns") if name.startswith("vpn-")]
