# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network that the role creates: a public subnet, a subnet for all nodes, and one in the second zone that EKS requires."""

from __future__ import annotations

import ipaddress
import typing as t
from dataclasses import dataclass

PUBLIC, NODES, CONTROL_PLANE = "public", "nodes", "control-plane"
SMALLEST = 28
"""AWS's limit for the prefix of a subnet."""


@dataclass(frozen=True)
class Subnet:
    """A subnet to create."""

    part: str
    cidr: str
    zone: str


def subnets(vpc_cidr: str, *, zone: str, second_zone: str) -> tuple[Subnet, ...]:
    """The subnets of the VPC. The nodes get half of its addresses, because each Pod has an address of the subnet.

    EKS requires subnets in two zones. All nodes are in one zone, because traffic between zones is slower and costs money.
    """
    network = ipaddress.ip_network(vpc_cidr)
    nodes, rest = network.subnets(prefixlen_diff=1)
    small = rest.subnets(new_prefix=min(network.prefixlen + 8, SMALLEST))
    return (
        Subnet(PUBLIC, str(next(small)), zone),
        Subnet(NODES, str(nodes), zone),
        Subnet(CONTROL_PLANE, str(next(small)), second_zone),
    )


def zone_of(given: str, offered: t.Mapping[str, t.Sequence[str]]) -> str:
    """The zone of the nodes: the declared one, or the first one that offers all instance types. Empty without such a zone.

    :param offered: zones, keyed by instance type.
    """
    if given:
        return given
    common = set.intersection(*(set(zones) for zones in offered.values())) if offered else set()
    return min(common, default="")
