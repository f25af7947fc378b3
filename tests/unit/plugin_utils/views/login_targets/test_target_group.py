# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports during a port move, and the health check that follows."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_targets import target_group

from .conftest import ADOPTED, PORTS, texts

MOVING = {**PORTS, "ports": [22]}


def test_nodes_keep_serving_ports_in_use(variables: dict[str, t.Any]) -> None:
    assert target_group.ports(variables) == {"targets": [222], "health": 223}
    assert target_group.ports({**variables, "__login_targets_read": MOVING, "login_balancer_adopted": ADOPTED}) == {"targets": [], "health": 223}


def found_name(adopted: dict[str, t.Any]) -> str:
    return "foreign-tg" if adopted else "hp-ml"


@pytest.mark.parametrize(
    ("port", "adopted", "all_verified", "nodes", "elsewhere", "due", "used"),
    [
        ("223", {}, True, ["i-1"], False, False, "port 223"),
        ("223", ADOPTED, True, ["i-1"], False, True, "port 223"),
        ("", {}, True, ["i-1"], False, False, "port "),
        ("traffic-port", {}, True, ["i-1"], True, True, "the port of each target"),
        ("22", {}, False, ["i-1"], True, False, "port 22"),
        ("22", {}, True, [], True, False, "port 22"),
    ],
)
def test_the_health_check_changes_once_every_target_answers(
    variables: dict[str, t.Any], port: str, adopted: dict[str, t.Any], all_verified: bool, nodes: list[str], elsewhere: bool, due: bool, used: str
) -> None:
    run = {"hyperpod_run": {"verified_nodes": nodes}, "login_balancer_adopted": adopted}
    known = {**variables, **run, "login_targets_group": target_group.group_name({**variables, **run})}
    found = target_group.registered({**known, "__login_targets_registered": {"health_check_port": port, "all_verified": all_verified}})
    assert (found.asks_elsewhere, found.health_check_due, found.health_check["port"]) == (elsewhere, due, "223")
    assert texts(found.notes) == [f"The health check of {found_name(adopted)} uses {used} until every target is a login node that was verified at port 222."]
