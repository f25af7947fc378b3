# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the next NCCL tests: first each node alone, then pairs of nodes, then all good nodes together.

A node that is slow alone would make each of its pairs slow, so only nodes that passed alone are paired. Nodes with one GPU are
paired without a test alone. The first node is paired with each other node. A slow pair does not show which of its nodes is slow, so
a node counts as good only after it has passed with another node. If the first node has passed with no other node, the second node
is paired with the rest.
"""

from __future__ import annotations

import typing as t

from .model import JUDGED, PASSED, Node, Outcome, Test

WAVES = 4
"""The maximum number of waves: alone, with the first node, with the second node, all together."""


def next_tests(nodes: t.Sequence[Node], done: t.Sequence[Outcome]) -> list[Test]:
    """The tests of the next wave. Empty after all nodes have been tested.

    Also empty if the tests themselves fail, because the next test would also fail. The result does not depend on the order of
    ``nodes``, so that different runs measure the same pairs.
    """
    by_type: dict[str, list[Node]] = {}
    for node in sorted(nodes, key=lambda node: node.instance_id):
        by_type.setdefault(node.instance_type, []).append(node)
    return [test for _type, group in sorted(by_type.items()) for test in _of_type(group, done)]


def good(ids: t.Container[str], done: t.Sequence[Outcome]) -> list[str]:
    """The nodes among ``ids`` that have passed with another node."""
    found = [iid for each in done if len(each.ids) > 1 and each.verdict == PASSED for iid in each.ids if iid in ids]
    return list(dict.fromkeys(found))


def _of_type(group: t.Sequence[Node], done: t.Sequence[Outcome]) -> list[Test]:
    tested = {frozenset(each.ids): each for each in done}
    alone = [Test((node,)) for node in group if node.gpus > 1 and frozenset((node.instance_id,)) not in tested]
    if alone:
        return alone
    sound = [node for node in group if node.gpus == 1 or _passed(tested, node)]
    pairs = [each for ids, each in tested.items() if len(ids) == 2 and ids <= {node.instance_id for node in sound}]
    if not pairs:
        return [Test((sound[0], other)) for other in sound[1:]]
    known = good({node.instance_id for node in sound}, done)
    if not known and len(sound) > 2 and all(sound[0].instance_id in each.ids for each in pairs):
        return [Test((sound[1], other)) for other in sound[2:]] if all(each.verdict in JUDGED for each in pairs) else []
    together = tuple(node for node in sound if node.instance_id in known)
    return [Test(together)] if together and frozenset(known) not in tested else []


def _passed(tested: t.Mapping[frozenset[str], Outcome], node: Node) -> bool:
    return tested[frozenset((node.instance_id,))].verdict == PASSED
