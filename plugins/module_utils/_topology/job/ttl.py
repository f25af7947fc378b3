# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How long a job stays once it has ended, by ``ttlSecondsAfterFinished``: what goes before somebody looks tells no result. Pure."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_shown
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind, mapping
from .model import FINISHED, Rendered

LATE = 30
"""Seconds that answers may take while somebody waits."""


def field_of(kind: Kind) -> str:
    return ".".join(kind.ttl)


def seconds_of(kind: Kind, job: Object) -> int | None:
    """None where it stays."""
    value = _value(kind, job)
    if value is None:
        return 0 if kind.goes_at_once else None
    if not isinstance(value, int) or (value < 0 and kind.goes_at_once):
        return None
    return max(0, value)


def _value(kind: Kind, job: Object) -> t.Any:
    return mapping(job, *kind.ttl[:-1]).get(kind.ttl[-1]) if kind.ttl else None


def needed(interval: int) -> int:
    """Seconds in which somebody looks for sure, even where one look gets no answer."""
    return 2 * interval + LATE


def vanishing(job: Rendered, *, source: str, stage: str, interval: int) -> str:
    """What becomes of a job that goes before somebody looks again; empty for one that stays long enough.

    :param interval: seconds between two looks.
    :raises Refused: where somebody waits for its end.
    """
    seconds = seconds_of(job.kind, job.manifest)
    if seconds is None or seconds >= needed(interval):
        return ""
    field, left_out = field_of(job.kind), _value(job.kind, job.manifest) is None
    stays = "-1, which keeps it" if job.kind.goes_at_once else "none, which keeps it"
    if stage == FINISHED:
        why = f"with wait=finished and poll_interval={interval} the job may go between two looks, and nobody would know its result"
        shown = "left out, which means 0," if left_out else str(seconds)
        refuse_shown(f"{source}.{field}", shown, f"{stays}, or {needed(interval)} seconds and more", why)
    default = ", as it is where it is left out" if left_out else ""
    return (
        f"{job.described} is removed {seconds} s after its end ({field}{default}), and whoever runs this again then submits it "
        f"anew. Allowed: also {stays}, or more seconds."
    )
