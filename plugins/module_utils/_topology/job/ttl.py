# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How long an ended job remains (``ttlSecondsAfterFinished``). With the job, its result is lost. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_shown
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind, mapping
from .model import FINISHED, Rendered

LATE = 30
"""Seconds that replies may take during a wait."""


def field_of(kind: Kind) -> str:
    return ".".join(kind.ttl)


def seconds_of(kind: Kind, job: Object) -> int | None:
    """Seconds after which an ended job is removed; None if it remains."""
    value = _value(kind, job)
    if value is None:
        return 0 if kind.goes_at_once else None
    if not isinstance(value, int) or (value < 0 and kind.goes_at_once):
        return None
    return max(0, value)


def _value(kind: Kind, job: Object) -> t.Any:
    return mapping(job, *kind.ttl[:-1]).get(kind.ttl[-1]) if kind.ttl else None


def needed(interval: int) -> int:
    """Seconds within which at least one read succeeds, even if one read fails."""
    return 2 * interval + LATE


def vanishing(job: Rendered, *, source: str, stage: str, interval: int) -> str:
    """A warning about a job that is removed too soon after its end; empty if it remains long enough.

    :param interval: seconds between two reads.
    :raises Refused: if the module also waits for the end of the job, which it could then miss.
    """
    seconds = seconds_of(job.kind, job.manifest)
    if seconds is None or seconds >= needed(interval):
        return ""
    field, left_out = field_of(job.kind), _value(job.kind, job.manifest) is None
    stays = "-1, which keeps the job" if job.kind.goes_at_once else "no value, which keeps the job"
    if stage == FINISHED:
        why = f"with wait=finished and poll_interval={interval} the job may be removed between two reads, so its result may be lost"
        shown = "its default 0" if left_out else str(seconds)
        refuse_shown(f"{source}.{field}", shown, f"{stays}, or at least {needed(interval)} seconds", why)
    default = ", by default" if left_out else ""
    return (
        f"{job.described} is removed {seconds} s after its end ({field}{default}), and another run would then submit it again. "
        f"Set {field} to {stays}, or to at least {needed(interval)} seconds."
    )
