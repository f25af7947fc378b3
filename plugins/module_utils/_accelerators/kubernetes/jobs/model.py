# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes to check, and the answers of checks."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ...._kubernetes.nodes.model import node_name

LOOK, INSTANCE = "mlfleet.hyperpod/look", "mlfleet.hyperpod/instance"
"""Labels of all objects for checks: the run, and on Jobs and pods the node."""


@dataclass(frozen=True)
class Target:
    """A node to check."""

    instance_id: str
    options: t.Mapping[str, t.Any]
    """Options of ``accelerator_health`` for this node only."""

    @property
    def node(self) -> str:
        """Its name in Kubernetes."""
        return node_name(self.instance_id)


@dataclass(frozen=True)
class Desired:
    nodes: tuple[Target, ...]
    settings: t.Mapping[str, t.Any]
    """Options of ``accelerator_health`` for all nodes."""
    image: str
    namespace: str
    batch: int
    """Number of nodes that are checked at the same time."""
    seconds: int
    """Time limit of a check, from the creation of its Job."""


@dataclass(frozen=True)
class Answer:
    """The answer of a check."""

    health: t.Mapping[str, t.Any] | None = None
    """As the node returned it."""
    why: str = ""
    """Why there is no answer."""
    ran: bool = False
    """Its pod was started."""
