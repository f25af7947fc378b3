# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Cancels jobs, waits for their end, and removes the user from accounting. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time
import typing as t

from ...._core.plan import Step
from ...system import CommandFailed, run
from .model import Desired
from .observe import jobs

_AT_ONCE = 200
_PAUSE = 1.0


class Applier:
    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def __call__(self, step: Step) -> None:
        getattr(self, "_" + step.operation)(**step.arguments)

    def _cancel_jobs(self, *, ids: t.Sequence[str]) -> None:
        for begin in range(0, len(ids), _AT_ONCE):
            # scancel fails for jobs that have ended meanwhile. The remaining jobs are checked below.
            run(["scancel", "--", *ids[begin : begin + _AT_ONCE]], timeout=60, check=False)
        deadline = time.monotonic() + self._desired.timeout
        while self._may_have_jobs() and time.monotonic() < deadline:
            time.sleep(_PAUSE)

    def _may_have_jobs(self) -> bool:
        try:
            return any(jobs(self._desired))
        except CommandFailed:  # slurmctld is busy; if it stays silent, the next read reports it
            return True

    def _forget_user(self) -> None:
        run(["sacctmgr", "--immediate", "--quiet", "delete", "user", f"name={self._desired.name}"], timeout=60)
