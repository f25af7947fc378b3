# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values and findings of ``readiness_gate``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time
import typing as t

from ..._core.failure import Failure
from ..._core.finding import WARNING, Finding, note, pending, to_result
from ..._core.times import iso_epoch
from .check import Problem
from .model import Desired, State

_REPORTED_SECONDS = 86400


class NotReady(Failure):
    """The node has problems, and the option ``fail`` turns them into an error."""

    def __init__(self, problems: t.Sequence[Problem], result: dict[str, t.Any]) -> None:
        self.result = result
        super().__init__(f"The node is not ready for logins: {'; '.join(each.text for each in problems)}.")


def result(desired: Desired, state: State, *, fail: bool) -> dict[str, t.Any]:
    """
    :raises NotReady: with ``fail``, if the node has problems.
    """
    returned = {"readiness_gate": _gate(desired, state), **to_result(findings(state, now=time.time()))}
    if state.problems and fail:
        raise NotReady(state.problems, returned)
    return returned


def failed(error: Exception) -> dict[str, t.Any]:
    return error.result if isinstance(error, NotReady) else {}


def _gate(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "state": state.gate,
        "ready": state.gate == "open" and not state.problems,
        "port": desired.ports[0],
        "people_port": desired.people_ports[0],
        "problems": [each.text for each in state.problems],
        "warnings": [each.text for each in state.warnings],
    }


def findings(state: State, *, now: float) -> list[Finding]:
    found = [pending(each.code, f"Not ready for logins: {each.text}.") for each in state.problems]
    found += [note(each.code, f"Open for logins although {each.text}.", severity=WARNING) for each in state.warnings]
    if state.kept:
        found.append(
            note(
                "gate-kept-open",
                "The gate stays open, because the node meets the previous expectations. Correct the pending problems, or remove "
                "the new expectations.",
            )
        )
    noted = state.noted
    if noted and (noted["opened"] is None or now - noted["opened"] < _REPORTED_SECONDS):
        since = f"The gate was open again at {iso_epoch(noted['opened'])}." if noted["opened"] else "The gate is still closed."
        text = f"The node closed its gate itself at {iso_epoch(noted['closed'])} ({'; '.join(noted['problems'])}). {since}"
        found.append(note("gate-closed-itself", text, severity=WARNING))
    return found
