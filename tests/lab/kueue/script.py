# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a job, step by step, as a test has written it down."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Waits:
    """Kueue reserves no quota, and says why."""

    reason: str
    message: str


@dataclass(frozen=True)
class Pauses:
    """The next step is so many seconds away."""

    seconds: float


@dataclass(frozen=True)
class Anew:
    """The next step is of the next job of this name."""


@dataclass(frozen=True)
class Admits:
    """Kueue assigns nodes, and the operator makes pods."""

    assigned: t.Mapping[str, t.Sequence[str]]
    """Names of nodes by pod set, one for each pod."""
    at: t.Mapping[str, t.Sequence[str]] = field(default_factory=dict)
    """Where the pods are instead: a violation."""


@dataclass(frozen=True)
class Moves:
    """The pod of this number is on another node from now on, while the assignment stays."""

    podset: str
    number: int
    node: str


@dataclass(frozen=True)
class Evicts:
    """The assignment and all pods are gone."""

    reason: str
    message: str = ""


@dataclass(frozen=True)
class Deactivates:
    """As Evicts, for good."""

    message: str = ""


@dataclass(frozen=True)
class Ends:
    """The job is over."""

    condition: str = "Succeeded"
    reason: str = ""
    message: str = ""


Step = Waits | Pauses | Anew | Admits | Moves | Evicts | Deactivates | Ends
