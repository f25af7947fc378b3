# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the context of this run from the options of ``cluster_look``."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_number
from ..._core.failure import refuse_option
from ..._core.times import iso_seconds, moment_of
from .model import Observed, RunContext

LONGEST_MINUTES = 10_080

Params = t.Mapping[str, t.Any]


def run_context(params: Params, arn: ClusterArn, *, now: datetime.datetime) -> RunContext:
    """:raises Refused: for a period out of range."""
    return RunContext(
        cluster_id=arn.id,
        now=now,
        declared=params["declaration"],
        problem=params["_declaration_problem"],
        inventory=frozenset(params["instance_ids"]),
        minutes=check_number("full_look_minutes", params["full_look_minutes"], 0, LONGEST_MINUTES),
        full=params["full"],
    )


def began(params: Params) -> Observed:
    """The state in AWS when the run began.

    :raises Refused: for an invalid value.
    """
    try:
        return Observed(**{name: params["began"][name] for name in ("generation", "nodes", "records")})
    except (KeyError, TypeError):
        refuse_option("began", params["began"], "the return value seen of the module with state=query")


def complete_since(params: Params) -> str:
    """AWS's time when the run began; empty if it is unknown, or if the run left something pending or failed.

    :raises Refused: for an invalid value.
    """
    time = (params["began"] or {}).get("time") if params["complete"] else ""
    try:
        return iso_seconds(moment_of(str(time))) if time else ""
    except ValueError:
        refuse_option("began", params["began"], "the return value seen of the module with state=query")


def event_time(params: Params) -> datetime.datetime:
    """The time of an event.

    :raises Refused: for a text that is not a time with a time zone.
    """
    try:
        moment = moment_of(params["time"])
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        refuse_option("time", params["time"], "an ISO time with a time zone, for example 2026-11-21T01:02:03Z")
    return moment


def due(ends: t.Iterable[t.Mapping[str, t.Any]], *, now: datetime.datetime) -> str:
    """The next time when something expires or may be renewed; empty for never. An invalid time is due immediately.

    :param ends: entries with ``until``, and optionally ``days``, the number of days before ``until`` when the renewal begins.
    """
    moments = []
    for each in ends:
        try:
            until = moment_of(str(each["until"]))
            moments += [until - datetime.timedelta(days=int(each.get("days") or 0)), until]
        except (ValueError, KeyError, OverflowError):
            return iso_seconds(now)
    return min((iso_seconds(moment) for moment in moments if moment > now), default="")
