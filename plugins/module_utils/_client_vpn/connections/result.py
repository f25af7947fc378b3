# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``client_vpn_connections``."""

from __future__ import annotations

import typing as t

from ..._core.plan import Plan
from .model import Connection, State

FIELDS = ("connection_id", "common_name", "username", "client_ip", "established")


class Report:
    """The connections that a run ends, according to its plan."""

    def __init__(self) -> None:
        self._ended: tuple[Connection, ...] = ()

    def noted(self, plan: Plan) -> Plan:
        self._ended = tuple(step.arguments["connection"] for step in plan.steps)
        return plan

    def result(self, _state: State) -> dict[str, t.Any]:
        ended = [each.to_result() for each in self._ended]
        return {"connections": [{name: each[name] for name in FIELDS} for each in ended]}
