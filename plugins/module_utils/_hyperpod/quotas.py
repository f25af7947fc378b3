# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the clusters' use of the account's quotas, current and planned, with the quotas that AWS grants."""

from __future__ import annotations

import collections
import re
import typing as t
from dataclasses import dataclass

from .._aws.service_quota.api import ServiceQuotas
from .._aws.service_quota.model import Quota
from .._core.checks import check_number
from .._core.failure import refuse_option
from .api import HyperPod
from .cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED, MOST_NODES

SERVICE = "sagemaker"
ALL_NODES = "Total number of instances allowed across SageMaker HyperPod clusters"
ALL_SPOT_NODES = "Total number of Spot instances allowed across SageMaker HyperPod clusters"
NODES_OF_ONE = "Maximum number instances allowed per SageMaker HyperPod cluster"
VOLUME_OF_ONE = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"
"""AWS's names of the quotas, verbatim: ``NODES_OF_ONE`` lacks a word."""

Kind = tuple[str, bool]
"""Instance type, and whether it is a Spot instance."""


def of_type(kind: Kind) -> str:
    instance_type, spot = kind
    return f"{instance_type} for cluster {'spot instance ' if spot else ''}usage"


@dataclass(frozen=True)
class Planned:
    """``nodes``: nodes in addition to the existing ones. The other fields are the sizes of the largest cluster and volume."""

    nodes: t.Mapping[Kind, int]
    cluster_nodes: int = 0
    volume_size: int = 0

    @classmethod
    def from_options(cls, params: t.Mapping[str, t.Any]) -> Planned:
        """:raises Refused: for the first invalid option."""
        nodes: collections.Counter[Kind] = collections.Counter()
        for each in params["planned"] or ():
            if not re.fullmatch(INSTANCE_TYPE, each["instance_type"]):
                refuse_option("planned.instance_type", each["instance_type"], INSTANCE_TYPE_ALLOWED)
            nodes[each["instance_type"], each["spot"]] += check_number("planned.count", each["count"], 0, MOST_NODES)
        return cls(
            nodes,
            check_number("cluster_nodes", params["cluster_nodes"], 0, MOST_NODES),
            check_number("volume_size_in_gb", params["volume_size_in_gb"], 0, 16384),
        )


@dataclass(frozen=True)
class Use:
    """``used``: each group counts with its current or its target count, whichever is higher. AWS also counts starting nodes."""

    name: str
    used: int
    planned: int

    def to_result(self, quota: Quota | None, pending: float | None) -> dict[str, t.Any]:
        applied = None if quota is None else quota.value
        needed = self.used + self.planned
        return {
            "name": self.name,
            "quota_code": "" if quota is None else quota.code,
            "used": self.used,
            "planned": self.planned,
            "applied": applied,
            "pending": pending,
            "adjustable": quota is not None and quota.adjustable,
            "enough": None if applied is None else needed <= applied,
        }


def used(api: HyperPod) -> collections.Counter[Kind]:
    """Nodes of all clusters in the account and Region, including starting ones."""
    return sum(by_cluster(api).values(), collections.Counter())


def by_cluster(api: HyperPod) -> dict[str, collections.Counter[Kind]]:
    """The nodes of each cluster, keyed by the cluster's ARN. Nodes count as in ``used``."""
    arns = api.cluster_arns()
    return {arn: nodes_of(api.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn)) for arn in arns}


def nodes_of(answer: t.Mapping[str, t.Any]) -> collections.Counter[Kind]:
    """Nodes of one cluster, from an answer of DescribeCluster."""
    count: collections.Counter[Kind] = collections.Counter()
    for group in [*(answer.get("InstanceGroups") or ()), *(answer.get("RestrictedInstanceGroups") or ())]:
        spot = "Spot" in (group.get("CapacityRequirements") or {})
        count[_type(group), spot] += max(group.get("CurrentCount", 0), group.get("TargetCount", 0))
    return count


def uses(planned: Planned, there: t.Mapping[Kind, int]) -> list[Use]:
    """The quotas that planned or existing nodes use."""
    kinds = sorted({*planned.nodes, *(kind for kind, count in there.items() if count)})
    by_type = [Use(of_type(kind), there.get(kind, 0), planned.nodes.get(kind, 0)) for kind in kinds]
    spot = {kind for kind in kinds if kind[1]}
    in_all = [Use(ALL_NODES, sum(there.values()), sum(planned.nodes.values()))]
    if spot:
        counts = [sum(counted.get(kind, 0) for kind in spot) for counted in (there, planned.nodes)]
        in_all.append(Use(ALL_SPOT_NODES, *counts))
    largest = ((NODES_OF_ONE, planned.cluster_nodes), (VOLUME_OF_ONE, planned.volume_size))
    return [*by_type, *in_all, *(Use(name, 0, count) for name, count in largest if count)]


def read(api: HyperPod, quotas: ServiceQuotas, planned: Planned) -> dict[str, t.Any]:
    found = uses(planned, used(api))
    known = quotas.named(SERVICE, [each.name for each in found])
    results = []
    for each in found:
        quota = known.get(each.name)
        short = quota is not None and each.used + each.planned > quota.value
        results.append(each.to_result(quota, quotas.pending(quota) if quota is not None and short else None))
    return {"quotas": results, "enough": all(each["enough"] is not False for each in results)}


def _type(group: t.Mapping[str, t.Any]) -> str:
    """The type of a group. A flexible group counts as its preferred type, because few answers have counts by type."""
    types = (group.get("InstanceRequirements") or {}).get("CurrentInstanceTypes") or ["unknown"]
    return str(group.get("InstanceType") or types[0])
