# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan: each resource with the action on it and its price.

Prices are those of ``price_info``. A resource that is billed by use has no price per hour and only a note.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field, replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import CREATE_FAILED, DELETING

from . import access, billed, group_removal, network as of_network
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
    Resource,
)

CREATE, SCALE, REPLACE, UPGRADE, CHANGE, KEEP, USE = "create", "scale", "replace nodes", "upgrade", "change", "keep", "use"
REMOVE, BUILD = "remove", "build"
"""Actions. ``use`` is for a resource of someone else, which the role neither creates nor changes nor removes. ``build`` is for an
image, which has no price for an hour.
"""
CHANGES = (CREATE, SCALE, REPLACE, UPGRADE, CHANGE, REMOVE)
EXTENDED_SUPPORT = "eks_extended_support"
"""The kind of the additional price of a version in extended support."""
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
        """The name of a part of the cluster that has no namespace of its own: a subnet, a launch template.

        No name of a cluster or a group contains a dot, so the names of two clusters differ.
        """
        return f"{self.cluster}.{name}"


@dataclass(frozen=True)
class Foreseen:
    """What the run found out before the plan."""

    version: str = ""
    """The declared version of Kubernetes; empty to keep the current one."""
    upgrades: bool = False
    """Whether the control plane or a node group gets the declared version, so that the run installs newer versions of add-ons."""
    extended_support: bool = False
    """Whether the version after the run is in extended support."""
    templates: frozenset[str] = frozenset()
    """Names of existing launch templates that will change, so that EKS replaces all nodes of their groups."""
    ends: t.Mapping[str, str] = field(default_factory=dict)
    """The ends of capacity reservations that end by themselves, keyed by ID."""


def rows(wanted: Declared, observed: Observed, names: Names, foreseen: Foreseen) -> list[Row]:
    """The plan, in the order of creation, with removed node groups at the end."""
    found = [*_network(wanted, observed, names), *_roles(observed, names), _cluster(wanted, observed, foreseen)]
    found += _entries(wanted, observed)
    addons = wanted.wanted_addons(ours=not observed.foreign)
    found += [_addon(each, observed, foreseen) for each in addons if each.first]
    for each in wanted.groups:
        found += _group(each, observed, names, foreseen)
    found += _undeclared(wanted, observed)
    found += [_addon(each, observed, foreseen) for each in addons if not each.first]
    return [*found, *_storage(wanted, observed, names), *_removed_groups(wanted, observed, names)]


def _row(observed: Observed, kind: str, name: str, note: str = "", priced: tuple[Priced, ...] = ()) -> Row:
    """The row of a resource that is found by its name."""
    found = observed.named(kind, name)
    if found is None or found["status"] == DELETING:
        return Row(kind, name, CREATE, note, priced)
    return Row(kind, name, KEEP if found["ours"] else USE, note, priced)


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


def _cluster(wanted: Declared, observed: Observed, foreseen: Foreseen) -> Row:
    extended = (Priced(EXTENDED_SUPPORT, 1),) if foreseen.extended_support else ()
    notes = ["the version is in extended support"] if foreseen.extended_support else []
    notes += ["logs are billed by use"] if wanted.logging else []
    changes = billed.of_cluster(wanted, observed.cluster) if observed.cluster else []
    notes = [*changes, *notes]
    row = _row(observed, CLUSTER, wanted.name, ", ".join(notes), (Priced(CLUSTER, 1), *extended))
    now = observed.cluster["details"]["version"] if observed.cluster else ""
    if foreseen.version in ("", now) or row.action == CREATE:
        return replace(row, action=CHANGE) if changes else row
    return replace(row, action=UPGRADE, note=", ".join([f"Kubernetes {now} to {foreseen.version}", *notes]))


def _entries(wanted: Declared, observed: Observed) -> t.Iterator[Row]:
    """Access entries. Those of ours whose principals are no longer declared are removed."""
    for arn, policies in access.policies_of(wanted).items():
        found = observed.named(ENTRY, arn)
        changes = access.differences(found, policies) if found else []
        row = _row(observed, ENTRY, arn, ", ".join(changes))
        yield replace(row, action=CHANGE) if changes else row
    for each in access.undeclared(wanted, observed):
        yield Row(ENTRY, each["id"], REMOVE, "no longer declared, so the principal loses its access")


def _addon(addon: Addon, observed: Observed, foreseen: Foreseen) -> Row:
    found = observed.named(ADDON, addon.name)
    changes = billed.of_addon(addon, found) if found else []
    notes = [*changes, *(["logs and metrics are billed by use"] if addon.name == billed.OBSERVABILITY else [])]
    row = _row(observed, ADDON, addon.name, ", ".join(notes))
    now = found["details"].get("version") if found else None
    if found is None or not foreseen.upgrades or addon.version == now:
        return replace(row, action=CHANGE) if changes else row
    newer = f"if EKS has a newer version for Kubernetes {foreseen.version}"
    text = newer if addon.follows else f"{now} to {addon.version}"
    return replace(row, action=UPGRADE, note=", ".join([text, *notes]))


