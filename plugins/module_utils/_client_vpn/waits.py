# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Believing what EC2 answers about a Client VPN endpoint."""

from __future__ import annotations

import typing as t

T = t.TypeVar("T")

ANSWERS = 3
"""EC2 may answer from before a change; what is odd is believed when it is answered that often, one after the other."""


def repeated(judge: t.Callable[[T], str | None]) -> t.Callable[[T], str | None]:
    """The judgement, once it was the same for :data:`ANSWERS` answers in a row."""
    count = 0

    def judged(seen: T) -> str | None:
        nonlocal count
        reason = judge(seen)
        count = count + 1 if reason else 0
        return reason if count >= ANSWERS else None

    return judged
