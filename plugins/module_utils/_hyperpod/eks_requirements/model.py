# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An EKS cluster, the subnets of the nodes, and what is asked of both."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._aws.statuses import Statuses
from ..requirement import Requirement

EKS_CLUSTER = Statuses(
    "eks",
    "ClusterStatus",
    settled=("ACTIVE",),
    busy=("CREATING", "UPDATING", "PENDING", "DELETING"),
    failed=("FAILED",),
)


@dataclass(frozen=True)
class Eks:
    """What EKS says about the cluster."""

    name: str
    status: str
    version: str
    authentication_mode: str
    vpc_id: str
    cni_version: str | None
    """Of the add-on vpc-cni, such as ``v1.19.2-eksbuild.1``; None where EKS does not manage it."""


@dataclass(frozen=True)
class Chart:
    """HyperPod's Helm chart, by its health monitoring agent, which every installation has."""

    there: bool | None
    """None: nobody knows."""
    described: str


@dataclass(frozen=True)
class NodeSubnet:
    """A subnet and where its routes lead."""

    id: str
    vpc_id: str
    free: int
    """Addresses that nobody has."""
    public: bool
    """It has a route to an internet gateway."""
    reaches_s3: bool
    """By an endpoint of S3 or a default route."""


@dataclass(frozen=True)
class State:
    eks: Eks
    chart: Chart
    subnets: t.Mapping[str, NodeSubnet] = field(default_factory=dict)
    """By id; those that exist."""


@dataclass(frozen=True)
class EksRequirement(Requirement):
    note: str = ""
    """A clause about what is as required, and will not stay so; empty without one."""

    def to_result(self) -> dict[str, t.Any]:
        return {**super().to_result(), "note": self.note}
