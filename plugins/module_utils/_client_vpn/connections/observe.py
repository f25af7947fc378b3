# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the connections to an endpoint."""

from __future__ import annotations

from ..._aws.client import Api
from .model import Connection, State


def observe(ec2: Api, endpoint: str) -> State:
    """The active connections. An endpoint that does not exist yet has none."""
    if not endpoint:
        return State()
    found = ec2.pages(
        "DescribeClientVpnConnections", "Connections", about=f"endpoint {endpoint}", ClientVpnEndpointId=endpoint
    )
    active = [each for each in map(Connection.of, found) if each.active]
    return State(tuple(sorted(active, key=lambda each: (each.person, each.id))))
