# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads from an untrusted log whether a Pod's launcher (torchrun) met the other launchers. Otherwise, no process starts."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

_LONGEST_LINE = 1000
_UNREACHED = re.compile(r"socket has timed out after \d{1,9}ms while trying to connect to \(([A-Za-z0-9._:-]{1,253}), (\d{1,5})\)")
_JOINS = "Rendezvous'ing worker group"
"""Logged at level INFO after the launcher has connected to the rendezvous. With a static rendezvous, logged before that."""
_WAITED = "RendezvousTimeoutError"
"""Logged if the launcher joined and other launchers did not."""


@dataclass(frozen=True)
class Launcher:
    unreached: str = ""
    """The host and the port of the rendezvous that the launcher could not reach, such as ``train-0:29500``."""
    joined: bool = False
    """Whether the launcher reached the rendezvous and waited for others."""


def launcher(lines: t.Iterable[str]) -> Launcher:
    unreached, joined = "", False
    for line in lines:
        found = _UNREACHED.search(line, 0, _LONGEST_LINE)
        unreached = f"{found[1]}:{found[2]}" if found else unreached
        joined = joined or any(text in line[:_LONGEST_LINE] for text in (_JOINS, _WAITED))
    return Launcher(unreached, joined)
