# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The request and the state of Karpenter."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..model import Inside
from ..outside import Outside

NONE, READY, GONE = "none", "ready", "gone"


@dataclass(frozen=True)
class Desired:
    """``pools`` and ``classes`` are names, or None for all that exist."""

    cluster_arn: str
    until: str = NONE
    pools: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class State:
    inside: Inside
    outside: Outside


def named(names: tuple[str, ...] | None, there: t.Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(there)) if names is None else names
