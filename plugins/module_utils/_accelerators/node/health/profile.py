# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Thresholds and waivers. Standard library only, Python 3.9 syntax.

Figures and their sources: docs/reference/accelerator-checks.md.
"""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ...._core.failure import refuse_option
from .problem import FIT, Problem


@dataclass(frozen=True)
class Waiver:
    """A known finding that is accepted for a time."""

    code: str
    part: str
    """Key of the part: a GPU's serial number, or the name of an EFA device. Empty for all parts."""
    until: datetime.date
    """The last day, in UTC."""
    why: str

    def covers(self, problem: Problem) -> bool:
        return self.code == problem.code and self.part in ("", problem.key)


@dataclass(frozen=True)
class Profile:
    settle_seconds: int = 300
    """Time after the boot in which devices may still appear."""
    hung_seconds: int = 600
    """A call that hangs in the driver for this time makes the node unfit."""
    repeat_days: int = 30
    """Time for which a problem of an earlier boot counts as a repeat."""
    held_back_percent: int = 10
    """Share of the time between two checks, under load."""
    efa_errors: int = 100
    """Errors of one counter between two checks, which must also exceed one per second."""
    crc_per_second: int = 100
    """CRC errors of all links of one GPU."""
    pages_retired: int = 15
    """Pages retired for double-bit errors, on GPUs that remap no rows."""
    locked_memory_gib: int = 16
    """Least limit of the service that starts jobs, on nodes with EFA."""
    waivers: tuple[Waiver, ...] = ()


def profile(params: t.Mapping[str, t.Any]) -> Profile:
    """From the module's option ``profile``, with defaults for missing values."""
    given = dict(params["profile"] or {})
    waivers = tuple(_waiver(each) for each in given.pop("waivers", None) or ())
    figures = {name: value for name, value in given.items() if value is not None}
    for name, value in figures.items():
        if value < 1:
            refuse_option(f"profile.{name}", value, "a number from 1")
    return Profile(**figures, waivers=waivers)


def waived(problems: t.Iterable[Problem], of: Profile, now: float) -> tuple[list[Problem], list[tuple[Problem, Waiver]]]:
    """Problems that count, and waived ones with their waivers."""
    today = datetime.datetime.fromtimestamp(now, datetime.timezone.utc).date()
    counts: list[Problem] = []
    accepted: list[tuple[Problem, Waiver]] = []
    for problem in problems:
        waiver = next((each for each in of.waivers if each.covers(problem) and today <= each.until), None)
        if waiver and problem.verdict != FIT:
            accepted.append((problem, waiver))
        else:
            counts.append(problem)
    return counts, accepted


def _waiver(given: t.Mapping[str, t.Any]) -> Waiver:
    try:
        until = datetime.date.fromisoformat(given["until"])
    except ValueError:
        refuse_option("profile.waivers.until", given["until"], "a day as 2026-12-31")
    return Waiver(given["code"], given["part"] or "", until, given["why"])
