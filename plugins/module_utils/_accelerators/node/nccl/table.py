# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses the table of nccl-tests and its header and summary. No I/O. Standard library only, Python 3.9 syntax.

Sources of the layout: nccl-tests' README and its common.cu from 2.0 to 2.17. A row has bytes, elements, type, operation and, since
2.12, root. Time, algorithm bandwidth, bus bandwidth and wrong values then follow twice: out of place and in place.
"""

from __future__ import annotations

import math
import re
import typing as t

from .model import Row, Table

_LABEL = re.compile(r"^(?: *\d+: ?|\[\d+,\d+\]<std(?:out|err)>: ?)")
"""The labels of ``srun --label``, and of Open MPI's ``--tag-output`` if the program is a script that uses this option."""
_RANK = re.compile(r"# +Rank +(\d+) ")
_OUT_OF_BOUNDS = re.compile(r"# Out of bounds values : (\d+)")
_LENGTHS = (12, 13)
_HALF = 4


def unlabelled(line: str) -> str:
    return _LABEL.sub("", line, count=1).rstrip("\r")


def table(lines: t.Sequence[str]) -> Table:
    """:param lines: without labels."""
    ranks = {match.group(1) for match in map(_RANK.match, lines) if match}
    bounds = [int(match.group(1)[:18]) for match in map(_OUT_OF_BOUNDS.match, lines) if match]
    rows = [row for row in map(_row, lines) if row]
    return Table(tuple(rows), len(ranks), sum(bounds) if bounds else None)


def _row(line: str) -> Row | None:
    words = line.split() if line[:1] in " 0123456789" else []
    if len(words) not in _LENGTHS or not (_is_count(words[0]) and _is_count(words[1])):
        return None
    outside, inside = words[-2 * _HALF : -_HALF], words[-_HALF:]
    bandwidth = _number(outside[2])
    if bandwidth is None or _number(outside[0]) is None:
        return None
    wrong = [_wrong(half[3]) for half in (outside, inside)]
    known = [each for each in wrong if each is not None]
    return Row(int(words[0]), bandwidth, sum(known) if known else None)


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= 18


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _wrong(word: str) -> int | None:
    """The number of wrong values. None before nccl-tests 2.12, which print the largest error instead, such as ``4e-07``."""
    return int(word) if _is_count(word) else None
