# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network in an eksctl file: a new VPC, or an existing one, and the place of the nodes in it. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import Part, made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

from ..structures import each_of
from . import checks
from .eksctl_reader import Object, Values, inside, read

FEWEST_SUBNETS = 2


@dataclass(frozen=True)
class Subnet:
    name: str
    """The subnet's key in the file."""
    id: str
    zone: str = ""
    """Empty if the file does not have it."""
    private: bool = True

    def is_in(self, zone: str) -> bool:
        return zone in (self.zone, self.name)


@dataclass(frozen=True)
class Network:
    values: Values
    """Variables, without those that depend on the groups."""
    zones: tuple[str, ...] = ()
    """Availability Zones of the cluster; empty if the file does not have them."""
    subnets: tuple[Subnet, ...] | None = ()
    """None if they are invalid."""
    exists: bool = False
    region: str = ""
    """The Region of the cluster; empty if it is not known."""

    @property
    def private(self) -> list[Subnet]:
        return [each for each in self.subnets or () if each.private]


def read_network(document: Values, option: str, region: str) -> Network:
    """:raises Refused: for an invalid value."""
    part, found = Part(), Network({}, subnets=None, exists=True)
    given, zones = document.get("availabilityZones", []), []
    with part:
        zones = each_of(lambda path, each: checks.check_zone(path, each, region), f"{option}.availabilityZones", given)
        check_unique(f"{option}.availabilityZones", zones)
    with part:
        found = _vpc(inside(document, "vpc", option, ""), f"{option}.vpc")
    return dataclasses.replace(found, zones=tuple(zones), region=region)


def _vpc(vpc: Object, path: str) -> Network:
    part, exists = Part(), "id" in vpc or "id" in vpc.wrong
    values: Values = {}
    subnets: list[Subnet] | None = None
    with part:
        inside(vpc, "nat", path, "vpc")
    with part:
        values.update(_access(vpc, path))
    with part:
        subnets = _subnets(vpc, path)
    with part:
        if "id" in vpc:
            values["vpc_id"] = checks.check_text(f"{path}.id", vpc["id"], "vpc")
    with part:
        if exists and subnets is not None:
            values["subnet_ids"] = _of_control_plane(vpc, subnets, path)
    for name in ("subnets", "controlPlaneSubnetIDs", "controlPlaneOnPrivateSubnets"):
        with part:
            if vpc.get(name) and not exists:
                raise Refused(f"{path}.id: missing; vpc.{name} requires an existing VPC.", option=f"{path}.id")
    with part:
        if "cidr" in vpc and not exists:
            values["vpc_cidr"] = checks.check_vpc_network(f"{path}.cidr", vpc["cidr"])
    return Network(values, subnets=None if subnets is None else tuple(subnets), exists=exists)


def _access(vpc: Values, path: str) -> Values:
    """The ranges of the public endpoint. Empty if eksctl would open the endpoint to the internet."""
    option, part = f"{path}.publicAccessCIDRs", Part()
    public, private, ranges = True, None, []
    with part:
        endpoints = inside(vpc, "clusterEndpoints", path, "vpc")
        public, private = endpoints.get("publicAccess", True), endpoints.get("privateAccess")
        if not public and private is False:
            why = "publicAccess is also false, so the API server could not be reached"
            refuse_option(f"{path}.clusterEndpoints.privateAccess", False, "true", why)
    with part:
        ranges = checks.check_access_networks(option, vpc.get("publicAccessCIDRs", []))
    if ranges and not public:
        refuse_option(option, ranges, "no value", f"{path}.clusterEndpoints.publicAccess is false")
    return {"public_access_cidrs": ranges} if ranges or not public else {}


def _subnets(vpc: Values, path: str) -> list[Subnet]:
    given = inside(vpc, "subnets", path, "vpc")
    entries = [(kind, name, entry) for kind in ("private", "public") for name, entry in given.get(kind, {}).items()]
    return made(lambda each: _subnet(*each, path), entries)


