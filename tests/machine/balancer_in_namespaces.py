# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The balancer with real haproxy, connections and network namespaces; test_data_paths.py starts it in a namespace."""

from __future__ import annotations

import itertools
import os
import pathlib
import socket
import subprocess
import sys
import time
import types
import typing as t
from dataclasses import replace

import pytest
from lab.balancer.balancers import Balancers
from lab.balancer.view import ListenerView, LoadBalancerView, TargetGroupView, TargetView
from lab.net.network import Network

VPC, GATE, LOGIN = "vpc-test", 2022, 22
ARN = "arn:aws:elasticloadbalancing:us-west-2:111111111111:loadbalancer/net/hp-test/"
ADDRESS = "10.1.1.250"
# Sends its address to each connection, then echoes. Arguments: address and port.
NODE = """
import socket, sys, threading
def serve(port):
    listener = socket.create_server(("", port), backlog=64)
    while True:
        connection, _peer = listener.accept()
        threading.Thread(target=talk, args=(connection,), daemon=True).start()
def talk(connection):
    with connection:
        try:
            connection.sendall(sys.argv[1].encode())
            while data := connection.recv(64):
                connection.sendall(data)
        except OSError:
            pass
serve(int(sys.argv[2]))
"""


class Session:
    """A connection to the load balancer; ``node`` is the address of the node that accepted it."""

    def __init__(self, address: str = ADDRESS) -> None:
        self.socket = socket.create_connection((address, LOGIN), timeout=2)
        self.node = self.socket.recv(64).decode()

    def alive(self) -> bool:
        try:
            self.socket.sendall(b"ping")
            return self.socket.recv(64) == b"ping"
        except OSError:
            return False

    def ends(self, within: float = 10) -> bool:
        """Whether the other side ends the connection in time; nothing is sent, so the idle timeout applies."""
        self.socket.settimeout(within)
        try:
            return self.socket.recv(64) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False


class Bed:
    """Nodes in one VPC, a balancer, and a client at the router."""

    numbers = itertools.count(1)  # a new number each time, as the kernel removes the links of a deleted namespace late

    def __init__(self, state: pathlib.Path) -> None:
        self.number = next(self.numbers)
        self.arn = f"{ARN}{self.number:016x}"
        self.paths = types.SimpleNamespace(
            state=state,
            rootfs=pathlib.Path(os.environ["IMAGE"]),
            etc_hosts=state / "hosts",
            published=state / "names.json",
        )
        self.network = Network(t.cast(t.Any, self.paths))
        self.network.ensure_vpc(VPC, "10.1.0.0/16", True)
        self.balancers = Balancers(self.paths, self.network)
        self.servers: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
        self.view = LoadBalancerView(
            arn=self.arn,
            name="hp-test",
            dns_name="hp-test.example",
            vpc_id=VPC,
            addresses=((ADDRESS, 24), ("10.1.2.250", 24)),
            listeners=(ListenerView("listener", LOGIN, TargetGroupView("group", interval=0.2)),),
        )

    def netns(self, ip: str) -> str:
        return f"node-{self.number}-{ip}"

    def node(self, ip: str, *, gate: bool = True) -> None:
        self.network.attach(self.netns(ip), VPC, [(ip, 24)])
        self.serve(ip, LOGIN)
        if gate:
            self.serve(ip, GATE)

    def serve(self, ip: str, port: int) -> None:
        command = ["ip", "netns", "exec", self.netns(ip), sys.executable, "-c", NODE, ip, str(port)]
        self.servers[(ip, port)] = subprocess.Popen(command)

    def silence(self, ip: str, port: int) -> None:
        server = self.servers.pop((ip, port))
        server.kill()
        server.wait()

    def targets(self, *targets: str | TargetView, **group: t.Any) -> None:
        views = [one if isinstance(one, TargetView) else TargetView(one, LOGIN, GATE) for one in targets]
        listener = self.view.listeners[0]
        self.listen(target_group=replace(listener.target_group, targets=tuple(views), **group))

    def listen(self, **changes: t.Any) -> None:
        self.view = replace(self.view, listeners=(replace(self.view.listeners[0], **changes),))
        self.balancers.sync(self.view)

    def health(self) -> dict[str, str]:
        return {ip: found.state for (ip, _port), found in self.balancers.health(self.arn, "group").items()}

    def await_health(self, **expected: str) -> float:
        wanted = {f"10.1.{name[1]}.{name[3:]}": state for name, state in expected.items()}
        started = time.monotonic()
        while self.health() != wanted and time.monotonic() - started < 10:
            time.sleep(0.02)
        assert self.health() == wanted
        return time.monotonic() - started

    def logins(self, count: int = 12) -> set[str]:
        return {Session().node for _turn in range(count)}

    def close(self) -> None:
        self.balancers.close()
        for ip, port in list(self.servers):
            self.silence(ip, port)


@pytest.fixture
def bed(tmp_path: pathlib.Path) -> t.Iterator[Bed]:
    made = Bed(tmp_path)
    try:
        yield made
    finally:
        made.close()
        for name in pathlib.Path("/run/netns").iterdir():
            subprocess.run(["ip", "netns", "delete", name.name], check=True)
        made.network.remove_vpc(VPC)


