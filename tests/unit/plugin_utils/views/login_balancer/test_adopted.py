# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is taken over, and given back as it was."""

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
def test_what_is_adopted(variables: dict[str, t.Any], more: dict[str, t.Any], subnets: list[str], takes_groups: bool) -> None:
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
def test_nobody_loses_a_healthy_target(variables: dict[str, t.Any], targets: list[dict[str, t.Any]], left: bool) -> None:
    run = {"hyperpod_run": {"records": {"drained": {"i-drained": {}}}}, "login_balancer_adopted": ADOPTED}
    found = adopted.give_back({**variables, **FOUND, **run, "__login_balancer_returned": {"targets": targets}})
    told = (
        "Target group theirs-tg can't be handed back yet: i-1 is healthy at port 222, and not at 22, the port before the adoption. "
        "Check the node's status, its sshd and its security group rules, then run again."
    )
    assert (texts(found.refusals), found.port, found.restores_groups) == ([told] if left else [], 22, True)
    assert found.drained == ["i-drained"]


@pytest.mark.parametrize(("exists", "groups", "restores"), [(True, ["sg-theirs"], True), (True, [], False), (False, ["sg-theirs"], False)])
def test_groups_are_given_back_to_a_balancer_that_had_some(
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
