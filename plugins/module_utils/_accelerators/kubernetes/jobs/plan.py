# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which nodes can be checked, and in which order. No I/O."""

from __future__ import annotations

import typing as t

from ...._kubernetes.nodes.model import State
from .model import Answer, Desired, Target

NOT_THERE = "Node {node} does not exist in Kubernetes."
NOT_READY = "No Pod can start on node {node}: {why}."


def refused(desired: Desired, state: State) -> dict[str, Answer]:
    """The results for nodes on which no Pod would run, keyed by instance ID."""
    found: dict[str, Answer] = {}
    for each in desired.nodes:
        node = state.nodes.get(each.node)
        if node is None:
            found[each.instance_id] = Answer(why=NOT_THERE.format(node=each.node))
        elif node.not_ready:
            found[each.instance_id] = Answer(why=NOT_READY.format(node=each.node, why=node.not_ready))
    return found


def batches(desired: Desired, state: State, without: t.Container[str]) -> list[tuple[Target, ...]]:
    """The batches of nodes. Idle nodes come first, so their results are known before a check can disturb Pods on other nodes.

    :param without: the instance IDs of nodes that are not checked.
    """
    left = [each for each in desired.nodes if each.instance_id not in without]
    ordered = sorted(left, key=lambda each: bool(state.nodes[each.node].pods))
    return [tuple(ordered[begin : begin + desired.batch]) for begin in range(0, len(ordered), desired.batch)]
