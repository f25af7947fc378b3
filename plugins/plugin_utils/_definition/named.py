# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves names in a definition: of subnets and security groups to IDs, and of file systems to DNS names."""

from __future__ import annotations

import copy
import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.named_resources import SECURITY_GROUP, SUBNET
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.parts import FSX_DNS_NAME

Definition = t.Mapping[str, t.Any]
Row = t.Mapping[str, t.Any]
"""A resource in a result of the module ``named_resource_info``."""
Answer = t.Mapping[str, t.Sequence[Row]]

GROUPS = ("instance_groups", "restricted_instance_groups")
STORAGE = {"fsx_lustre_config": ("LUSTRE", "FSx for Lustre"), "fsx_open_zfs_config": ("OPENZFS", "FSx for OpenZFS")}
"""The type and the product name of a file system, keyed by setting."""
AWS_NAMES = {
    "vpc_config": "VpcConfig",
    "override_vpc_config": "OverrideVpcConfig",
    "subnets": "Subnets",
    "security_group_ids": "SecurityGroupIds",
    "instance_groups": "InstanceGroups",
    "restricted_instance_groups": "RestrictedInstanceGroups",
    "instance_storage_configs": "InstanceStorageConfigs",
    "fsx_lustre_config": "FsxLustreConfig",
    "fsx_open_zfs_config": "FsxOpenZfsConfig",
    "dns_name": "DnsName",
    "mount_name": "MountName",
}
"""Names in AWS's form, for paths in messages."""


@dataclass(frozen=True)
class Lookup:
    """The names to resolve, as options of ``named_resource_info``. A network with a name is included completely, because its VPC is
    needed."""

    needed: bool
    subnets: list[str]
    security_groups: list[str]
    file_systems: list[str]


@dataclass(frozen=True)
class Place:
    """A structure in the definition, and its path."""

    path: str
    values: dict[str, t.Any]
    kind: str
    aws: bool
    """Whether the definition is in AWS's form."""

    def option(self, name: str) -> str:
        return f"{self.path}.{AWS_NAMES[name] if self.aws else name}"


def lookup(definition: Definition) -> Lookup:
    """The names to resolve; empty if the definition has only IDs and DNS names."""
    networks, storage = _places("", definition, aws=False)
    named = [place.values for place in networks if _names(place.values)]
    return Lookup(
        bool(named or storage),
        [each for values in named for each in values["subnets"]],
        [each for values in named for each in values["security_group_ids"]],
        [place.values["dns_name"] for place in storage],
    )


def resolved(option: str, definition: Definition, answer: Answer, *, aws: bool) -> dict[str, t.Any]:
    """The definition with IDs and DNS names instead of other names.

    :param option: the source of the definition, for messages.
    :param aws: whether the definition has AWS's form.
    :raises Refused: for the first name that does not belong to exactly one resource.
    """
    found = copy.deepcopy(dict(definition))
    networks, storage = _places(option, found, aws=aws)
    for place in networks:
        if _names(place.values):
            _resolve_network(place, answer["subnets"], answer["security_groups"])
    for place in storage:
        _resolve_file_system(place, answer["file_systems"])
    return found


def _names(network: Definition) -> bool:
    """Whether the network contains a value that is not an ID."""
    ids = [*map(SUBNET.fullmatch, network["subnets"]), *map(SECURITY_GROUP.fullmatch, network["security_group_ids"])]
    return not all(ids)


def _resolve_network(place: Place, subnets: t.Sequence[Row], groups: t.Sequence[Row]) -> None:
    option, given = place.option("subnets"), place.values["subnets"]
    rows = [_one(option, each, [row for row in subnets if each in (row["id"], row["name"])], "a subnet") for each in given]
    vpcs = sorted({row["vpc_id"] for row in rows})
    if len(vpcs) > 1:
        refuse_option(option, given, "subnets of one VPC", f"they belong to {', '.join(vpcs)}")
    place.values["subnets"] = list(dict.fromkeys(row["id"] for row in rows))
    option = place.option("security_group_ids")
    found = [_group(option, each, groups, vpcs) for each in place.values["security_group_ids"]]
    place.values["security_group_ids"] = list(dict.fromkeys(found))


