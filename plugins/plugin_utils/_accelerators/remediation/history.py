# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Earlier repairs and checks of nodes, from the records of the cluster."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of

MEMORY = datetime.timedelta(days=7)
"""How long a repair counts."""
DAY = datetime.timedelta(days=1)
COMES_WITHIN = datetime.timedelta(hours=4)
"""The maximum time from the replacement of a node to the launch of its successor."""
CHECKS = "check"
"""HyperPod's deep health checks. They count toward the daily budget, but are not repairs."""
MAY_REPLACE = ("replace", CHECKS)
"""The actions that may lead to a replacement. HyperPod also replaces a node that fails its deep health checks."""


@dataclass(frozen=True)
class Act:
    does: str
    """The action: ``reboot``, ``replace`` or ``check``."""
    at: datetime.datetime
    codes: tuple[str, ...] = ()
    """The codes of the problems that the action was for. Empty for a check, and in old records without codes."""


@dataclass(frozen=True)
class Repaired:
    """A node with earlier repairs or checks."""

    group: str
    acts: tuple[Act, ...]
    times: int
    """Number of repairs of the node and its predecessors."""

    @property
    def last(self) -> Act:
        return self.acts[-1]

    @property
    def last_repair(self) -> Act | None:
        """The newest action that was a repair; None if the node was only checked."""
        return next((act for act in reversed(self.acts) if act.does != CHECKS), None)

    @property
    def last_check(self) -> datetime.datetime | None:
        return next((act.at for act in reversed(self.acts) if act.does == CHECKS), None)


History = t.Mapping[str, Repaired]
"""The nodes with earlier repairs or checks, keyed by instance ID."""


def history(records: t.Mapping[str, t.Any], now: datetime.datetime) -> dict[str, Repaired]:
    """The history from the records. Unreadable records and those older than ``MEMORY`` are ignored."""
    found = {iid: _repaired(record) for iid, record in records.items() if isinstance(record, t.Mapping)}
    return {iid: each for iid, each in found.items() if each is not None and now - each.last.at <= MEMORY}


def outdated(records: t.Mapping[str, t.Any], now: datetime.datetime) -> list[str]:
    """Names of records that no longer count."""
    return sorted(set(records) - set(history(records, now)))


def times(history: History, iid: str, group: str, launched: str, *, there: t.Container[str]) -> int:
    """Number of repairs of a node and its possible predecessors.

    AWS does not report which node replaced which. If several nodes of a group were replaced at the same time, the node with the
    most repairs counts. A node whose instance ID is still ``there`` is not a predecessor.
    """
    if iid in history:
        return history[iid].times
    came = _moment(launched)
    before = [
        each.times
        for gone, each in history.items()
        if each.group == group and each.last.does in MAY_REPLACE and gone not in there
        if came and each.last.at <= came <= each.last.at + COMES_WITHIN
    ]
    return max(before, default=0)


def in_last_day(history: History, now: datetime.datetime) -> int:
    return sum(1 for each in history.values() for act in each.acts if now - act.at < DAY)


def with_act(before: Repaired | None, act: Act, *, group: str, number: int) -> dict[str, t.Any]:
    """The record after one more repair or check."""
    acts = [*(before.acts if before else ()), act]
    return {"group": group, "times": number, "acts": [_recorded(each) for each in acts]}


def _recorded(act: Act) -> dict[str, t.Any]:
    codes = {"codes": list(act.codes)} if act.codes else {}
    return {"does": act.does, "at": iso_seconds(act.at), **codes}


def _repaired(record: t.Mapping[str, t.Any]) -> Repaired | None:
    try:
        acts = tuple(
            Act(str(each["does"]), moment_of(each["at"]), tuple(map(str, each.get("codes", ())))) for each in record["acts"]
        )
        return Repaired(str(record["group"]), acts, int(record["times"])) if acts else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _moment(text: str) -> datetime.datetime | None:
    try:
        return moment_of(text)
    except ValueError:
        return None
