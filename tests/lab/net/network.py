# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bridges and virtual cables: a bridge for each VPC, a network namespace for each host or load balancer."""

from __future__ import annotations

import fcntl
import ipaddress
import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from lab.names import LabError, Paths, bridge_name, hosts_file, router_address, veth_name


def ip(*args: str) -> None:
    _run(["ip", *args])


def ip_batch(lines: Sequence[str], netns: str | None = None) -> None:
    """Run several `ip` commands in one process, optionally inside a network namespace."""
    _run(["ip", *(["-n", netns] if netns else []), "-batch", "-"], "\n".join(lines) + "\n")


def in_namespace(netns: str, argv: Sequence[str], stdin: str | None = None) -> None:
    """A command inside a network namespace."""
    _run(["ip", "netns", "exec", netns, *argv], stdin)


def forward(netns: str) -> None:
    """Enable packet forwarding in a network namespace."""
    in_namespace(netns, ["sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"])


def _run(argv: list[str], stdin: str | None = None) -> None:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(f"{' '.join(argv)}: {(done.stderr or done.stdout).strip()}\n{stdin or ''}".rstrip())


class Network:
    """Thread-safe. The lab's outer namespace is the router (first address) of every reachable VPC."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._cidrs: dict[str, list[str]] = {}
        self._reachable: set[str] = set()

    def ensure_vpc(self, vpc_id: str, cidr: str, reachable: bool) -> str:
        """Create the VPC's bridge, or add another CIDR to it. Unreachable VPCs may share a CIDR, because they are not connected."""
        bridge = bridge_name(vpc_id)
        with self._lock:
            known = self._cidrs.setdefault(vpc_id, [])
            if not known:
                ip_batch([f"link add {bridge} type bridge", f"link set {bridge} up"])
            if cidr in known:
                return bridge
            if reachable:
                prefix = ipaddress.ip_network(cidr).prefixlen
                ip("address", "add", f"{router_address(cidr)}/{prefix}", "dev", bridge)
                self._reachable.add(vpc_id)
            known.append(cidr)
        return bridge

    def remove_vpc(self, vpc_id: str) -> None:
        with self._lock:
            if self._cidrs.pop(vpc_id, None):
                self._reachable.discard(vpc_id)
                ip("link", "delete", bridge_name(vpc_id))

    def attach(self, netns: str, vpc_id: str, addresses: Sequence[tuple[str, int]], device: str = "eth0") -> None:
        """Give a network namespace, created if missing, an interface in the VPC with the given addresses.

        A VPC is one segment here, so all its CIDRs are on link, with any prefix of the subnet.
        """
        with self._lock:
            if vpc_id not in self._cidrs:
                raise LabError(f"VPC {vpc_id} has no bridge: call ensure_vpc first")
            cidrs = tuple(self._cidrs[vpc_id])
            reachable = vpc_id in self._reachable
        if not Path("/run/netns", netns).exists():
            ip("netns", "add", netns)
        veth = veth_name(netns, device)
        ip_batch(
            [
                f"link add {veth} type veth peer name {device} netns {netns}",
                f"link set {veth} master {bridge_name(vpc_id)} up",
            ]
        )
        inside = [f"address add {address}/{prefix} dev {device}" for address, prefix in addresses]
        inside += ["link set lo up", f"link set {device} up"]
        inside += [f"route replace {cidr} dev {device}" for cidr in cidrs]
        if reachable:
            inside.append(f"route replace default via {router_address(cidrs[0])} dev {device}")
        ip_batch(inside, netns)

    def plug(self, netns: str, *, connected: bool, device: str = "eth0") -> None:
        """Pull an interface's cable, or plug it in again."""
        ip("link", "set", veth_name(netns, device), "up" if connected else "down")

    def detach(self, netns: str) -> None:
        """Remove the network namespace with its interfaces and both ends of its cables."""
        if Path("/run/netns", netns).exists():
            ip("netns", "delete", netns)

    def publish(self, name: str, addresses: Sequence[str]) -> None:
        """Publish a DNS name in the lab's outer namespace; without addresses it is withdrawn."""
        publish(self._paths, name, addresses)


def publish(paths: Paths, name: str, addresses: Sequence[str]) -> None:
    """Write a name into the lab's /etc/hosts in place, because the file is bind-mounted."""
    table = paths.published
    with open(paths.etc_hosts.with_name("names.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        entries = json.loads(table.read_text()) if table.exists() else {}
        entries.pop(name, None)
        if addresses:
            entries[name] = list(addresses)
        draft = table.with_suffix(".new")
        draft.write_text(json.dumps(entries))
        draft.rename(table)
        paths.etc_hosts.write_text(hosts_file(entries))
