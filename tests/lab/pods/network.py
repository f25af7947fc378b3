# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of nodes that run their Pods: a bridge of their own, and on each node a range of addresses for its Pods.

The lab's outer namespace is on the bridge, so the API server and the kubelets reach each other. Nodes have no default route: kubelet
would wait for the metadata service of EC2.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from lab.names import LabError, veth_name
from lab.net.network import forward, ip, ip_batch

BRIDGE = "pods"
GATEWAY = "10.246.0.1"
"""The outer namespace: the API server and the name server for Pods."""
PREFIX = 24
NUMBERS = (1, 2)
"""Numbers of the nodes."""


def address(number: int) -> str:
    return f"10.246.0.{10 + number}"


def pod_range(number: int) -> str:
    return f"10.244.{number}.0/24"


def up() -> None:
    routes = [f"route add {pod_range(number)} via {address(number)} dev {BRIDGE}" for number in NUMBERS]
    ip_batch([f"link add {BRIDGE} type bridge", f"address add {GATEWAY}/{PREFIX} dev {BRIDGE}", f"link set {BRIDGE} up", *routes])


def down() -> None:
    with contextlib.suppress(LabError):  # never up
        ip("link", "delete", BRIDGE)


def attach(netns: str, number: int) -> None:
    """Make the network namespace of a node, from which nothing but the bridge and Pods of other nodes can be reached."""
    cable = veth_name(netns, "eth0")
    ip_batch([f"netns add {netns}", f"link add {cable} type veth peer name eth0 netns {netns}", f"link set {cable} master {BRIDGE} up"])
    inside = ["link set lo up", "link set eth0 up", f"address add {address(number)}/{PREFIX} dev eth0"]
    inside += [f"route add {pod_range(other)} via {address(other)}" for other in NUMBERS if other != number]
    ip_batch(inside, netns)
    forward(netns)


def detach(netns: str) -> None:
    if Path("/run/netns", netns).exists():
        ip("netns", "delete", netns)