def test_only_nodes_with_an_open_gate_receive_logins(bed: Bed) -> None:
    bed.node("10.1.1.11")
    bed.node("10.1.2.12", gate=False)
    bed.targets("10.1.1.11", "10.1.2.12")
    bed.await_health(n1_11="healthy", n2_12="unhealthy")
    assert bed.logins() == {"10.1.1.11"}
    bed.serve("10.1.2.12", GATE)
    bed.await_health(n1_11="healthy", n2_12="healthy")
    assert bed.logins() == {"10.1.1.11", "10.1.2.12"}
    assert Session("10.1.2.250").node in {"10.1.1.11", "10.1.2.12"}


def test_a_blank_node_receives_no_login_before_its_checks_pass(bed: Bed) -> None:
    bed.node("10.1.1.11")
    bed.targets("10.1.1.11")
    bed.await_health(n1_11="healthy")
    bed.node("10.1.1.12", gate=False)
    bed.targets("10.1.1.11", "10.1.1.12")
    seen = set()
    while bed.health().get("10.1.1.12") == "initial":
        seen |= bed.logins(3)
    assert bed.logins() | seen == {"10.1.1.11"}


def test_sessions_survive_registration_and_draining(bed: Bed) -> None:
    for ip in ("10.1.1.11", "10.1.1.12", "10.1.1.13"):
        bed.node(ip)
    bed.targets("10.1.1.11", "10.1.1.12")
    bed.await_health(n1_11="healthy", n1_12="healthy")
    sessions = [Session() for _turn in range(6)]
    leaving = sessions[0].node
    staying = {"10.1.1.11", "10.1.1.12"} - {leaving}
    bed.targets(TargetView(leaving, LOGIN, GATE, draining=True), *staying, "10.1.1.13")
    assert leaving not in bed.logins()
    bed.targets(*staying, "10.1.1.13")
    time.sleep(0.6)
    assert all(session.alive() for session in sessions)
    bed.targets("10.1.1.11", "10.1.1.12", "10.1.1.13")
    bed.await_health(n1_11="healthy", n1_12="healthy", n1_13="healthy")
    assert bed.logins() == {"10.1.1.11", "10.1.1.12", "10.1.1.13"}
    assert all(session.alive() for session in sessions)


@pytest.mark.parametrize("cut", [True, False])
def test_deregistration_ends_sessions_only_if_configured(bed: Bed, cut: bool) -> None:
    bed.node("10.1.1.11")
    bed.targets("10.1.1.11", cut_deregistered=cut)
    bed.await_health(n1_11="healthy")
    session = Session()
    bed.targets()
    assert session.ends(within=10 if cut else 1) is cut


@pytest.mark.parametrize("cut", [True, False])
def test_sessions_of_an_unhealthy_target_end_only_if_configured(bed: Bed, cut: bool) -> None:
    for ip in ("10.1.1.11", "10.1.1.12"):
        bed.node(ip)
    bed.targets("10.1.1.11", "10.1.1.12", cut_unhealthy=cut)
    bed.await_health(n1_11="healthy", n1_12="healthy")
    sessions = {session.node: session for session in (Session() for _turn in range(4))}
    bed.silence("10.1.1.11", GATE)
    bed.await_health(n1_11="unhealthy", n1_12="healthy")
    assert sessions["10.1.1.11"].ends(within=10 if cut else 1) is cut
    assert sessions["10.1.1.12"].alive()
    assert bed.logins() == {"10.1.1.12"}


def test_all_targets_receive_logins_if_all_are_unhealthy(bed: Bed) -> None:
    for ip in ("10.1.1.11", "10.1.1.12"):
        bed.node(ip, gate=False)
    bed.targets("10.1.1.11", "10.1.1.12", cut_unhealthy=False)
    bed.await_health(n1_11="unhealthy", n1_12="unhealthy")
    assert bed.logins() == {"10.1.1.11", "10.1.1.12"}
    session = Session()
    bed.serve("10.1.1.11", GATE)
    bed.await_health(n1_11="healthy", n1_12="unhealthy")
    assert bed.logins() == {"10.1.1.11"}
    assert session.alive()


def test_changed_settings_keep_health_and_sessions(bed: Bed) -> None:
    bed.node("10.1.1.11")
    bed.targets("10.1.1.11")
    bed.await_health(n1_11="healthy")
    session = Session()
    bed.targets("10.1.1.11", interval=0.3, fall=4)
    assert bed.health() == {"10.1.1.11": "healthy"} and bed.logins(2) == {"10.1.1.11"}
    bed.listen(idle_timeout=1.0)
    assert bed.health() == {"10.1.1.11": "healthy"}
    assert Session().ends()
    assert bed.health() == {"10.1.1.11": "healthy"}, "the session must end by its idle timeout, not because the target became unhealthy"
    assert session.alive()


def test_security_groups_block_clients_and_health_checks(bed: Bed) -> None:
    for ip in ("10.1.1.11", "10.1.1.12"):
        bed.node(ip)
    closed = TargetView("10.1.1.12", LOGIN, GATE, probe_open=False, open=False)
    bed.targets("10.1.1.11", closed)
    bed.await_health(n1_11="healthy", n1_12="unhealthy")
    assert bed.balancers.health(bed.arn, "group")[("10.1.1.12", LOGIN)].timeout
    bed.listen(clients=("192.0.2.0/24",))
    with pytest.raises(socket.timeout):
        Session()
    bed.listen(clients=("192.0.2.0/24", "10.1.0.1/32"))
    assert bed.logins(4) == {"10.1.1.11"}
