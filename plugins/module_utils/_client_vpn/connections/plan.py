# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans which connections to end. No I/O."""

from __future__ import annotations

from ..._core.plan import Change, Plan, Step
from .model import Connection, Desired, State

TERMINATE = "TerminateClientVpnConnections"


def plan(desired: Desired, state: State) -> Plan:
    """One step for each connection of the people to disconnect."""
    people = set(desired.people)
    return Plan(tuple(_end(each) for each in state.active if {each.common_name, each.username} & people))


def _end(connection: Connection) -> Step:
    before = f"{connection.person} from {connection.client_ip}"
    change = Change("delete", f"connection {connection.id}", None, before)
    return Step(TERMINATE, {"connection": connection}, (change,), lambda state: state.without(connection))
