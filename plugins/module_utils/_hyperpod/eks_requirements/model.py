# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An EKS cluster, the subnets of the nodes, and the requirements for both."""

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
    """The cluster as EKS describes it."""

    name: str
    status: str
    version: str
    authentication_mode: str
    vpc_id: str
    cni_version: str | None
    """Version of the add-on vpc-cni, such as ``v1.19.2-eksbuild.1``; None if EKS does not manage it."""


@dataclass(frozen=True)
class Chart:
    """HyperPod's Helm chart, detected by its health monitoring agent, which every installation has."""

    there: bool | None
    """None if unknown."""
    described: str


@dataclass(frozen=True)
class NodeSubnet:
    """A subnet and the targets of its routes."""

    id: str
    vpc_id: str
    free: int
    """Number of free IP addresses."""
    public: bool
    """Whether the subnet has a route to an internet gateway."""
    reaches_s3: bool
    """Whether the subnet has a route to S3, through an S3 endpoint or a default route."""


@dataclass(frozen=True)
class State:
    eks: Eks
    chart: Chart
    subnets: t.Mapping[str, NodeSubnet] = field(default_factory=dict)
    """Existing subnets, keyed by ID."""


@dataclass(frozen=True)
class EksRequirement(Requirement):
    note: str = ""
    """A limit of a requirement that is met, for example until a date or for some types. A sentence without a period, or empty."""

    def to_result(self) -> dict[str, t.Any]:
        return {**super().to_result(), "note": self.note}
