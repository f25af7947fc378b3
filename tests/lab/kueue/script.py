# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a job, as scripted by a test."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Waits:
    """Kueue reserves no quota and gives a reason."""

    reason: str
    message: str


@dataclass(frozen=True)
class Pauses:
    """The next step waits for some seconds."""

    seconds: float


@dataclass(frozen=True)
class NextJob:
    """The next step applies to the next job of this name."""


@dataclass(frozen=True)
class Admits:
    """Kueue assigns nodes, and the operator creates pods."""

    assigned: t.Mapping[str, t.Sequence[str]]
    """Names of nodes by pod set, one for each pod."""
    at: t.Mapping[str, t.Sequence[str]] = field(default_factory=dict)
    """Nodes of the pods if they differ, which is a violation."""


@dataclass(frozen=True)
class Moves:
    """The pod with this number moves to another node; the assignment stays."""

    podset: str
    number: int
    node: str


@dataclass(frozen=True)
class Evicts:
    """The assignment and all pods are removed."""

    reason: str
    message: str = ""


@dataclass(frozen=True)
class Deactivates:
    """As Evicts, permanently."""

    message: str = ""


@dataclass(frozen=True)
class Ends:
    """The job ends."""

    condition: str = "Succeeded"
    reason: str = ""
    message: str = ""


Step = Waits | Pauses | NextJob | Admits | Moves | Evicts | Deactivates | Ends
