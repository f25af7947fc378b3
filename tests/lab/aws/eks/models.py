# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend; moto finds its handlers by the module name."""

from __future__ import annotations

import time
import typing as t

from moto.eks.models import EKSBackend

from .. import cloud


class Eks(EKSBackend):
    """moto's backend with the replies to requests with a token, which may be repeated."""

    def __init__(self, *arguments: t.Any, **named: t.Any) -> None:
        super().__init__(*arguments, **named)
        self.done: dict[tuple[str, str], dict[str, t.Any]] = {}
        self.past: dict[str, list[tuple[float, float, dict[str, t.Any] | None]]] = {}
        """By name of a cluster: the cluster before each of its changes, with the time of the change and the lag at that time."""

    def remember(self, name: str) -> None:
        """Keep the cluster as it is; called before each change."""
        cluster, lag = self.clusters.get(name), cloud.current().settings["eks_cluster_lag_seconds"]
        self.past.setdefault(name, []).append((time.monotonic(), lag, cluster.answer() if cluster else None))

    def shown(self, name: str) -> dict[str, t.Any] | None:
        """The cluster as DescribeCluster returns it; None if there is none. A shorter setting also applies to earlier changes."""
        now, most = time.monotonic(), cloud.current().settings["eks_cluster_lag_seconds"]
        past = [before for at, lag, before in list(self.past.get(name, ())) if at + min(lag, most) > now]
        cluster = self.clusters.get(name)
        return past[0] if past else cluster.answer() if cluster else None

    def tagged(self, arn: str) -> dict[str, str] | None:
        """The mutable tags of the resource with the ARN; None if there is none."""
        for cluster in self.clusters.values():
            entries = {entry.own_arn: entry.tags for entry in cluster.access_entries.values()}
            known = {each.arn: each.tags for each in (cluster, *cluster.addons.values(), *cluster.identities.values())}
            groups = {group.arn: group.tags for group in cluster.nodegroups.values()}
            found = {**entries, **known, **groups}.get(arn)
            if found is not None:
                return t.cast("dict[str, str]", found)
        return None
