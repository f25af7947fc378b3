# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What the report of a run tells about a readiness gate. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time

from .plan import State

_TOLD_SECONDS = 86400


def sentences(state: State, *, now: float) -> dict[str, list[str]]:
    """``pending`` and ``notes``, without those that would be empty."""
    pending = [f"Not ready for logins: {problem}." for problem in state.problems]
    notes = [f"Open for logins although {warning}." for warning in state.warnings]
    if state.kept:
        notes.append(
            "The gate stays open, since the node is as it was expected before; mend what is pending, or expect it no more."
        )
    noted = state.noted
    if noted and (noted["opened"] is None or now - noted["opened"] < _TOLD_SECONDS):
        since = f"it was open again at {_time(noted['opened'])}" if noted["opened"] else "it has been closed since"
        notes.append(f"The node closed its gate itself at {_time(noted['closed'])} ({'; '.join(noted['problems'])}); {since}.")
    return {name: found for name, found in (("pending", pending), ("notes", notes)) if found}


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
