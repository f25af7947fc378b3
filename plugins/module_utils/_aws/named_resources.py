# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds subnets, security groups and FSx file systems by ID or Name tag, and security groups also by group name."""

from __future__ import annotations

import re
import typing as t

from .._core.checks import check_length
from .._core.failure import refuse_option
from .client import Api
from .network import filters

SUBNET = re.compile(r"subnet-([0-9a-f]{8}|[0-9a-f]{17})")
SECURITY_GROUP = re.compile(r"sg-([0-9a-f]{8}|[0-9a-f]{17})")
"""Formats of IDs. Any other text is a name, for example ``subnet-a``."""

LONGEST = 256
"""Maximum number of characters in a tag's value."""
VALUES = 200
"""Maximum number of values that EC2 accepts in a filter."""
MOUNT_NAMES = {"LUSTRE": "LustreConfiguration"}
"""The part of the API's reply that contains the mount name, keyed by type of file system."""

Answer = t.Mapping[str, t.Any]
Found = list[dict[str, t.Any]]


def wanted(option: str, given: t.Sequence[str]) -> list[str]:
    """The given IDs and names, without duplicates.

    :raises Refused: for an invalid name.
    """
    for each in given:
        if not each.strip():
            refuse_option(option, each, "an ID or a name")
        check_length(option, each, LONGEST)
    return list(dict.fromkeys(given))


def subnets(ec2: Api, names: t.Sequence[str]) -> Found:
    found = _matching(ec2, "DescribeSubnets", "Subnets", "SubnetId", _by_id("subnet-id", SUBNET, names, "tag:Name"))
    rows = [{"id": each["SubnetId"], "name": _name(each), "vpc_id": each["VpcId"]} for each in found]
    return [each for each in rows if {each["id"], each["name"]} & set(names)]


def security_groups(ec2: Api, names: t.Sequence[str]) -> Found:
    by = _by_id("group-id", SECURITY_GROUP, names, "group-name", "tag:Name")
    found = _matching(ec2, "DescribeSecurityGroups", "SecurityGroups", "GroupId", by)
    rows = [
        {"id": each["GroupId"], "name": _name(each), "group_name": each["GroupName"], "vpc_id": each.get("VpcId", "")}
        for each in found
    ]
    return [each for each in rows if {each["id"], each["name"], each["group_name"]} & set(names)]


def file_systems(fsx: Api, names: t.Sequence[str]) -> Found:
    """Omits file systems that are being deleted. Lists all file systems, because FSx cannot search by tag and one unknown ID
    would fail the whole call."""
    if not names:
        return []
    listed = fsx.pages("DescribeFileSystems", "FileSystems", about="file systems " + ", ".join(names))
    rows = [
        {
            "id": each["FileSystemId"],
            "name": _name(each),
            "type": each["FileSystemType"],
            "dns_name": each.get("DNSName", ""),
            "mount_name": (each.get(MOUNT_NAMES.get(each["FileSystemType"], "")) or {}).get("MountName", ""),
        }
        for each in sorted(listed, key=lambda each: str(each["FileSystemId"]))
        if each.get("Lifecycle") != "DELETING"
    ]
    return [each for each in rows if {each["id"], each["name"]} & set(names)]


def _by_id(id_filter: str, pattern: re.Pattern[str], names: t.Sequence[str], *name_filters: str) -> dict[str, list[str]]:
    """The values to search for, keyed by filter."""
    ids = [each for each in names if pattern.fullmatch(each)]
    others = [each for each in names if each not in ids]
    return {id_filter: ids, **dict.fromkeys(name_filters, others)}


def _matching(ec2: Api, operation: str, key: str, id_key: str, by: t.Mapping[str, list[str]]) -> list[Answer]:
    """Makes one call per filter, because EC2 combines filters with "and". Values may contain wildcards, so the reply can contain
    additional resources.
    """
    found: dict[str, Answer] = {}
    for name, values in by.items():
        for start in range(0, len(values), VALUES):
            part = values[start : start + VALUES]
            for each in ec2.pages(operation, key, about=", ".join(part), **filters(**{name: part})):
                found[each[id_key]] = each
    return [found[each] for each in sorted(found)]


def _name(resource: Answer) -> str:
    return next((tag["Value"] for tag in resource.get("Tags") or () if tag["Key"] == "Name"), "")
