# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's document for the page, with all nodes in a fixed order, and a search for a node by cluster and instance ID."""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import UNKNOWN, VERDICTS

Fields = t.Mapping[str, t.Any]
NO_ACCELERATORS = ""
WORST_FIRST = (*reversed(VERDICTS), NO_ACCELERATORS)


@dataclass(frozen=True)
class Node:
    """A node of the document. If the node was not read, some of its states may be missing."""

    number: int
    cluster: str
    iid: str
    fields: Fields

    @property
    def anchor(self) -> str:
        """The target of links. It has a number instead of a name, because names of nodes are untrusted."""
        return f"n{self.number}"

    @property
    def verdict(self) -> str:
        return known(self.fields["verdict"])

    @property
    def severity(self) -> int:
        """The rank of the verdict; 0 for the worst verdict."""
        return WORST_FIRST.index(self.verdict)

    def text(self, name: str) -> str:
        return str(self.fields.get(name) or "")

    def part(self, name: str) -> Fields:
        return self.fields.get(name) or {}

    def parts(self, name: str) -> t.Sequence[t.Any]:
        return self.fields.get(name) or ()


@dataclass(frozen=True)
class Fleet:
    document: Fields

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, sorted by cluster, instance group and instance ID, so that their order is the same in the next report."""
        found = [
            (key, str(node.get("instance_group") or ""), iid, node)
            for key, cluster in self.clusters.items()
            for iid, node in cluster["nodes"].items()
        ]
        found.sort(key=lambda each: each[:3])
        return tuple(Node(number, key, iid, node) for number, (key, _group, iid, node) in enumerate(found))

    @functools.cached_property
    def clusters(self) -> t.Mapping[str, Fields]:
        return dict(sorted(self.document["clusters"].items()))

    @functools.cached_property
    def _places(self) -> dict[tuple[str, str], Node]:
        return {(node.cluster, node.iid): node for node in self.nodes}

    def find(self, cluster: str, iid: str) -> Node | None:
        return self._places.get((cluster, iid))

    def number(self, cluster: str) -> int:
        """The number by which the page's filter identifies a cluster."""
        return list(self.clusters).index(cluster)


def known(verdict: str) -> str:
    """The verdict; ``unknown`` for an unrecognized one."""
    return verdict if verdict in WORST_FIRST else UNKNOWN
