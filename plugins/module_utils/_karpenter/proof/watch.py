# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the objects of a proof: its Pod, the pool's NodeClaims and nodes, and the nodes of the groups in HyperPod."""

from __future__ import annotations

import urllib.parse

from ..._hyperpod.api import HyperPod
from ..._hyperpod.model import Cluster
from ..._kubernetes.client import Kubernetes, KubernetesError
from ..._kubernetes.nodes.labels import NODE_POOL, NODES
from ..model import Node, NodeClaim
from ..observe import CLAIMS
from ..pods import Pod
from .model import Candidate, Desired
from .timeline import Seen, Smoke

PASSING = 5
"""Consecutive failed reads after which a wait ends with the error. A failed read does not mean that an object is missing."""


class Watch:
    """:param cluster: the HyperPod cluster, which has the instance groups of ``choice``."""

    def __init__(self, kubernetes: Kubernetes, api: HyperPod, cluster: Cluster, desired: Desired, choice: Candidate) -> None:
        self.kubernetes = kubernetes
        self.api = api
        self.cluster = cluster
        self.desired = desired
        self.choice = choice
        self.last = Seen()
        self._names: set[str] = set()
        self._failed = 0

    @property
    def sees(self) -> bool:
        """Whether the last read succeeded; otherwise ``last`` may be outdated."""
        return not self._failed

    def look(self) -> Seen:
        """:raises KubernetesError: if the API server refuses a read, or too many consecutive reads fail."""
        try:
            self.last = self._look()
            self._failed = 0
        except KubernetesError as error:
            self._failed += 1
            if not error.passes or self._failed >= PASSING:
                raise
        return self.last

    def _look(self) -> Seen:
        """Read the Pod first and HyperPod last: HyperPod lists a node before a Pod can run on it, and removes the node first."""
        smoke = self._smoke()
        of_pool = tuple(map(NodeClaim.of, self.kubernetes.items(CLAIMS, labelSelector=f"{NODE_POOL}={self.desired.node_pool}")))
        claims = tuple(each for each in of_pool if each.instance_type in ("", self.choice.instance_type))
        self._names |= {claim.node for claim in claims if claim.node}
        found = {name: self.kubernetes.find(f"{NODES}/{urllib.parse.quote(name, safe='')}") for name in sorted(self._names)}
        return Seen(
            smoke=smoke,
            claims=claims,
            others=frozenset(claim.meta.name for claim in of_pool if claim not in claims),
            nodes={name: Node.of(item) for name, item in found.items() if item is not None},
            instances=self._instances(),
        )

    def _smoke(self) -> Smoke | None:
        item = self.kubernetes.find(self.desired.pod_path)
        if item is None:
            return None
        status = item.get("status") or {}
        return Smoke(Pod.of(item), status.get("reason", ""), status.get("message", ""))

    def _instances(self) -> dict[str, str]:
        """The calls to AWS also renew the cluster's lock, which nothing else does during the wait."""
        of_groups = (node for group in self.choice.groups for node in self.api.nodes(self.cluster, group=group))
        return {node.instance_id: node.status for node in of_groups}