def _group(option: str, name: str, groups: t.Sequence[Row], vpcs: t.Sequence[str]) -> str:
    """The ID of a security group. Groups of other VPCs are ignored, because a group's name is unique only within its VPC."""
    called = [row for row in groups if name in (row["id"], row["name"], row["group_name"])]
    here = [row for row in called if not vpcs or row["vpc_id"] in vpcs]
    if called and not here:
        where = ", ".join(f"{row['id']} belongs to {row['vpc_id']}" for row in called)
        refuse_option(option, name, f"a security group of {vpcs[0]}, the VPC of the subnets", where)
    return str(_one(option, name, here, "a security group")["id"])


def _resolve_file_system(place: Place, file_systems: t.Sequence[Row]) -> None:
    kind, product = STORAGE[place.kind]
    option, name, values = place.option("dns_name"), place.values["dns_name"], place.values
    named = [row for row in file_systems if row["type"] == kind and name in (row["id"], row["name"])]
    row = _one(option, name, named, f"a file system of {product}")
    values["dns_name"] = row["dns_name"]
    if kind == "LUSTRE" and values.setdefault("mount_name", row["mount_name"]) != row["mount_name"]:
        why = f"the mount name of {row['id']} is {row['mount_name']!r}"
        refuse_option(place.option("mount_name"), values["mount_name"], "the mount name of the file system, or none", why)


def _one(option: str, name: str, rows: t.Sequence[Row], what: str) -> Row:
    if not rows:
        refuse_option(option, name, f"the ID or name of {what} in the Region", "no resource has this name")
    if len(rows) > 1:
        refuse_option(option, name, "the ID of one of these resources", f"{', '.join(row['id'] for row in rows)} have this name")
    return rows[0]


def _places(option: str, definition: Definition, *, aws: bool) -> tuple[list[Place], list[Place]]:
    """The networks and file systems to resolve. Values of an invalid form are skipped; the module ``cluster`` refuses them."""

    def path(*names: str | int) -> str:
        parts = [f"[{name}]" if isinstance(name, int) else f".{AWS_NAMES[name] if aws else name}" for name in names]
        return option + "".join(parts)

    networks = [Place(path("vpc_config"), definition.get("vpc_config") or {}, "vpc_config", aws)]
    storage = []
    for groups, number, group in _groups(definition):
        override = group.get("override_vpc_config") or {}
        networks.append(Place(path(groups, number, "override_vpc_config"), override, "override_vpc_config", aws))
        for place, each in enumerate(_list(group.get("instance_storage_configs"))):
            for kind in STORAGE if isinstance(each, dict) else ():
                where = path(groups, number, "instance_storage_configs", place, kind)
                storage.append(Place(where, each.get(kind) or {}, kind, aws))
    return [place for place in networks if _is_network(place.values)], [place for place in storage if _is_named(place.values)]


def _groups(definition: Definition) -> t.Iterator[tuple[str, int, Definition]]:
    for option in GROUPS:
        for number, group in enumerate(_list(definition.get(option))):
            if isinstance(group, dict):
                yield option, number, group


def _is_network(values: t.Any) -> bool:
    lists = [values.get("subnets"), values.get("security_group_ids")] if isinstance(values, dict) else [None]
    return all(isinstance(each, list) and all(isinstance(name, str) for name in each) for each in lists)


def _is_named(values: t.Any) -> bool:
    """Whether a file system is named by something other than its DNS name."""
    name = values.get("dns_name") if isinstance(values, dict) else None
    return isinstance(name, str) and name != "" and not re.fullmatch(FSX_DNS_NAME, name)


def _list(value: t.Any) -> t.Sequence[t.Any]:
    return value if isinstance(value, list) else ()
