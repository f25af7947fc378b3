# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster, the versions that EKS offers, and what stops an upgrade or a removal."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._core.text import printable
from ..._core.waits import Waits
from ..common import found
from .model import DELETING, Cluster, Desired, State
from .versions import Insight, Version

DEPENDENTS = (
    ("ListNodegroups", "nodegroups", "node group"),
    ("ListFargateProfiles", "fargateProfileNames", "Fargate profile"),
)
"""Operation, key of its reply, and noun of what prevents the removal of a cluster."""


class Observer:
    """Reads one cluster. Without ``waits``, the module does not wait."""

    def __init__(self, eks: Api, desired: Desired, *, waits: Waits | None) -> None:
        self.eks = eks
        self.desired = desired
        self.waits = waits

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until EKS is not creating, changing or deleting the cluster."""
        cluster = self.until(lambda cluster: cluster is None or bool(cluster.unsupported) or not cluster.is_busy)
        if not self.desired.present:
            gone = cluster is None or cluster.status == DELETING
            return State(cluster, dependents=() if gone else tuple(self._dependents()))
        upgrade = cluster is not None and self.desired.version not in (None, cluster.version)
        return State(cluster, tuple(versions(self.eks)), tuple(self._insights()) if upgrade else ())

    def look(self) -> Cluster | None:
        answer = found(self.eks, "DescribeCluster", about=self.desired.resource, name=self.desired.name)
        return Cluster.from_api(answer["cluster"]) if answer is not None else None

    def until(
        self,
        done: t.Callable[[Cluster | None], bool],
        *,
        failed: t.Callable[[Cluster | None], str | None] = lambda cluster: None,
    ) -> Cluster | None:
        """The cluster once ``done`` is true, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, failed=failed, subject=self.desired.resource, state=_described)

    def _insights(self) -> t.Iterator[Insight]:
        about, readiness = f"upgrade insights of {self.desired.resource}", {"categories": ["UPGRADE_READINESS"]}
        pages = self.eks.pages("ListInsights", "insights", about=about, clusterName=self.desired.name, filter=readiness)
        return (Insight.from_api(each) for each in pages)

    def _dependents(self) -> t.Iterator[str]:
        for operation, key, noun in DEPENDENTS:
            names = self.eks.pages(operation, key, about=f"{noun}s of {self.desired.resource}", clusterName=self.desired.name)
            yield from (f"{noun} {printable(name)}" for name in sorted(names))


def _described(cluster: Cluster | None) -> str:
    return cluster.described if cluster is not None else "not found"


def versions(eks: Api) -> t.Iterator[Version]:
    """All versions that EKS lists."""
    pages = eks.pages("DescribeClusterVersions", "clusterVersions", about="versions of Kubernetes", includeAll=True)
    return (Version.from_api(each) for each in pages)
