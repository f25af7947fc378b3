# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes with accelerators that a cluster declares, but that no training job has verified."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import NOTE, PENDING

GPUS, NEURON, UNKNOWN, NOTHING = "gpus", "neuron", "unknown", "nothing"
"""The accelerators of a group's nodes. ``UNKNOWN`` if the instance type is unknown."""
REPEAT = "Run this playbook again"


@dataclass(frozen=True)
class Group:
    """An instance group of HyperPod, or a managed node group of EKS."""

    name: str
    accelerators: str
    declared: int
    """The number of nodes that the group must have."""
    found: int
    """The number of nodes that exist."""
    trained: int
    """The number of nodes on which training jobs run."""
    selected: bool = True
    """Whether the variables select the group."""


@dataclass(frozen=True)
class Unverified:
    what: str
    why: str
    step: str = ""
    """The next step, as a sentence; empty if the user left the nodes out."""
    kind: str = NOTE
    """The kind of the finding."""

    @property
    def text(self) -> str:
        return f"{self.what} ({self.why})"


def unverified(groups: t.Iterable[Group]) -> tuple[Unverified, ...]:
    return tuple(each for group in groups for each in _of_group(group))


def _of_group(group: Group) -> t.Iterator[Unverified]:
    if group.accelerators == NOTHING:
        return
    if not group.selected:
        yield Unverified(group.name, "not selected")
    elif group.accelerators == NEURON:
        yield Unverified(group.name, "Neuron devices", "The training jobs require GPUs.")
    elif not group.declared and not group.found:
        yield Unverified(group.name, "no nodes", f"{REPEAT} when the group has nodes.")
    elif group.accelerators == UNKNOWN and not group.found:
        yield Unverified(group.name, "no nodes and an unknown instance type", f"{REPEAT} when the group has nodes.")
    else:
        yield from _nodes(group)


def _nodes(group: Group) -> t.Iterator[Unverified]:
    missing, left = group.declared - group.found, group.found - group.trained
    if missing > 0:
        step = f"Find out why these nodes do not exist. {REPEAT} when they do."
        yield Unverified(_some(missing, group.declared, group.name), "missing", step, PENDING)
    if left > 0:
        yield Unverified(_some(left, group.found, group.name), "not selected or not idle")


def _some(count: int, of: int, name: str) -> str:
    return f"{count} of {of} node{'' if of == 1 else 's'} of {name}"
