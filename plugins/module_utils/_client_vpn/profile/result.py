# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``client_vpn_profile``."""

from __future__ import annotations

import typing as t

from ..._core.plan import Plan
from .model import Desired, State


class Report:
    """The profiles, and which of them a run writes according to its plan."""

    def __init__(self, desired: Desired) -> None:
        self._desired = desired
        self._written: frozenset[str] = frozenset()

    def noted(self, plan: Plan) -> Plan:
        self._written = frozenset(step.arguments["name"] for step in plan.steps)
        return plan

    def result(self, state: State) -> dict[str, t.Any]:
        rows = [
            {
                "name": name,
                "path": self._desired.path(name),
                "serial": profile.serial,
                "not_after": profile.not_after,
                "changed": name in self._written,
            }
            for name, profile in sorted(state.profiles.items())
        ]
        return {"profiles": rows}
