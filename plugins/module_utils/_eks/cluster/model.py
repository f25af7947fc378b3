# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An EKS cluster: desired state and observed state."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable
from ..._hyperpod.eks_requirements.model import EKS_CLUSTER
from ..addon.model import Issue
from . import fields
from .ranges import cover_internet
from .versions import Insight, Version
from .ways import way

Answer = t.Mapping[str, t.Any]
ACTIVE, DELETING, FAILED = "ACTIVE", "DELETING", "FAILED"
STATUSES = EKS_CLUSTER


@dataclass(frozen=True)
class Desired:
    """The desired cluster. None, or a setting that is not in ``settings``, leaves the current value unchanged."""

    name: str
    arn: str = ""
    """The ARN, if the user named the cluster by it."""
    present: bool = True
    version: str | None = None
    settings: fields.Values = field(default_factory=dict)
    accept_insights: tuple[str, ...] = ()
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True
    wait: bool = True

    @property
    def resource(self) -> str:
        return f"EKS cluster {self.name}"

    @property
    def newer_parameters(self) -> dict[str, list[str]]:
        """Parameters that an old botocore may not support, by operation."""
        protection = [fields.PROTECTION.path[0]] if fields.PROTECTION.option in self.settings else []
        return {
            "CreateCluster": ["accessConfig", "bootstrapSelfManagedAddons", "upgradePolicy", *protection],
            "DescribeClusterVersions": ["includeAll"],
            "ListInsights": [],
            "UpdateClusterConfig": ["accessConfig", "upgradePolicy", *protection],
            "UpdateClusterVersion": ["force"] if self.accept_insights else [],
        }


@dataclass(frozen=True)
class Cluster:
    """Values that a new cluster does not have yet are empty or None."""

    arn: str
    status: str
    version: str
    settings: fields.Values
    """By option name; see ``fields.observed``."""
    tags: t.Mapping[str, str] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    token: str = ""
    """The token of the request that created the cluster."""
    endpoint: str = ""
    authority: str | None = None
    vpc_id: str = ""
    security_group: str = ""
    """The ID of the security group that EKS created."""
    unsupported: tuple[str, ...] = ()
    """Properties that prevent all changes by this module."""

    @classmethod
    def from_api(cls, answer: Answer) -> Cluster:
        vpc, issues = answer.get("resourcesVpcConfig") or {}, (answer.get("health") or {}).get("issues") or ()
        return cls(
            arn=answer["arn"],
            status=answer.get("status") or "",
            version=answer.get("version") or "",
            settings=fields.observed(answer),
            tags=dict(answer.get("tags") or {}),
            issues=tuple(Issue(each.get("code", "Unknown"), printable(each.get("message", ""))) for each in issues),
            token=answer.get("clientRequestToken") or "",
            endpoint=answer.get("endpoint") or "",
            authority=(answer.get("certificateAuthority") or {}).get("data"),
            vpc_id=vpc.get("vpcId") or "",
            security_group=vpc.get("clusterSecurityGroupId") or "",
            unsupported=tuple(_unsupported(answer)),
        )

    @property
    def is_busy(self) -> bool:
        return STATUSES.is_busy(self.status)

    @property
    def is_open(self) -> bool | None:
        """Whether every address of the internet can reach the API server; None if unknown."""
        public, ranges = self.settings.get(fields.PUBLIC.option), self.settings.get(fields.CIDRS.option) or ()
        return public and (not ranges or cover_internet(ranges))

    @property
    def described(self) -> str:
        """The status with the reported issues."""
        status = printable(self.status or "in an unknown status")
        return f"{status} ({'; '.join(map(str, self.issues))})" if self.issues else status

    @property
    def way(self) -> str:
        """The next step if the cluster has issues or has failed."""
        return way(each.code for each in self.issues)

    def value(self, option: str) -> t.Any:
        return self.version if option == "version" else self.settings.get(option)


def _unsupported(answer: Answer) -> t.Iterator[str]:
    """Properties that need calls or checks that this module does not make."""
    if (answer.get("computeConfig") or {}).get("enabled"):
        yield "EKS Auto Mode (computeConfig)"
    remote = answer.get("remoteNetworkConfig") or {}
    if remote.get("remoteNodeNetworks") or remote.get("remotePodNetworks"):
        yield "hybrid nodes (remoteNetworkConfig)"
    if answer.get("outpostConfig"):
        yield "an Outpost (outpostConfig)"
    if answer.get("connectorConfig"):
        yield "EKS Connector (connectorConfig)"


@dataclass(frozen=True)
class State:
    cluster: Cluster | None = None
    versions: tuple[Version, ...] = ()
    """All versions that EKS lists. Not read if the cluster will be removed."""
    insights: tuple[Insight, ...] = ()
    """Read only if the version will change."""
    dependents: tuple[str, ...] = ()
    """Node groups and Fargate profiles. Read only if the cluster will be removed."""
