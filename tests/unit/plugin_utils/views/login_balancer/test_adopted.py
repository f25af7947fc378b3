# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adoption of a load balancer, and its restored state when handed back."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_balancer import adopted

from .conftest import ADOPTED, PORTS, READ, WITHOUT_GROUPS, texts

FOUND = {"__login_balancer_adoption": {"balancer_adoption": READ}}
TARGET = {"instance_id": "i-1", "health": "healthy", "decision": "hold", "port": 222}


@pytest.mark.parametrize(
    ("more", "subnets", "takes_groups"),
    [
        ({}, [], True),
        (FOUND, ["subnet-z"], True),
        ({"__login_balancer_adoption": {"balancer_adoption": WITHOUT_GROUPS}}, ["subnet-z"], False),
        ({"__login_balancer_adoption": {"balancer_adoption": {"load_balancer": {"exists": False}}}}, [], True),
    ],
)
def test_the_adopted_resources_are_recorded(variables: dict[str, t.Any], more: dict[str, t.Any], subnets: list[str], takes_groups: bool) -> None:
    found = adopted.adopted({**variables, **more})
    assert (found.subnets, found.takes_groups) == (subnets, takes_groups)


@pytest.mark.parametrize(
    ("targets", "left"),
    [
        ([], False),
        ([TARGET], True),
        ([{**TARGET, "port": 22}], False),
        ([{**TARGET, "health": "unhealthy"}], False),
        ([{**TARGET, "decision": "out"}], False),
        ([{**TARGET, "instance_id": None}], False),
        ([{**TARGET, "instance_id": "i-drained"}], False),
    ],
)
def test_a_hand_back_that_would_lose_a_healthy_target_is_refused(variables: dict[str, t.Any], targets: list[dict[str, t.Any]], left: bool) -> None:
    run = {"hyperpod_run": {"records": {"drained": {"i-drained": {}}}}, "login_balancer_adopted": ADOPTED}
    found = adopted.give_back({**variables, **FOUND, **run, "__login_balancer_returned": {"targets": targets}})
    refusal = (
        "Target group foreign-tg can't be handed back yet. These nodes are healthy at port 222, but not at port 22, "
        "which was used before the adoption: i-1. Check their status, sshd and security group rules, then run again."
    )
    assert (texts(found.refusals), found.port, found.restores_groups) == ([refusal] if left else [], 22, True)
    assert found.drained == ["i-drained"]


@pytest.mark.parametrize(("exists", "groups", "restores"), [(True, ["sg-foreign"], True), (True, [], False), (False, ["sg-foreign"], False)])
def test_security_groups_are_restored_if_the_balancer_had_some(
    variables: dict[str, t.Any], exists: bool, groups: list[str], restores: bool
) -> None:
    read = {**READ, "load_balancer": {**READ["load_balancer"], "exists": exists}}
    recorded = {**ADOPTED, "load_balancer": {**ADOPTED["load_balancer"], "security_groups": groups}}
    given = {"__login_balancer_adoption": {"balancer_adoption": read}, "login_balancer_adopted": recorded}
    assert adopted.give_back({**variables, **given}).restores_groups is restores


def test_nodes_in_service_are_registered_at_the_previous_port(variables: dict[str, t.Any]) -> None:
    states = (("i-1", "healthy"), ("i-1", "unused"), ("i-2", "draining"), (None, "healthy"), ("i-3", None), ("i-4", "unhealthy"))
    targets = [{"instance_id": instance_id, "health": health} for instance_id, health in states]
    given = {"login_balancer_adopted": ADOPTED, "__login_targets_read": {**PORTS, "targets": targets}}
    assert adopted.give_back({**variables, **FOUND, **given}).verified == ["i-1", "i-4"]
