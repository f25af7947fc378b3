# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``client_vpn_revocation_list`` returns."""

from __future__ import annotations

import typing as t

from ..._core.plan import Plan
from ..pki.values import Crl
from .model import Desired, State
from .plan import is_waiting


class Report:
    """Whom an import disconnects, also one that waits."""

    def __init__(self, desired: Desired) -> None:
        self._desired = desired
        self._before: State | None = None
        """What was there before the import that is planned, None without one."""

    def noted(self, plan: Plan) -> Plan:
        self._before = plan.steps[0].arguments["before"] if plan else None
        return plan

    def result(self, state: State) -> dict[str, t.Any]:
        before = self._before
        waiting = before is None and is_waiting(self._desired, state)
        disconnects = before.people if before else state.people if waiting else []
        pending = [self._waits(disconnects)] if waiting else []
        notes = self._notes(before) if before and disconnects else []
        crl = state.crl
        return {
            "entries": len(crl.serials) if crl else None,
            "number": crl.number if crl else None,
            "next_update": crl.next_update if crl else None,
            "imported": before is not None,
            "waiting": waiting,
            "disconnects": disconnects,
            "hyperpod_report": {"pending": pending, "failures": [], "notes": notes},
        }

    def _waits(self, people: list[str]) -> str:
        resource, crl = self._desired.resource.capitalize(), _name(self._desired.crl)
        return f"{resource} does not know {crl} yet: an import disconnects {', '.join(people)}."

    def _notes(self, before: State) -> list[str]:
        desired, people = self._desired, ", ".join(before.people)
        notes = [f"The import of {_name(desired.crl)} into {desired.resource} disconnects {people}."]
        if before.crl is not None and not desired.allowed:
            notes.append(
                f"It did not wait, since the list before it ends {before.crl.next_update}, and then nobody can connect."
            )
        return notes


def _name(crl: Crl | None) -> str:
    if crl is None:
        return "the new list of revoked certificates"
    count = len(crl.serials)
    return f"list {crl.number} of revoked certificates ({count} {'entry' if count == 1 else 'entries'})"
