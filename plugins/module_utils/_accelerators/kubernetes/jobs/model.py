# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The nodes to check, and the results of the checks."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ...._kubernetes.nodes import labels
from ...._kubernetes.nodes.model import node_name

LOOK, INSTANCE = labels.LOOK, "mlfleet.hyperpod/instance"
"""The labels of all objects for checks: ``LOOK`` identifies the run, and ``INSTANCE`` the node of a Job or Pod."""


@dataclass(frozen=True)
class Target:
    """A node to check."""

    instance_id: str
    options: t.Mapping[str, t.Any]
    """The options of ``accelerator_health`` for this node only."""
    name: str = ""
    """The node's name in Kubernetes; empty for HyperPod's name."""

    @property
    def node(self) -> str:
        """The node's name in Kubernetes."""
        return self.name or node_name(self.instance_id)


@dataclass(frozen=True)
class Desired:
    nodes: tuple[Target, ...]
    settings: t.Mapping[str, t.Any]
    """The options of ``accelerator_health`` for all nodes."""
    image: str
    namespace: str
    batch: int
    """The number of nodes that are checked at the same time."""
    seconds: int
    """The time limit of a check in seconds, from the creation of its Job."""


@dataclass(frozen=True)
class Answer:
    """The result of a check."""

    health: t.Mapping[str, t.Any] | None = None
    """The health as the node returned it; None if the node returned none."""
    why: str = ""
    """Why there is no health; empty if there is one."""
    ran: bool = False
    """Whether the Pod of the check was started."""
