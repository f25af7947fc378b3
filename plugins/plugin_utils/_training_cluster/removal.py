# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of everything that the role created for a cluster, in the order in which AWS accepts it."""

from __future__ import annotations

from dataclasses import dataclass

from .observed import (
    ADDON,
    CLUSTER,
    ELASTIC_IP,
    ENDPOINT,
    ENTRY,
    FILE_SYSTEM,
    GROUP,
    IDENTITY,
    INTERNET_GATEWAY,
    LOG_GROUP,
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

IN_CLUSTER = (IDENTITY, ADDON, ENTRY)
"""Resources that EKS removes together with the cluster."""
ORDER = (  # the security group of the file system refers to that of the cluster, which EKS could not remove before
    *(FILE_SYSTEM, SECURITY_GROUP, GROUP, TEMPLATE, *IN_CLUSTER, CLUSTER, ROLE),
    *(ENDPOINT, NAT_GATEWAY, ELASTIC_IP, SUBNET, ROUTE_TABLE, INTERNET_GATEWAY, VPC),
)
GONE = ("deleted", "deleting", "DELETING")
"""Statuses of resources that are already being removed."""
SCRATCH = "SCRATCH_2"


@dataclass(frozen=True)
class Removal:
    """The resources to remove, in order, and those that stay."""

    removed: tuple[Resource, ...]
    stays: tuple[Resource, ...]
    """Resources of the cluster that the role did not create."""
    leaving: tuple[Resource, ...] = ()
    """Resources that EC2 is deleting since an earlier run. The removal waits for them."""

    def of(self, kind: str) -> list[Resource]:
        return [each for each in self.removed if each["kind"] == kind]


def removal(observed: Observed, *, logs: bool) -> Removal:
    """The removal of everything with the tag of the cluster.

    :param logs: whether to remove the log groups too, which never have the tag. Those of a cluster of someone else stay.
    """
    goes = [each for kind in ORDER for each in observed.ours(kind) if each["status"] != "deleted" and not _of_addon(each)]
    removed = [each for each in goes if each["kind"] not in IN_CLUSTER] if observed.ours(CLUSTER) else goes
    removed += observed.of(LOG_GROUP) if logs and not observed.foreign else []
    with_cluster = IN_CLUSTER if observed.ours(CLUSTER) else ()
    stays = [each for each in observed.resources if each not in goes and each not in removed and each["kind"] not in with_cluster]
    return Removal(tuple(removed), tuple(each for each in stays if each["status"] not in GONE), observed.leaving)


def _of_addon(resource: Resource) -> bool:
    """Whether an add-on manages the resource, and removes it."""
    return resource["kind"] == IDENTITY and bool(resource["details"].get("owner_arn"))


def note_of(resource: Resource, *, skip_final_backup: bool) -> str:
    """What happens to the data of the resource; empty if it has no data."""
    if resource["kind"] != FILE_SYSTEM:
        return ""
    lost = resource["details"].get("deployment_type") == SCRATCH or skip_final_backup
    return "all its data is lost" if lost else "FSx keeps a final backup, which you must remove yourself"
