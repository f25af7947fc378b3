# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resources of the cluster as ``eks_cluster_resource_info`` returns them."""

from __future__ import annotations

import typing as t

Resource = t.Mapping[str, t.Any]
CLUSTER, GROUP, ADDON, ENTRY, IDENTITY = (
    "eks_cluster",
    "eks_nodegroup",
    "eks_addon",
    "eks_access_entry",
    "eks_pod_identity_association",
)
ROLE, TEMPLATE, FILE_SYSTEM, SECURITY_GROUP = "iam_role", "launch_template", "file_system", "security_group"
VPC, SUBNET, INTERNET_GATEWAY, NAT_GATEWAY, ROUTE_TABLE = "vpc", "subnet", "internet_gateway", "nat_gateway", "route_table"
ELASTIC_IP, ENDPOINT, LOG_GROUP, FARGATE = "elastic_ip", "vpc_endpoint", "log_group", "fargate_profile"


UNUSABLE: t.Mapping[str, tuple[str, ...]] = {
    NAT_GATEWAY: ("deleted", "deleting", "failed"),
    ENDPOINT: ("deleted", "deleting", "failed", "rejected", "expired"),
    VPC: ("deleted",),
}
"""Statuses in which EC2 still lists a resource, although it must be created again."""
LEAVING = (NAT_GATEWAY, "deleting")
"""Kind and status of the resources whose deletion takes EC2 minutes, and that block the removal of others meanwhile."""


class Observed:
    """The resources, by kind and name."""

    def __init__(self, resources: t.Sequence[Resource]) -> None:
        self.resources = tuple(each for each in resources if each["status"] not in UNUSABLE.get(each["kind"], ()))
        self.leaving = tuple(each for each in resources if each["ours"] and (each["kind"], each["status"]) == LEAVING)
        """NAT gateways of ours that EC2 is deleting. They use their address and their subnet until they are deleted."""

    def of(self, kind: str) -> list[Resource]:
        return [each for each in self.resources if each["kind"] == kind]

    def ours(self, kind: str) -> list[Resource]:
        """The resources that carry the tag of the cluster."""
        return [each for each in self.of(kind) if each["ours"]]

    def named(self, kind: str, name: str) -> Resource | None:
        """The resource with this name, preferably one of ours. The name of an access entry is the ARN of its principal here."""
        field = "id" if kind == ENTRY else "name"
        found = sorted((each for each in self.of(kind) if each[field] == name), key=lambda each: not each["ours"])
        return found[0] if found else None

    @property
    def cluster(self) -> Resource | None:
        found = self.of(CLUSTER)
        return found[0] if found else None

    @property
    def foreign(self) -> bool:
        """Whether the EKS cluster exists and was not created by the role."""
        return self.cluster is not None and not self.cluster["ours"]
