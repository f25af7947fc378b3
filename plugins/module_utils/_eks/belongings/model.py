# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The resources of an EKS cluster, in the same form for all kinds, and what blocks their removal."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.client import AwsError
from ..._aws.tags import CLUSTER_TAG, Tags
from ..._core.text import printable

COMPONENT_TAG = "mlfleet.hyperpod/component"
Answer = t.Mapping[str, t.Any]
Found = t.TypeVar("Found")

DETAILS: t.Mapping[str, tuple[str, ...]] = {
    "eks_cluster": (
        *("version", "role_arn", "vpc_id", "subnet_ids", "security_group_id", "deletion_protection"),
        *("endpoint_public_access", "endpoint_private_access", "auto_mode", "logging", "support_type"),
    ),
    "eks_nodegroup": (
        *("version", "instance_types", "capacity_type", "ami_type", "min", "max", "desired", "disk_size", "launch_template"),
        *("subnet_ids", "node_role_arn"),
    ),
    "eks_addon": ("version", "service_account_role_arn", "configuration"),
    "eks_pod_identity_association": ("namespace", "service_account", "role_arn", "owner_arn"),
    "eks_access_entry": ("type", "username", "access_policies"),
    "fargate_profile": ("pod_execution_role_arn", "subnet_ids"),
    "iam_role": ("arn", "attached_policies", "inline_policies"),
    "launch_template": ("default_version", "instance_type", "volume_size"),
    "placement_group": ("strategy",),
    "file_system": (
        *("storage_capacity", "storage_type", "deployment_type", "per_unit_throughput", "metadata_iops"),
        *("backup_retention_days", "vpc_id", "subnet_id", "security_group_ids", "network_interface_ids"),
    ),
    "security_group": ("vpc_id",),
    "vpc": ("cidr_block",),
    "subnet": ("vpc_id", "availability_zone", "cidr_block"),
    "internet_gateway": ("vpc_id",),
    "nat_gateway": ("vpc_id", "subnet_id", "allocation_id", "network_interface_ids"),
    "elastic_ip": ("public_ip", "association_id", "network_interface_id"),
    "route_table": ("vpc_id", "main", "association_ids"),
    "vpc_endpoint": ("vpc_id", "type", "service_name", "subnet_ids", "network_interface_ids"),
    "log_group": ("stored_bytes", "retention_days"),
    "ebs_volume": ("size", "type", "availability_zone", "instance_id", "delete_on_termination"),
    "load_balancer": ("type",),
}
"""Names of the details of each kind. Results are in this order of kinds."""


@dataclass(frozen=True)
class Resource:
    kind: str
    id: str
    """The identifier that a removal needs."""
    ours: bool
    name: str = ""
    status: str = ""
    """The status as AWS returns it; empty for kinds without a status."""
    component: str = ""
    details: t.Mapping[str, t.Any] = field(default_factory=dict)

    @property
    def interfaces(self) -> t.Sequence[str]:
        """IDs of the network interfaces, if AWS returns them with the resource."""
        found: t.Sequence[str] = self.details.get("network_interface_ids") or ()
        return found

    def to_result(self) -> dict[str, t.Any]:
        return {**dataclasses.asdict(self), "details": dict(self.details)}


@dataclass(frozen=True)
class Blocker:
    """A resource that prevents the removal of one of ours, and that would still exist after the removal of all our resources."""

    kind: str
    id: str
    text: str
    next_step: str


@dataclass(frozen=True)
class Owner:
    """The EKS cluster, which may not exist."""

    name: str
    arn: str
    account: str

    @property
    def about(self) -> str:
        return f"EKS cluster {self.name}"

    def owns(self, tags: Tags) -> bool:
        return tags.get(CLUSTER_TAG) == self.arn

    def resource(
        self, kind: str, resource_id: str, *, tags: Tags, name: str = "", status: str = "", details: t.Mapping[str, t.Any]
    ) -> Resource:
        return Resource(
            kind=kind,
            id=resource_id,
            ours=self.owns(tags),
            name=printable(name),
            status=printable(status),
            component=printable(tags.get(COMPONENT_TAG, "")),
            details=details,
        )


def in_order(resources: t.Iterable[Resource]) -> list[Resource]:
    order = list(DETAILS)
    return sorted(resources, key=lambda each: (order.index(each.kind), each.id))


def unless_gone(read: t.Callable[[], Found], *codes: str) -> Found | None:
    """What ``read`` returns; None if it fails with one of these error codes, because the resource was removed meanwhile."""
    try:
        return read()
    except AwsError as error:
        if error.code in codes:
            return None
        raise
