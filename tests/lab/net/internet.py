# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's internet: a segment with a router, the public DNS and one site. It has no route into a VPC."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from lab.names import LabError, Paths, veth_name
from lab.net.network import forward, ip_batch

NETNS, BRIDGE = "internet", "internet"
PREFIX = 24
ROUTER, DNS = "198.51.100.1", "198.51.100.53"
SERVERS = "198.51.100.128/26"  # Client VPN endpoints
SITE = "203.0.113.80"  # returns the address of its client over HTTP


def ensure(paths: Paths) -> None:
    """Create the internet if it is missing. Several processes call it: the API and the command line."""
    with open(paths.etc_hosts.with_name("internet.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if Path("/run/netns", NETNS).exists():
            return
        ip_batch([f"link add {BRIDGE} type bridge", f"link set {BRIDGE} up", f"netns add {NETNS}"])
        _cable(NETNS, "eth0")
        ip_batch(
            [
                "link set lo up",
                "link set eth0 up",
                f"address add {ROUTER}/{PREFIX} dev eth0",
                f"address add {DNS}/{PREFIX} dev eth0",
                f"address add {SITE}/32 dev lo",
                "route add unreachable default",
            ],
            NETNS,
        )
        forward(NETNS)
        _start_services(paths)


def attach(netns: str, address: str, device: str, *, router: bool = False) -> None:
    """Give a network namespace an interface in the internet; with ``router`` its default route."""
    _cable(netns, device)
    lines = ["link set lo up", f"link set {device} up", f"address add {address}/{PREFIX} dev {device}"]
    ip_batch(lines + ([f"route add default via {ROUTER}"] if router else []), netns)


def _cable(netns: str, device: str) -> None:
    veth = veth_name(netns, device)
    ip_batch([f"link add {veth} type veth peer name {device} netns {netns}", f"link set {veth} master {BRIDGE} up"])


def _start_services(paths: Paths) -> None:
    ready, done = os.pipe()
    command = ["ip", "netns", "exec", NETNS, sys.executable, "-s", "-m", "lab.net.public", str(paths.published), DNS, SITE]
    with open(paths.log, "ab") as log:  # otherwise a pipe of the caller would stay open while it runs
        process = subprocess.Popen(
            command,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(paths.tests)},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=done,
            stderr=log,
            start_new_session=True,
        )
    os.close(done)
    with os.fdopen(ready) as answer:
        if answer.readline() != "ready\n":
            raise LabError(f"the lab's public DNS did not start: exit code {process.wait()} (log: {paths.log})")