def _subnet(kind: str, name: t.Any, entry: t.Any, path: str) -> Subnet:
    place = checks.path_inside(f"{path}.subnets.{kind}", name)
    values = read({} if entry is None else entry, place, "vpc.subnets.entry")
    with parts() as part:
        with part:
            if values.lacks("id"):
                raise Refused(f"{place}.id: missing; set it to the ID of the existing subnet.", option=f"{place}.id")
            subnet = checks.check_text(f"{place}.id", values.get("id", ""), "subnet")
        with part:
            zone = checks.check_text(f"{place}.az", values["az"], "zone") if "az" in values else ""
    return Subnet(str(name), subnet, zone, kind == "private")


def _of_control_plane(vpc: Values, subnets: t.Sequence[Subnet], path: str) -> list[str]:
    """The subnets of the control plane. As in eksctl, these are all subnets unless the file selects some."""
    option, only = f"{path}.controlPlaneSubnetIDs", vpc.get("controlPlaneOnPrivateSubnets", False)
    if "controlPlaneSubnetIDs" in vpc:
        if only:
            refuse_option(option, vpc["controlPlaneSubnetIDs"], "no value", "controlPlaneOnPrivateSubnets is true")
        found = checks.check_texts(option, vpc["controlPlaneSubnetIDs"], "subnet")
    else:
        option = f"{path}.subnets"
        found = list(dict.fromkeys(each.id for each in subnets if each.private or not only))
    if len(found) < FEWEST_SUBNETS:
        kind = "private subnets" if only else "subnets"
        refuse_shown(option, f"a list of {len(found)}", f"{FEWEST_SUBNETS} or more {kind} in different Availability Zones")
    return found


def place(group: Values, path: str, found: Network) -> str | None:
    """The subnet of a group in an existing VPC, or its zone in a new VPC. None if the file does not determine it.

    :raises Refused: for more than one place, and for a place that is not in the file.
    """
    names, zones = group.get("subnets", []), group.get("availabilityZones", [])
    if names and zones:
        refuse_option(f"{path}.availabilityZones", zones, "either subnets or availabilityZones", "subnets is also given")
    for name, given in (("subnets", names), ("availabilityZones", zones)):
        if len(given) > 1:
            refuse_option(f"{path}.{name}", given, "one value", "all nodes of the cluster must be in one zone")
    if names:
        return _named(f"{path}.subnets", names[0], found)
    zone = checks.check_zone(f"{path}.availabilityZones", zones[0], found.region) if zones else ""
    if zone and found.zones and zone not in found.zones:
        refuse_option(f"{path}.availabilityZones", zone, ", ".join(found.zones), "the availabilityZones of the cluster lack it")
    if not found.exists or found.subnets is None:
        return zone or None if not found.exists else None
    return _in_zone(f"{path}.availabilityZones", zone, found)


def _named(option: str, name: str, found: Network) -> str | None:
    if found.subnets is None:
        return None
    private = ", ".join(printable(each.name) for each in found.private) or "none"
    allowed = f"private subnets of the file: {private}"
    if not found.exists:
        refuse_option(option, name, "no value, or an existing VPC in vpc.id", "the run creates the subnet of the nodes")
    match = next((each for each in found.subnets if name in (each.name, each.id)), None)
    if match is None:
        refuse_option(option, name, allowed, "vpc.subnets does not have this subnet")
    if not match.private:
        refuse_option(option, name, allowed, "it is a public subnet, and the nodes have no public addresses")
    return match.id


def _in_zone(option: str, zone: str, found: Network) -> str | None:
    if not zone:
        return found.private[0].id if len(found.private) == 1 else None
    matches = [each for each in found.private if each.is_in(zone)]
    if not matches and found.private and all(each.zone for each in found.private):
        there = ", ".join(sorted({each.zone for each in found.private}))
        refuse_option(option, zone, there, "no private subnet of the file is in this zone")
    return matches[0].id if len(matches) == 1 else None
