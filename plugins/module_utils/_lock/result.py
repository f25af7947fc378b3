# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``cluster_lock`` about the lock."""

from __future__ import annotations

import typing as t

from .model import Desired, Locks
from .process import RunProcess


def result(desired: Desired, locks: Locks) -> dict[str, t.Any]:
    return {
        "acquired": desired.token is not None and locks.held_by(desired.token),
        "holder": holder_to_result(locks),
        "holder_run": run_of_holder(locks),
        "parameter": locks.path,
    }


def holder_to_result(locks: Locks) -> dict[str, t.Any] | None:
    holder = locks.holder
    return None if holder is None else {"generation": holder[0], **holder[1].to_result()}


def run_of_holder(locks: Locks) -> str:
    """The status of the holder's run: ``running``, ``ended`` or ``unknown``; empty if the lock is free."""
    if locks.holder is None:
        return ""
    process = RunProcess.from_json(locks.holder[1].to_result())
    if process is None:
        return "unknown"
    return "running" if process.is_running() else "ended" if process.is_gone() else "unknown"
