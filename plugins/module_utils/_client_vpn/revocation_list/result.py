# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``client_vpn_revocation_list``."""

from __future__ import annotations

import typing as t

from ..._core.finding import Finding, note, pending, to_result
from ..._core.plan import Plan
from ..pki.values import Crl
from .model import Desired, State
from .plan import is_waiting


class Report:
    """The people that an import disconnects, even if the import is deferred."""

    def __init__(self, desired: Desired) -> None:
        self._desired = desired
        self._before: State | None = None
        """The state before the planned import; None if no import is planned."""

    def noted(self, plan: Plan) -> Plan:
        self._before = plan.steps[0].arguments["before"] if plan else None
        return plan

    def result(self, state: State) -> dict[str, t.Any]:
        before = self._before
        waiting = before is None and is_waiting(self._desired, state)
        disconnects = before.people if before else state.people if waiting else []
        found = [self._waits(disconnects)] if waiting else self._disconnected(before) if before and disconnects else []
        crl = state.crl
        return {
            "entries": len(crl.serials) if crl else None,
            "number": crl.number if crl else None,
            "next_update": crl.next_update if crl else None,
            "imported": before is not None,
            "waiting": waiting,
            "disconnects": disconnects,
            **to_result(found),
        }

    def _waits(self, people: list[str]) -> Finding:
        desired, who = self._desired, ", ".join(people)
        text = f"{desired.resource.capitalize()} does not have {_name(desired.crl)} yet, because an import would disconnect {who}."
        return pending("crl-waits", text, subject=desired.endpoint)

    def _disconnected(self, before: State) -> list[Finding]:
        desired, people = self._desired, ", ".join(before.people)
        text = f"The import of {_name(desired.crl)} into {desired.resource} disconnects {people}."
        found = [note("crl-import-disconnects", text, subject=desired.endpoint)]
        if before.crl is not None and not desired.allowed:
            text = f"The import was not deferred, because the current CRL expires at {before.crl.next_update}."
            found.append(note("crl-did-not-wait", text, subject=desired.endpoint))
        return found


def _name(crl: Crl | None) -> str:
    if crl is None:
        return "the new CRL"
    count = len(crl.serials)
    return f"CRL {crl.number} ({count} {'entry' if count == 1 else 'entries'})"
