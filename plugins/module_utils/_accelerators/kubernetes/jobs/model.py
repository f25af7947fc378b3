# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes that are to be looked at, and what a look has brought."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ...._kubernetes.nodes.model import node_name

LOOK, INSTANCE = "mlfleet.hyperpod/look", "mlfleet.hyperpod/instance"
"""Labels of all that is made for looks: the run, and of Jobs and pods the node."""


@dataclass(frozen=True)
class Asked:
    """A node that is to be looked at."""

    instance_id: str
    options: t.Mapping[str, t.Any]
    """Of ``accelerator_health``, about this node alone."""

    @property
    def node(self) -> str:
        """Its name in Kubernetes."""
        return node_name(self.instance_id)


@dataclass(frozen=True)
class Desired:
    nodes: tuple[Asked, ...]
    settings: t.Mapping[str, t.Any]
    """Options of ``accelerator_health`` for all nodes."""
    image: str
    namespace: str
    batch: int
    """Nodes that are looked at at the same time."""
    seconds: int
    """That the look at a node may take, from when its Job is there."""


@dataclass(frozen=True)
class Answer:
    """What a look at a node has brought."""

    health: t.Mapping[str, t.Any] | None = None
    """As the node told it."""
    why: str = ""
    """Why there is no answer."""
    ran: bool = False
    """Its pod was started."""
