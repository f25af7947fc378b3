# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run handles failed nodes. A fault of one node does not stop the run for the rest of the cluster. No I/O.

docs/design/decisions/13-one-nodes-fault.md has the reasons.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .fleet import RUNNING, Fleet, Node

FEWEST = 2
"""Minimum number of failed nodes before a common fault is assumed."""


def declaration_is_wrong(nodes: Fleet) -> bool:
    """Whether the declared users and groups conflict with at least ``FEWEST`` nodes, and with more nodes than they match.

    A blank disk never conflicts. If earlier runs have configured nodes, only those nodes can therefore count as matches.
    """
    fitting = [node for node in nodes.reached if not node.failed]
    known = [node for node in nodes.nodes if node.access.get("configured", False)]
    voting = [node for node in fitting if node in known] if known else fitting
    return len(nodes.conflicting) >= FEWEST and len(nodes.conflicting) > len(voting)


def change_is_wrong(*, failed: int, done: int) -> bool:
    """Whether so many login nodes failed in their turns that the change is probably wrong, so the other nodes must not get it."""
    return failed >= FEWEST and failed > done


@dataclass(frozen=True)
class LoginNodes:
    """Instance IDs of login nodes that failed."""

    out: list[str]
    """Nodes to take out of service."""
    kept: list[str]
    """Nodes that stay in service, because the run could verify no login node."""
    rolled_back: list[str]
    """Nodes that failed in their turns, but stay in service with their previous configuration, because so many failed that the
    change itself is probably wrong.
    """


def login_nodes(nodes: Fleet, drained: t.Container[str]) -> LoginNodes:
    candidates = [node for node in nodes.login_nodes if node.instance_id not in drained]
    failed, rolled_back = [node.instance_id for node in candidates if node.failed], _rolled_back(nodes)
    if any(node.says("ready") and not node.failed and not _stopped(node) for node in candidates):
        return LoginNodes([each for each in failed if each not in rolled_back], [], rolled_back)
    every = all(node.failed for node in candidates if node.access.get("status") == RUNNING)
    return LoginNodes([], failed if every else [], rolled_back)


def _rolled_back(nodes: Fleet) -> list[str]:
    had = [node for node in nodes.login_nodes if node.says("in_turn")]
    failed, done = ([node for node in had if node.says(field)] for field in ("failed", "configured"))
    return [node.instance_id for node in failed] if change_is_wrong(failed=len(failed), done=len(done)) else []


def _stopped(node: Node) -> bool:
    """Whether the node got no turn, so its planned changes were not made."""
    return node.run.get("in_turn") is False
