# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Slurm nodes and the jobs on them. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

DRAINED, RESUMED, QUERY, ASKED = "drained", "resumed", "query", "asked"
WORDS = {"reboot": "Action:Reboot", "replace": "Action:Replace"}
"""The exact reasons on which HyperPod acts. It ignores any other text."""
OURS = "mlfleet.hyperpod: "
"""Prefix of the reason of our drains. Drains with a different reason are never resumed."""
OF_HEALTH = f"{OURS}accelerators: "
"""Prefix of the reason if Slurm's own check of accelerators drained the node. That check ignores drains with other reasons."""
DRAINING = ("drained", "draining", "drng", "drain")


@dataclass(frozen=True)
class Desired:
    state: str
    addresses: tuple[str, ...]
    reason: str = ""
    jobs: str = "wait"
    asks_for: str = ""


@dataclass(frozen=True)
class SlurmNode:
    name: str
    address: str
    state: str
    """The state as sinfo prints it, without the signs that follow (``observe.SIGNS``)."""
    reason: str = ""
    features: tuple[str, ...] = ()
    """Features, partitions and reservations are read by info modules only."""
    partitions: tuple[str, ...] = ()
    reservations: tuple[str, ...] = ()
    """The active reservations."""
    gres: tuple[str, ...] = ()
    """Generic resources in Slurm's form, such as ``gpu:h100:8(S:0-1)``; read by info modules only."""

    @property
    def drained(self) -> bool:
        return self.state in DRAINING

    @property
    def asked(self) -> bool:
        """Whether a repair by HyperPod was requested."""
        return self.reason in WORDS.values()

    @property
    def ours(self) -> bool:
        return self.drained and self.reason.startswith(OURS)


@dataclass(frozen=True)
class Job:
    id: str
    user: str
    state: str
    nodes: tuple[str, ...] = ()
    """Names of all nodes of the job."""


@dataclass(frozen=True)
class State:
    nodes: tuple[SlurmNode, ...] = ()
    """The selected nodes that exist in Slurm."""
    jobs: tuple[Job, ...] = ()
    """Jobs on any of the nodes."""
    unknown: tuple[str, ...] = ()
    """Addresses without a Slurm node."""

    def having(self, names: t.Container[str], *, state: str, reason: str) -> State:
        nodes = tuple(replace(each, state=state, reason=reason) if each.name in names else each for each in self.nodes)
        return replace(self, nodes=nodes)
