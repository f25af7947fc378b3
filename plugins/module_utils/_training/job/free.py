# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why other runs of verifications prevent a job. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.lease import Holder, Lease
from ..model import named
from .model import BUSY, HELD, NotRun


def held_by(lease: Lease, other: Holder) -> NotRun:
    who = f"Another verification ({other.name}) holds Lease {lease.described} since {other.since}"
    text = f"{who}. Wait until it has ended; if it was killed, its Lease expires at {other.until}."
    return NotRun(HELD, text)


def not_ended(pods: t.Iterable[str]) -> NotRun:
    """:param pods: the Pods of killed runs, whose jobs were removed."""
    text = f"Pods of an earlier verification do not end: {named(map(printable, pods))}. Check the kubelets of their nodes."
    return NotRun(BUSY, text)
