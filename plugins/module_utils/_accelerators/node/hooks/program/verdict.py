# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The verdict that a check leaves for the jobs that start soon after it. Standard library only, Python 3.9 syntax.

It is gone with the boot that it was of.
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
"""HyperPod acts on a reason with this word."""


@dataclass(frozen=True)
class Verdict:
    at: float
    """Seconds of the epoch."""
    fit: bool
    unfit: str
    """Why the node is to be rebooted or replaced; empty where nothing was seen that asks for it. Neither is unknown."""
    log_led: bool = False
    """Only records in the kernel's log led to it, which other witnesses confirm."""


def verdict(health: Health, now: float) -> Verdict:
    """What a node is set up as, and what could not be looked at, is no reason to take it out of work."""
    bad = [each for each in health.problems if each.verdict in (REBOOT, REPLACE) and each.cause != CONFIG]
    log_led = bool(bad) and all(each.code in LOG_LED and not _shown(each) for each in bad)
    return Verdict(now, health.verdict == FIT, _words(bad) if bad else "", log_led)


def _shown(problem: Problem) -> bool:
    """What the GPU shows by itself stands under the record."""
    return any(name.startswith("gpu-") for name in problem.folded)


def _words(bad: t.Sequence[Problem]) -> str:
    """Codes and parts: what the kernel and tools said may hold words that somebody chose."""
    parts = dict.fromkeys(f"{each.code} of {each.part}" if each.part else each.code for each in bad)
    words = printable(f"{bad[0].verdict}: {', '.join(parts)}").replace('"', "?")
    return bad[0].verdict if _OF_THE_SERVICE in words.lower() else words[:_LONGEST]


def save(found: Verdict, path: str) -> None:
    replace_text(path, json.dumps(asdict(found)) + "\n", mode=0o644, durable=False)


def load(path: str, now: float) -> Verdict | None:
    """None where there is none, or an old one."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = Verdict(**json.load(stream))
        return found if 0 <= now - found.at <= FRESH_SECONDS else None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
