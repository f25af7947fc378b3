# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Expands lists of node names in Slurm's form. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import itertools
import re
import typing as t

_LISTED = re.compile(r"(?:[^,\[]|\[[^\]]*\])+")
MOST = 10_000
"""Maximum number of nodes of a list."""


def expanded(names: str) -> tuple[str, ...]:
    """The nodes of a list in Slurm's form, such as ``ip-10-1-2-[3-5,9],head``."""
    return tuple(itertools.islice((name for each in _LISTED.findall(names) for name in _one_by_one(each)), MOST))


def _one_by_one(names: str) -> t.Iterator[str]:
    """The nodes of one name with ranges in brackets."""
    before, bracket, rest = names.partition("[")
    if not bracket:
        yield names
        return
    inside, _bracket, after = rest.partition("]")
    for part in inside.split(","):
        first, _dash, last = part.partition("-")
        numbers = range(int(first), int(last or first) + 1) if first.isdecimal() and (last or first).isdecimal() else ()
        for number in numbers:
            yield from (f"{before}{number:0{len(first)}}{end}" for end in _one_by_one(after))
