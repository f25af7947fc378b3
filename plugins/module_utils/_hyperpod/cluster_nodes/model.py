# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes to add, delete, reboot or replace, and the nodes that AWS lists."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..model import Cluster, Node, NodeTypes
from ..statuses import FAILED_NODE, RUNNING


@dataclass(frozen=True)
class Verb:
    """One of the four Batch operations. ``most``: the maximum number of nodes per call."""

    operation: str
    most: int
    done: str
    """The past participle for messages."""


VERBS = {
    "added": Verb("BatchAddClusterNodes", 50, "added"),
    "absent": Verb("BatchDeleteClusterNodes", 50, "deleted"),
    "rebooted": Verb("BatchRebootClusterNodes", 25, "rebooted"),
    "replaced": Verb("BatchReplaceClusterNodes", 25, "replaced"),
}
"""The operations, keyed by the option ``state``. For deletions, AWS documents limits of 99 and 50 nodes, and its service model
allows 3000. 50 nodes are always accepted."""

MOST_GROUPS = 5
"""The maximum number of groups in one BatchAddClusterNodes."""

API, ORCHESTRATOR = "api", "orchestrator"
"""Ways to request a repair: HyperPod's own operation, or a reason in Slurm or a label in Kubernetes on which HyperPod acts."""
BY_WORDS = ("rebooted", "replaced")
"""The states that can be requested through the orchestrator."""


@dataclass(frozen=True)
class Addition:
    """Nodes to add to a group."""

    group: str
    count: int
    zones: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Desired:
    cluster_arn: str
    state: str
    node_ids: tuple[str, ...] = ()
    additions: tuple[Addition, ...] = ()
    node_types: NodeTypes | None = None
    route: str = API

    @property
    def calls(self) -> bool:
        """Whether to call AWS's operation. If not, the change was already requested, and the module only waits."""
        return self.route == API

    @property
    def verb(self) -> Verb:
        return VERBS[self.state]


@dataclass(frozen=True)
class State:
    """The cluster and all its nodes."""

    cluster: Cluster
    nodes: tuple[Node, ...]

    @property
    def by_id(self) -> t.Mapping[str, Node]:
        return {node.instance_id: node for node in self.nodes}

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(node.instance_id for node in self.nodes if node.status == FAILED_NODE)

    def agrees(self, groups: t.Container[str]) -> bool:
        """Whether the listing and the counts of these groups agree.

        A terminated node leaves the listing up to minutes before CurrentCount falls, also in replacements. Source: AWS's field
        notes, awslabs/awsome-distributed-ai, hyperpod-mental-model.md.
        """
        return all(
            self.listed(group.name, RUNNING) <= group.current <= self.listed(group.name)
            for group in self.cluster.groups
            if group.name in groups
        )

    def is_whole(self, groups: t.Container[str], *, failed_before: frozenset[str] = frozenset()) -> bool:
        """Whether these groups have reached their counts, with as many running nodes in the listing.

        :param failed_before: Nodes that need not run as long as they stay in Failure.
        """
        broken = failed_before & self.failed
        return self.agrees(groups) and all(
            group.at_target_size
            and self.listed(group.name, RUNNING) + sum(self.by_id[each].group == group.name for each in broken) == group.target
            for group in self.cluster.groups
            if group.name in groups
        )

    def listed(self, group: str, *statuses: str) -> int:
        """The number of nodes of a group with one of these statuses, or with any status."""
        return sum(node.group == group and (not statuses or node.status in statuses) for node in self.nodes)
