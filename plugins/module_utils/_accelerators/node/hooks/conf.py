# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lines of this collection in slurm.conf. No I/O. Standard library only, Python 3.9 syntax.

Each managed line ends with ``MARK``, because HyperPod's scripts delete some lines and keep others, so marks around a block of lines
would not suffice.
"""

from __future__ import annotations

import re
import typing as t

from ...._core.text import lines_of, printable

MARK = "# mlfleet.hyperpod"


def own(text: str) -> tuple[str, ...]:
    """The managed lines, without ``MARK``."""
    return tuple(line[: -len(MARK)].strip() for line in _lines(text) if _is_own(line))


def others(text: str, keys: t.Collection[str]) -> tuple[str, ...]:
    """The settings of these keys in lines that are not managed. The case of keys does not matter."""
    setting = re.compile(rf"(?:^|\s)((?:{'|'.join(keys)})\s*=\s*\S+)", re.IGNORECASE)
    found = (match for line in _lines(text) if not _is_own(line) for match in setting.findall(line.partition("#")[0]))
    return tuple(printable(each) for each in found)


def edited(text: str, wanted: t.Collection[str]) -> str:
    """The text with exactly these managed lines; unchanged if it already has them."""
    if own(text) == tuple(wanted):
        return text
    kept = [line for line in _lines(text) if not _is_own(line)]
    return "".join(f"{line}\n" for line in (*kept, *(f"{line} {MARK}" for line in wanted)))


def _lines(text: str) -> list[str]:
    return lines_of(text) if text else []


def _is_own(line: str) -> bool:
    return line.rstrip().endswith(MARK)
