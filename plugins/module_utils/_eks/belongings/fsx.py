# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads file systems. FSx cannot search by tag, so all file systems of the Region are listed."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._aws.client import Api
from ..._aws.network import filters
from ..._aws.tags import plain_tags
from .model import Answer, Owner, Resource

LUSTRE, PROVISIONED = "LUSTRE", "USER_PROVISIONED"
MOST = 200
"""Maximum number of values that EC2 accepts in a filter."""


@dataclass(frozen=True)
class FileSystems:
    resources: tuple[Resource, ...] = ()
    others: t.Mapping[str, str] = field(default_factory=dict)
    """IDs of all other file systems, keyed by the ID of their network interfaces."""


def read(fsx: Api, ec2: Api, owner: Owner) -> FileSystems:
    """The file systems for Lustre with the tag of the cluster, including those that are being deleted."""
    listed = fsx.pages("DescribeFileSystems", "FileSystems", about="all file systems")
    own = [each for each in listed if each.get("FileSystemType") == LUSTRE and owner.owns(plain_tags(each.get("Tags")))]
    groups = _groups(ec2, owner, [name for each in own for name in each.get("NetworkInterfaceIds") or ()])
    others = {
        name: each["FileSystemId"] for each in listed if each not in own for name in each.get("NetworkInterfaceIds") or ()
    }
    return FileSystems(tuple(_resource(owner, each, groups) for each in own), others)


def _groups(ec2: Api, owner: Owner, interfaces: t.Sequence[str]) -> dict[str, list[str]]:
    """The security groups of network interfaces by ID of the interface. FSx does not return them."""
    found: list[Answer] = []
    for start in range(0, len(interfaces), MOST):
        wanted = filters(network_interface_id=list(interfaces[start : start + MOST]))
        found += ec2.pages("DescribeNetworkInterfaces", "NetworkInterfaces", about=owner.about, **wanted)
    return {each["NetworkInterfaceId"]: [group["GroupId"] for group in each.get("Groups") or ()] for each in found}


def _iops(metadata: Answer) -> str:
    """``AUTOMATIC``, or the provisioned number as text; empty for a file system without a metadata configuration."""
    return str(metadata.get("Iops", "") if metadata.get("Mode") == PROVISIONED else metadata.get("Mode") or "")


def _resource(owner: Owner, answer: Answer, groups: t.Mapping[str, list[str]]) -> Resource:
    tags, lustre = plain_tags(answer.get("Tags")), answer.get("LustreConfiguration") or {}
    interfaces = sorted(answer.get("NetworkInterfaceIds") or ())
    known = [each for each in interfaces if each in groups]
    details = {
        "storage_capacity": answer.get("StorageCapacity"),
        "storage_type": answer.get("StorageType") or "",
        "deployment_type": lustre.get("DeploymentType") or "",
        "per_unit_throughput": lustre.get("PerUnitStorageThroughput"),
        "metadata_iops": _iops(lustre.get("MetadataConfiguration") or {}),
        "backup_retention_days": lustre.get("AutomaticBackupRetentionDays"),
        "vpc_id": answer.get("VpcId") or "",
        "subnet_id": next(iter(answer.get("SubnetIds") or ()), ""),
        "security_group_ids": sorted({group for each in known for group in groups[each]}) if known else None,
        "network_interface_ids": interfaces,
    }
    status = answer.get("Lifecycle") or ""
    return owner.resource(
        "file_system", answer["FileSystemId"], tags=tags, name=tags.get("Name", ""), status=status, details=details
    )
