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
    """The key of the part: a GPU's serial number, or the name of an EFA device; empty for all parts."""
    until: datetime.date
    """The last day on which the waiver applies, in UTC."""
    why: str

    def covers(self, problem: Problem) -> bool:
        return self.code == problem.code and self.part in ("", problem.key)


@dataclass(frozen=True)
class Profile:
    settle_seconds: int = 300
    """Seconds after the boot within which devices may still appear."""
    hung_seconds: int = 600
    """The seconds after which a call that hangs in the driver makes the node unfit."""
    repeat_days: int = 30
    """The days for which a problem of an earlier boot counts as a repeat."""
    held_back_percent: int = 10
    """A GPU under load is reported if its clocks were reduced for at least this percentage of the time between two checks."""
    efa_errors: int = 100
    """An EFA device is reported if one of its counters has increased by more than this number between two checks, and by more than
    one per second."""
    crc_per_second: int = 100
    """CRC errors are reported from this number per second on, summed over all links of a GPU."""
    pages_retired: int = 15
    """The allowed number of pages retired for double-bit errors, on GPUs that remap no rows."""
    locked_memory_gib: int = 16
    """The locked memory that the service that starts jobs must allow on nodes with EFA, in GiB."""
    waivers: tuple[Waiver, ...] = ()


def profile(params: t.Mapping[str, t.Any]) -> Profile:
    """The profile from the module's option ``profile``, with defaults for missing values."""
    given = dict(params["profile"] or {})
    waivers = tuple(_waiver(each) for each in given.pop("waivers", None) or ())
    figures = {name: value for name, value in given.items() if value is not None}
    for name, value in figures.items():
        if value < 1:
            refuse_option(f"profile.{name}", value, "a number from 1")
    return Profile(**figures, waivers=waivers)


def waived(problems: t.Iterable[Problem], of: Profile, now: float) -> tuple[list[Problem], list[tuple[Problem, Waiver]]]:
    """The problems that count, and the waived problems with their waivers."""
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
        refuse_option("profile.waivers.until", given["until"], "a date such as 2026-12-31")
    return Waiver(given["code"], given["part"] or "", until, given["why"])
