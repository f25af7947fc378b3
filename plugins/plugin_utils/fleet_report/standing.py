# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters need a person, and why. A state is good only if a list here names it; everything else is not known."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import verbs

from .latest import FOUND, NEVER, Latest, OfVerb
from .reports import Report

PERSON, NOT_KNOWN, WAITS, OLD, FINE = "person", "unknown", "pending", "old", "good"
STANDINGS = (PERSON, NOT_KNOWN, WAITS, OLD, FINE)
"""From worst to best."""
NOT_RUN = "never"
"""A state of verbs that changes no standing."""
HOURS = {"every 10 minutes": 1 / 6, "hourly": 1, "daily": 24, "weekly": 168, "monthly": 744}
"""The intervals of the suggested schedules."""
ON_DEMAND_HOURS = 168
"""Age from which the result of a verb without a schedule is old."""
SOON_DAYS = 14


@dataclass(frozen=True)
class VerbState:
    state: str
    """One of ``STANDINGS``, or ``NOT_RUN``."""
    why: str
    latest: Latest
    """The run that the state is about: the latest check if the verb is always run in check mode, otherwise the latest real run."""


@dataclass(frozen=True)
class Limits:
    now: str
    old_hours: int

    def is_old(self, verb: str, started: str) -> bool:
        return hours_between(started, self.now) > self.hours(verb)

    def hours(self, verb: str) -> float:
        """Age in hours from which a run is old: twice the suggested interval, but at least ``old_hours``."""
        interval = interval_hours(verb)
        return max(self.old_hours, ON_DEMAND_HOURS if interval is None else 2 * interval)


def interval_hours(verb: str) -> float | None:
    """The suggested interval of the verb; None for a verb without a schedule."""
    known = verbs.verbs().get(verb)
    found = [HOURS[each.schedule] for each in known.templates.values() if each.schedule] if known else []
    return min(found, default=None)


def is_check(verb: str) -> bool:
    """Whether the verb is always run in check mode."""
    known = verbs.verbs().get(verb)
    return known is not None and known.job_type == verbs.CHECK


def of_verb(verb: str, runs: OfVerb, limits: Limits) -> VerbState:
    latest = runs.check if is_check(verb) else runs.real
    if latest.state == NEVER:
        return VerbState(NOT_RUN, "never run", latest)
    if latest.state != FOUND or latest.report is None:
        problem = latest.problem
        return VerbState(NOT_KNOWN, f"the latest report {problem.reason}" if problem else "not among the newest reports", latest)
    if limits.is_old(verb, latest.report.started):
        return VerbState(OLD, f"the latest report is old; its status is {latest.report.status}", latest)
    if latest.problem:
        return VerbState(NOT_KNOWN, f"a later report {latest.problem.reason}", latest)
    return VerbState(*_by_status(verb, latest.report), latest)


def _by_status(verb: str, report: Report) -> tuple[str, str]:
    kinds = {each["kind"] for each in report.findings}
    if report.status == "failed" or FAILURE in kinds:
        return PERSON, "failed"
    if report.status == "degraded" or PENDING in kinds:
        return WAITS, "degraded"
    if report.status == "changed" and is_check(verb):
        return WAITS, "differs from the declaration"
    if report.status in ("unchanged", "changed") and not report.more_findings:
        return FINE, report.status
    return NOT_KNOWN, report.status


def of_cluster(states: t.Mapping[str, VerbState], ends: t.Mapping[str, str], now: str, not_listed: str = "") -> tuple[str, str]:
    """The standing of a cluster, and the reason."""
    found = [(each.state, f"{verb}: {each.why}") for verb, each in states.items() if _counts(verb, each)]
    found += [(state, f"the certificate {name} {words}") for name, end in ends.items() for state, words in _end(end, now)]
    if not_listed:
        found.append((NOT_KNOWN, "its reports could not be listed"))
    elif not states:
        found.append((NOT_KNOWN, "the report store has no report of the cluster"))
    if not any(state != NOT_RUN for state, _why in found):
        found.append((NOT_KNOWN, "no recent report"))
    worst = min((state for state, _why in found if state != NOT_RUN), key=STANDINGS.index)
    why = [words for state, words in found if state == worst]
    return worst, "no open finding" if worst == FINE else "; ".join(why)


def _counts(verb: str, each: VerbState) -> bool:
    """Whether the verb affects the standing. A good result of a verb without a schedule does not have to be repeated."""
    report = each.latest.report
    well = report is not None and report.status in ("unchanged", "changed")
    return not (each.state == OLD and well and interval_hours(verb) is None)


def _end(end: str, now: str) -> list[tuple[str, str]]:
    left = moment_of(end) - moment_of(now)
    if left <= datetime.timedelta(0):
        return [(PERSON, f"expired at {end}")]
    return [(WAITS, f"expires at {end}")] if left < datetime.timedelta(days=SOON_DAYS) else []


def hours_between(earlier: str, later: str) -> float:
    return (moment_of(later) - moment_of(earlier)).total_seconds() / 3600
