# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that AWS replaced, rebooted or updated return to service only after their configuration."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import returning
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.fleet import Fleet, Node

CONFIGURING, UP_TO_DATE, STOPPED = {"writing": True}, {"up_to_date": True}, {"ready": True}
NEW, OLD = {"access": "gained", "status": "Running", "configured": False}, {"access": "ready", "status": "Running", "configured": True}
PENDING, FORESEEN = {"access": "pending", "status": "Pending"}, {"access": "would_gain", "status": "Running"}


@pytest.mark.parametrize(
    ("run", "node", "access", "check_mode", "configured"),
    [
        (CONFIGURING, {"reached": True, "configured": True}, NEW, False, True),
        (CONFIGURING, {"reached": True, "failed": True}, NEW, False, False),
        (CONFIGURING, {"reached": True, "configured": True, "failed": True}, NEW, False, False),
        (CONFIGURING, {}, OLD, False, False),  # unreachable
        (CONFIGURING, {}, PENDING, False, False),
        (CONFIGURING, {}, {}, False, True),  # outside the run because nothing changed
        (STOPPED, {}, {}, False, False),  # login access failed before it reached any node
        (STOPPED, {}, OLD, False, False),
        (UP_TO_DATE, {}, OLD, False, True),
        (UP_TO_DATE, {}, NEW, False, False),
        (UP_TO_DATE, {}, {}, False, True),  # neither new nor behind
        (UP_TO_DATE, {}, PENDING, False, False),
        (STOPPED, {"reached": True, "dirty": True}, OLD, True, True),
        (STOPPED, {}, FORESEEN, True, True),
        (STOPPED, {}, OLD, True, False),
    ],
)
def test_only_configured_nodes_return_to_service(
    run: dict[str, t.Any], node: dict[str, t.Any], access: dict[str, t.Any], check_mode: bool, configured: bool
) -> None:
    nodes = Fleet("ml", (Node("ml-i-1", "i-1", False, True, node, access),))
    assert returning.unconfigured(nodes, run, check_mode=check_mode) == ([] if configured else ["i-1"])
