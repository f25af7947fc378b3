# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The AWS side of a cluster that Karpenter scales: autoscaler, instance groups, failures of nodes, and quotas."""

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
    """An instance group with the possible types and zones of its nodes."""

    name: str
    current: int
    target: int
    types: tuple[str, ...]
    """Instance types such as ``ml.g5.8xlarge``; a flexible group has several."""
    flexible: bool
    zones: tuple[str, ...]
    spot: bool

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple((name, self.spot) for name in self.types)


@dataclass(frozen=True)
class LowQuota:
    """A quota that allows no further node."""

    name: str
    used: int
    applied: float


@dataclass(frozen=True)
class Outside:
    autoscaling: AutoScaling
    groups: t.Mapping[str, Group] = field(default_factory=dict)
    failures: t.Mapping[str, Failed] = field(default_factory=dict)
    """The newest failure, keyed by instance group. The key of a failure of the whole cluster is empty."""
    low_quotas: t.Mapping[Kind, LowQuota] = field(default_factory=dict)
    """Low quotas, keyed by instance type and whether the instances are Spot instances."""

    @property
    def cluster(self) -> Cluster:
        return self.autoscaling.cluster


def observe_outside(api: HyperPod, network: Network, cluster_arn: str) -> Outside:
    """Make two calls. ``with_failures`` and ``with_quotas`` need more calls, so the caller uses them only for waiting Pods.

    :raises AwsError: also if the cluster does not exist.
    """
    answer = api.call("DescribeCluster", about=f"cluster {cluster_arn}", ClusterName=cluster_arn)
    return Outside(AutoScaling.from_api(answer), groups_of(answer, network))


def with_failures(outside: Outside, api: HyperPod) -> Outside:
    """Add failures of nodes. If the caller may not read events, no failures are added."""
    return dataclasses.replace(outside, failures=events.by_group(api, outside.cluster.arn))


def with_quotas(outside: Outside, api: HyperPod, quotas: ServiceQuotas) -> Outside:
    """Add low quotas; none if a call fails. All clusters of the account are read, because they share the quotas."""
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
    """The instance groups in a reply of DescribeCluster. If ``only`` is set, the groups that it does not name are left out."""
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
    """The names of the quotas that count a node of this kind."""
    return [hyperpod_quotas.of_type(kind), ALL_NODES, NODES_OF_ONE, *([ALL_SPOT_NODES] if kind[1] else [])]
