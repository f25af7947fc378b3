# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan: each resource with the action on it and its price.

Prices are those of ``price_info``. A resource that is billed by use has no price per hour and only a note.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from . import network as of_network
from .declared import Addon, Declared, Group
from .observed import (
    ADDON,
    CLUSTER,
    ELASTIC_IP,
    ENDPOINT,
    ENTRY,
    FILE_SYSTEM,
    GROUP,
    INTERNET_GATEWAY,
    NAT_GATEWAY,
    ROLE,
    ROUTE_TABLE,
    SECURITY_GROUP,
    SUBNET,
    TEMPLATE,
    VPC,
    Observed,
)

CREATE, SCALE, KEEP, USE = "create", "scale", "keep", "use"
"""Actions. ``use`` is for a resource of someone else, which the role neither creates nor scales nor removes."""
CHANGES = (CREATE, SCALE)
LUSTRE = "lustre"
"""The end of the name of the security group for the file system."""


@dataclass(frozen=True)
class Priced:
    """Resources with a price per hour, as an entry of the option ``planned`` of ``price_info``."""

    kind: str
    count: int
    instance_type: str = ""
    gib: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.kind, self.instance_type, self.gib)

    def to_option(self) -> dict[str, t.Any]:
        size = {"instance_type": self.instance_type} if self.instance_type else {"gib": self.gib} if self.gib else {}
        return {"kind": self.kind, "count": self.count, **size}


@dataclass(frozen=True)
class Row:
    """One resource of the plan."""

    kind: str
    name: str
    action: str
    note: str = ""
    priced: tuple[Priced, ...] = ()

    @property
    def changes(self) -> bool:
        return self.action in CHANGES


@dataclass(frozen=True)
class Names:
    """Names of the resources that the role creates."""

    cluster: str
    roles: tuple[str, ...]
    """Names of the IAM roles."""

    def part(self, name: str) -> str:
        """The name of a resource outside the EKS cluster, such as a subnet or a launch template."""
        return f"{self.cluster}-{name}"


def rows(wanted: Declared, observed: Observed, names: Names, *, extended_support: bool) -> list[Row]:
    """The plan, in the order of creation.

    :param extended_support: whether the Kubernetes version is in extended support.
    """
    found = [*_network(wanted, observed, names), *_roles(observed, names), _cluster(wanted, observed, extended_support)]
    found += _entries(wanted, observed)
    addons = wanted.wanted_addons(ours=not observed.foreign)
    found += [_addon(each, observed) for each in addons if each.first]
    for each in wanted.groups:
        found += _group(each, observed, names)
    return [*found, *(_addon(each, observed) for each in addons if not each.first), *_storage(wanted, observed, names)]


def _row(observed: Observed, kind: str, name: str, note: str = "", priced: tuple[Priced, ...] = ()) -> Row:
    """The row of a resource that is found by its name."""
    found = observed.named(kind, name)
    action = CREATE if found is None else KEEP if found["ours"] else USE
    return Row(kind, name, action, note, priced)


def _network(wanted: Declared, observed: Observed, names: Names) -> t.Iterator[Row]:
    if not wanted.network.created or observed.foreign:
        return
    yield _row(observed, VPC, names.cluster, wanted.network.vpc_cidr)
    for part in (of_network.PUBLIC, of_network.NODES, of_network.CONTROL_PLANE):
        yield _row(observed, SUBNET, names.part(part))
    yield _row(observed, INTERNET_GATEWAY, names.cluster)
    yield _row(observed, ELASTIC_IP, names.cluster, "", (Priced("public_ipv4_address", 1),))
    yield _row(observed, NAT_GATEWAY, names.cluster, "also billed by traffic", (Priced(NAT_GATEWAY, 1),))
    for part in (of_network.PUBLIC, of_network.NODES):
        yield _row(observed, ROUTE_TABLE, names.part(part))
    yield _row(observed, ENDPOINT, names.part("s3"), "gateway endpoint, not billed")


def _roles(observed: Observed, names: Names) -> list[Row]:
    return [_row(observed, ROLE, name) for name in names.roles]


def _cluster(wanted: Declared, observed: Observed, extended_support: bool) -> Row:
    extended = (Priced("eks_extended_support", 1),) if extended_support else ()
    note = "the version is in extended support" if extended_support else ""
    return _row(observed, CLUSTER, wanted.name, note, (Priced(CLUSTER, 1), *extended))


def _entries(wanted: Declared, observed: Observed) -> list[Row]:
    principals = dict.fromkeys([*wanted.admins, *(each["principal_arn"] for each in wanted.teams)])
    return [_row(observed, ENTRY, arn) for arn in principals]


def _addon(addon: Addon, observed: Observed) -> Row:
    note = "logs and metrics are billed by use" if addon.name == "amazon-cloudwatch-observability" else ""
    return _row(observed, ADDON, addon.name, note)


def _group(group: Group, observed: Observed, names: Names) -> list[Row]:
    found = observed.named(GROUP, group.name)
    if found is not None and not found["ours"]:
        return [Row(GROUP, group.name, USE, "created by someone else, so it is not changed")]
    now = found["details"]["desired"] if found else None
    action = CREATE if found is None else KEEP if now == group.nodes else SCALE
    scaled = f"{now} to {group.nodes} nodes" if action == SCALE else f"{group.nodes} nodes"
    reserved = f", covered by reservation {group.reservation}" if group.reservation else ""
    spot = ", Spot Instances at no more than this price" if group.spot else ""
    instances = () if group.reservation else (Priced("ec2_instance", group.nodes, group.instance_type),)
    priced = (*instances, Priced("gp3_volume", group.nodes, gib=group.volume_size)) if group.nodes else ()
    node_group = Row(GROUP, group.name, action, f"{group.instance_type}, {scaled}{reserved}{spot}", priced)
    return [_row(observed, TEMPLATE, names.part(group.name)), node_group]


def _storage(wanted: Declared, observed: Observed, names: Names) -> t.Iterator[Row]:
    if not wanted.file_system:
        return
    gib = int(wanted.file_system["storage_capacity"])
    yield _row(observed, SECURITY_GROUP, names.part(LUSTRE))
    yield _row(observed, FILE_SYSTEM, names.cluster, f"{gib} GiB of Lustre", (Priced("lustre_file_system", 1, gib=gib),))


def planned(found: t.Sequence[Row]) -> list[dict[str, t.Any]]:
    """The resources with a price, as the option ``planned`` of ``price_info``, which accepts each kind and size once."""
    counts: dict[tuple[str, str, int], Priced] = {}
    for each in (priced for row in found for priced in row.priced):
        before = counts.get(each.key)
        counts[each.key] = Priced(each.kind, each.count + (before.count if before else 0), each.instance_type, each.gib)
    return [each.to_option() for each in counts.values()]