def _group(group: Group, observed: Observed, names: Names, foreseen: Foreseen) -> list[Row]:
    found = observed.named(GROUP, group.name)
    if found is not None and not found["ours"]:
        return [Row(GROUP, group.name, USE, "created by someone else, so it is not changed")]
    template = _row(observed, TEMPLATE, names.part(group.name))
    changed = template.name in foreseen.templates
    action, note = _action(group, found, changed, foreseen.version)
    count = group.count(nodes_of(found))
    end = f" until {foreseen.ends[group.reservation]}" if group.reservation in foreseen.ends else ""
    reserved = f", covered by reservation {group.reservation}{end}" if group.reservation else ""
    spot = ", Spot Instances for at most this price" if group.spot else ""
    instances = () if group.reservation else (Priced("ec2_instance", count, group.instance_type),)
    priced = (*instances, Priced("gp3_volume", count, gib=group.volume_size)) if count else ()
    node_group = Row(GROUP, group.name, action, f"{group.instance_type}, {note}{reserved}{spot}", priced)
    return [replace(template, action=CHANGE) if changed else template, node_group]


def nodes_of(found: Resource | None) -> int | None:
    """The current number of nodes; None if the group does not exist or never worked."""
    return found["details"]["desired"] if found and found["status"] != CREATE_FAILED else None


def _action(group: Group, found: Resource | None, changed: bool, version: str) -> tuple[str, str]:
    """The action on a node group of ours, and a note about its nodes."""
    now = nodes_of(found)
    count = group.count(now)
    if found is None:
        return CREATE, f"{count} nodes"
    if found["status"] == DELETING:
        return CREATE, f"{count} nodes, after EKS has deleted the earlier group"
    if found["status"] == CREATE_FAILED:  # It never worked. The role removes it and creates it again.
        return CREATE, f"{count} nodes, after the removal of the group whose creation failed"
    if changed or version not in ("", found["details"]["version"]):
        return REPLACE, f"{count} nodes, EKS replaces all of them"
    return (KEEP, f"{count} nodes") if now == count else (SCALE, f"{now} to {count} nodes")


def _undeclared(wanted: Declared, observed: Observed) -> t.Iterator[Row]:
    """Node groups and file systems of ours that are no longer declared. They stay, and cost money."""
    declared = {group.name for group in wanted.groups}
    note, by_list = "no longer declared, but it stays until", f"{group_removal.OPTION} lists it"
    templates = {each["id"]: each["details"] for each in observed.of(TEMPLATE)}
    for each in observed.ours(GROUP):
        if each["name"] not in (*declared, *wanted.removed_groups):
            template = templates.get((each["details"].get("launch_template") or {}).get("id", ""), {})
            count, size, kind = each["details"]["desired"] or 0, template.get("volume_size"), template.get("instance_type") or ""
            disks = (Priced("gp3_volume", count, gib=size),) if size else ()
            priced = (Priced("ec2_instance", count, kind), *disks) if count and kind else ()
            yield Row(GROUP, each["name"], KEEP, f"{note} {by_list}", priced)
    for each in observed.ours(FILE_SYSTEM) if not wanted.file_system else ():
        gib = int(each["details"]["storage_capacity"] or 0)
        priced = (Priced("lustre_file_system", 1, gib=gib),) if gib else ()
        yield Row(FILE_SYSTEM, each["name"], KEEP, f"{note} you remove it", priced)


def _removed_groups(wanted: Declared, observed: Observed, names: Names) -> t.Iterator[Row]:
    """Node groups that the user lists, and their launch templates."""
    for each in group_removal.leaving(wanted.removed_groups, observed, names.part):
        if each.group is not None:
            yield Row(GROUP, each.name, REMOVE, each.note)
        if each.template is not None:
            yield Row(TEMPLATE, each.template["name"], REMOVE)


def _storage(wanted: Declared, observed: Observed, names: Names) -> t.Iterator[Row]:
    if not wanted.file_system:
        return
    gib, found = int(wanted.file_system["storage_capacity"]), observed.named(FILE_SYSTEM, names.cluster)
    yield _row(observed, SECURITY_GROUP, names.part(LUSTRE))
    changes = billed.of_file_system(wanted.file_system, found) if found and found["status"] != DELETING else []
    note = ", ".join([f"{gib} GiB of Lustre", *(changes or billed.beyond_price(wanted.file_system))])
    row = _row(observed, FILE_SYSTEM, names.cluster, note, (Priced("lustre_file_system", 1, gib=gib),))
    yield replace(row, action=CHANGE) if changes else row


def planned(found: t.Sequence[Row]) -> list[dict[str, t.Any]]:
    """The resources with a price, as the option ``planned`` of ``price_info``, which accepts each kind and size once."""
    counts: dict[tuple[str, str, int], Priced] = {}
    for each in (priced for row in found for priced in row.priced):
        before = counts.get(each.key)
        counts[each.key] = Priced(each.kind, each.count + (before.count if before else 0), each.instance_type, each.gib)
    return [each.to_option() for each in counts.values()]
