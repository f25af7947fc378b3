# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The known name that is most similar to a misspelled one, and short lists of names. No I/O."""

from __future__ import annotations

import difflib
import typing as t

MOST = 10
"""Maximum number of names that a message lists."""


def nearest(name: str, known: t.Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The most similar name in ``known``, or None. ``likeness``: the minimum similarity, from 0 to 1."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)), None)


def did_you_mean(name: str, known: t.Iterable[str]) -> str:
    """The end of a sentence about an unknown name: a question with the most similar name, or only a period. A space follows."""
    meant = nearest(name, known)
    return f"; did you mean {meant}? " if meant else ". "


def some_of(names: t.Iterable[str]) -> str:
    """The first names in alphabetical order, and the number of further names."""
    found = sorted(names)
    rest = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return ", ".join(found[:MOST]) + rest if found else "none"
