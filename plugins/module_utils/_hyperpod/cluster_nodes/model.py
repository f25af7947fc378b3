# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes that are added, deleted, rebooted or replaced: what is asked for, and what AWS shows."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..model import Cluster, Node, NodeTypes
from ..statuses import FAILED_NODE, RUNNING


@dataclass(frozen=True)
class Verb:
    """One of the four Batch operations. ``most`` is how many nodes AWS takes by one call."""

    operation: str
    most: int
    done: str
    """What its nodes are afterwards, in words."""


VERBS = {
    "added": Verb("BatchAddClusterNodes", 50, "added"),
    "absent": Verb("BatchDeleteClusterNodes", 50, "deleted"),
    "rebooted": Verb("BatchRebootClusterNodes", 25, "rebooted"),
    "replaced": Verb("BatchReplaceClusterNodes", 25, "replaced"),
}
"""By the option ``state``. AWS's texts give 99 and 50 nodes for a deletion, its model 3000; the least holds in any case."""

MOST_GROUPS = 5
"""Groups that one BatchAddClusterNodes takes."""

API, ORCHESTRATOR = "api", "orchestrator"
"""By which HyperPod is asked: its own operation, or words in Slurm or Kubernetes on which it acts."""
BY_WORDS = ("rebooted", "replaced")
"""What it can be asked for by these."""


@dataclass(frozen=True)
class Addition:
    """Nodes that a group shall get on top of those that it has."""

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
        """AWS's operation is called; else somebody has asked already, and it is waited for."""
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
        """Whether listing and counts of these groups show the same moment.

        A node that ends leaves the listing up to minutes before CurrentCount falls, in replacements too. Source: AWS's field notes,
        awslabs/awsome-distributed-ai, hyperpod-mental-model.md.
        """
        return all(
            self.listed(group.name, RUNNING) <= group.current <= self.listed(group.name)
            for group in self.cluster.groups
            if group.name in groups
        )

    def is_whole(self, groups: t.Container[str], *, failed_before: frozenset[str] = frozenset()) -> bool:
        """Whether these groups have as many nodes as they shall have by their counts, and as many run by the listing.

        :param failed_before: Nodes that need not run, while they are in Failure as they were.
        """
        broken = failed_before & self.failed
        return self.agrees(groups) and all(
            group.at_target_size
            and self.listed(group.name, RUNNING) + sum(self.by_id[each].group == group.name for each in broken) == group.target
            for group in self.cluster.groups
            if group.name in groups
        )

    def listed(self, group: str, *statuses: str) -> int:
        """Nodes of a group, of any status where none is named."""
        return sum(node.group == group and (not statuses or node.status in statuses) for node in self.nodes)
