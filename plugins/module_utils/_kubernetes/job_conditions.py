# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How a job of any kind has ended, from the conditions in its status. No I/O."""

from __future__ import annotations

from .client import Object

SUCCEEDED, FAILED = "succeeded", "failed"
WELL = ("Complete", "Completed", "Succeeded")
"""The conditions of successful jobs of all kinds."""


def outcome(job: Object) -> str:
    """``succeeded``, ``failed``, or empty if the job has not ended."""
    holding = conditions_of(job)
    if FAILED.capitalize() in holding:
        return FAILED
    return SUCCEEDED if any(each in holding for each in WELL) else ""


def conditions_of(job: Object) -> dict[str, Object]:
    """The conditions with status ``True``, keyed by type."""
    conditions = (job.get("status") or {}).get("conditions") or ()
    return {str(each.get("type")): each for each in conditions if each.get("status") == "True"}
