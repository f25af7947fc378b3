# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document of the report as the page reads it: nodes with their places, found by cluster and instance ID. Pure."""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import UNKNOWN, VERDICTS

Said = t.Mapping[str, t.Any]
NO_ACCELERATORS = ""
WORST_FIRST = (*reversed(VERDICTS), NO_ACCELERATORS)


@dataclass(frozen=True)
class Node:
    """One node. A node that was not read lacks parts of what others say."""

    number: int
    cluster: str
    iid: str
    said: Said

    @property
    def anchor(self) -> str:
        """A number: what a node is called chooses no place on the page."""
        return f"n{self.number}"

    @property
    def verdict(self) -> str:
        return known(self.said["verdict"])

    @property
    def severity(self) -> int:
        """Zero for the worst."""
        return WORST_FIRST.index(self.verdict)

    def text(self, name: str) -> str:
        return str(self.said.get(name) or "")

    def part(self, name: str) -> Said:
        return self.said.get(name) or {}

    def parts(self, name: str) -> t.Sequence[t.Any]:
        return self.said.get(name) or ()


@dataclass(frozen=True)
class Fleet:
    document: Said

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        """By cluster, instance group and instance ID, so that a node stands in the same place in the next report."""
        found = [
            (key, str(node.get("instance_group") or ""), iid, node)
            for key, cluster in self.clusters.items()
            for iid, node in cluster["nodes"].items()
        ]
        found.sort(key=lambda each: each[:3])
        return tuple(Node(number, key, iid, node) for number, (key, _group, iid, node) in enumerate(found))

    @functools.cached_property
    def clusters(self) -> t.Mapping[str, Said]:
        return dict(sorted(self.document["clusters"].items()))

    @functools.cached_property
    def _places(self) -> dict[tuple[str, str], Node]:
        return {(node.cluster, node.iid): node for node in self.nodes}

    def find(self, cluster: str, iid: str) -> Node | None:
        return self._places.get((cluster, iid))

    def number(self, cluster: str) -> int:
        """Of a cluster, for the filter."""
        return list(self.clusters).index(cluster)


def known(verdict: str) -> str:
    """A verdict that nobody here knows is unknown, and no better."""
    return verdict if verdict in WORST_FIRST else UNKNOWN
