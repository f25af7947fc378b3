# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Limits and huge pages of jobs, from the services that start jobs, not from the current session.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import contextlib
import os
import re

from ..._core.text import lines_of
from .model import HugePages, Limits
from .pci import word

SERVICES = ("slurmd", "containerd", "dockerd")
_LOCKED, _FILES = "Max locked memory", "Max open files"
_LINE = re.compile(rf"({_LOCKED}|{_FILES})\s+(\d+|unlimited)\s")
_POOL = re.compile(r"hugepages-(\d+)kB")
_UNLIMITED = "unlimited"


def limits(proc: str) -> tuple[Limits, ...]:
    found: list[Limits] = []
    for entry in sorted((name for name in os.listdir(proc) if name.isdigit()), key=int):
        name = word(f"{proc}/{entry}/comm")  # any user can give a process this name, so its owner is checked
        if name in SERVICES and name not in {each.service for each in found} and _of_root(f"{proc}/{entry}"):
            lines = _lines(f"{proc}/{entry}/limits")
            if set(lines) == {_LOCKED, _FILES}:  # a value of None is unlimited; without the lines the process is skipped
                found.append(Limits(name, int(entry), lines[_LOCKED], lines[_FILES]))
    return tuple(found)


def huge_pages(sysfs: str) -> tuple[HugePages, ...]:
    folder = f"{sysfs}/kernel/mm/hugepages"
    try:
        pools = [match for match in map(_POOL.fullmatch, os.listdir(folder)) if match]
    except FileNotFoundError:
        return ()
    sized = sorted((int(pool.group(1)), f"{folder}/{pool.group()}") for pool in pools)
    return tuple(HugePages(size, _count(f"{pool}/nr_hugepages"), _count(f"{pool}/free_hugepages")) for size, pool in sized)


def _of_root(path: str) -> bool:
    with contextlib.suppress(OSError):
        return os.stat(path).st_uid == 0
    return False


def _lines(path: str) -> dict[str, int | None]:
    """The soft limits of a process; None for unlimited ones. Empty if the process has ended."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as stream:
        matches = [match for match in map(_LINE.match, lines_of(stream.read())) if match]
        return {match.group(1): None if match.group(2) == _UNLIMITED else int(match.group(2)) for match in matches}
    return {}


def _count(path: str) -> int:
    return int(word(path) or 0)
