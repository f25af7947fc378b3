# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What AWS says of a cluster that Karpenter scales: its autoscaler, its instance groups, why nodes failed, quotas."""

from __future__ import annotations

import collections
import dataclasses
import typing as t
from dataclasses import dataclass, field

from .._aws.client import AwsError
from .._aws.network import Network
from .._aws.service_quota.api import ServiceQuotas
from .._hyperpod import quotas as hyperpod_quotas
from .._hyperpod.api import HyperPod
from .._hyperpod.cluster import events
from .._hyperpod.cluster.events import Failed
from .._hyperpod.cluster_autoscaling.model import State as AutoScaling
from .._hyperpod.model import Cluster
from .._hyperpod.quotas import ALL_NODES, ALL_SPOT_NODES, NODES_OF_ONE, SERVICE, Kind

Answer = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Group:
    """An instance group: what its nodes can be."""

    name: str
    current: int
    target: int
    types: tuple[str, ...]
    """Such as ``ml.g5.8xlarge``; several where the group is flexible."""
    flexible: bool
    zones: tuple[str, ...]
    spot: bool

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple((name, self.spot) for name in self.types)


@dataclass(frozen=True)
class LowQuota:
    """A quota that lets no node more come."""

    name: str
    used: int
    applied: float


@dataclass(frozen=True)
class Outside:
    autoscaling: AutoScaling
    groups: t.Mapping[str, Group] = field(default_factory=dict)
    failures: t.Mapping[str, Failed] = field(default_factory=dict)
    """The newest by instance group; of the whole cluster under an empty name."""
    low_quotas: t.Mapping[Kind, LowQuota] = field(default_factory=dict)
    """By instance type, and whether it is a Spot instance."""

    @property
    def cluster(self) -> Cluster:
        return self.autoscaling.cluster


def observe_outside(api: HyperPod, network: Network, cluster_arn: str) -> Outside:
    """Two calls. Failures and quotas cost more: ``with_failures`` and ``with_quotas`` ask for them where somebody waits.

    :raises AwsError: also for a cluster that does not exist.
    """
    answer = api.call("DescribeCluster", about=f"cluster {cluster_arn}", ClusterName=cluster_arn)
    return Outside(AutoScaling.from_api(answer), groups_of(answer, network))


def with_failures(outside: Outside, api: HyperPod) -> Outside:
    """Best effort: without the right to read events there are none."""
    return dataclasses.replace(outside, failures=events.by_group(api, outside.cluster.arn))


def with_quotas(outside: Outside, api: HyperPod, quotas: ServiceQuotas) -> Outside:
    """Best effort, too. It looks at all clusters of the account: quotas are about all of them."""
    kinds = {kind for group in outside.groups.values() for kind in group.kinds}
    names = {name for kind in kinds for name in _names(kind)}
    try:
        known, clusters = quotas.named(SERVICE, names), hyperpod_quotas.by_cluster(api)
    except AwsError:
        return outside
    used: collections.Counter[Kind] = sum(clusters.values(), collections.Counter())
    low: dict[Kind, LowQuota] = {}
    for kind in kinds:
        counts = {
            hyperpod_quotas.of_type(kind): used[kind],
            ALL_NODES: sum(used.values()),
            NODES_OF_ONE: sum(clusters.get(outside.cluster.arn, {}).values()),
            ALL_SPOT_NODES: sum(count for (_type, spot), count in used.items() if spot),
        }
        for name in _names(kind):
            if name in known and counts[name] + 1 > known[name].value:
                low.setdefault(kind, LowQuota(name, counts[name], known[name].value))
    return dataclasses.replace(outside, low_quotas=low)


def groups_of(answer: Answer, network: Network, only: t.Collection[str] | None = None) -> dict[str, Group]:
    """Of an answer of DescribeCluster; all of them, or those of the names that exist."""
    cluster = Cluster.from_api(answer)
    subnets_of = {group.name: cluster.subnets_of(group) for group in cluster.groups if only is None or group.name in only}
    known = network.subnets({subnet for subnets in subnets_of.values() for subnet in subnets})
    found = {}
    for each in answer.get("InstanceGroups") or ():
        name = each["InstanceGroupName"]
        if name not in subnets_of:
            continue
        flexible = (each.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
        current = each.get("CurrentCount", 0)
        found[name] = Group(
            name=name,
            current=current,
            target=each.get("TargetCount", current),
            types=tuple(flexible) or (each.get("InstanceType", ""),),
            flexible=bool(flexible),
            zones=tuple(sorted({known[subnet].zone for subnet in subnets_of[name] if subnet in known})),
            spot="Spot" in (each.get("CapacityRequirements") or {}),
        )
    return found


def _names(kind: Kind) -> list[str]:
    """Of the quotas that a node counts against."""
    return [hyperpod_quotas.of_type(kind), ALL_NODES, NODES_OF_ONE, *([ALL_SPOT_NODES] if kind[1] else [])]
