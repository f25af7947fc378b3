# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The verdict that a check stores for jobs that start soon after it. Standard library only, Python 3.9 syntax.

The stored verdict is lost at the next boot.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import asdict, dataclass

from ....._core.text import printable
from ....._node.files import replace_text
from ...health.judge import Health
from ...health.problem import CONFIG, FIT, LOG_LED, REBOOT, REPLACE, Problem

FRESH_SECONDS = 300.0
_LONGEST = 150
_OF_THE_SERVICE = "action:"
"""HyperPod acts on reasons with this prefix."""


@dataclass(frozen=True)
class Verdict:
    at: float
    """The time of the check, in seconds of the epoch."""
    fit: bool
    unfit: str
    """Why the node needs a reboot or a replacement; empty if it needs neither, or if the need is unknown."""
    log_led: bool = False
    """Whether the verdict is based only on kernel records with a second witness."""


def verdict(health: Health, now: float) -> Verdict:
    """Configuration problems and unreadable parts are no reason to take a node out of service."""
    bad = [each for each in health.problems if each.verdict in (REBOOT, REPLACE) and each.cause != CONFIG]
    log_led = bool(bad) and all(each.code in LOG_LED and not _shown(each) for each in bad)
    return Verdict(now, health.verdict == FIT, _words(bad) if bad else "", log_led)


def _shown(problem: Problem) -> bool:
    """Whether the GPU itself shows the fault too. The code of that problem is then folded into the problem of the record."""
    return any(name.startswith("gpu-") for name in problem.folded)


def _words(bad: t.Sequence[Problem]) -> str:
    """The reason for Slurm: only codes and parts, because output of the kernel and tools may contain text from users."""
    parts = dict.fromkeys(f"{each.code} of {each.part}" if each.part else each.code for each in bad)
    words = printable(f"{bad[0].verdict}: {', '.join(parts)}").replace('"', "?")
    return bad[0].verdict if _OF_THE_SERVICE in words.lower() else words[:_LONGEST]


def save(found: Verdict, path: str) -> None:
    replace_text(path, json.dumps(asdict(found)) + "\n", mode=0o644, durable=False)


def load(path: str, now: float) -> Verdict | None:
    """The stored verdict; None if it is missing or too old."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = Verdict(**json.load(stream))
        return found if 0 <= now - found.at <= FRESH_SECONDS else None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
