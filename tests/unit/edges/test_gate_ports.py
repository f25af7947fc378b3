# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Balancers that stand move to other ports by runs of role login_balancer, without an address that nobody serves."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from simulated import balancer_world
from simulated.balancer_world import World, eventually

pytestmark = pytest.mark.skipif(__version__.startswith("2.19."), reason="what it shows is the same on every ansible-core")
BEFORE = {"login_balancer_people_port": 22, "login_balancer_gate_port": 2022}
KEEP = ("deregister", "main", "register")


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    """A balancer in the form of before: people at port 22, the health check at 2022."""
    with balancer_world.world(tmp_path_factory.mktemp("standing")) as world:
        run = world.run(*KEEP, **BEFORE)
        assert run.rc == 0 and run.in_effect == {}, run.output
        yield world


class TestClusterThatStands:
    """In this order: each test goes on where the one before ended."""

    def test_before(self, standing: World):
        assert standing.targets() == standing.everybody_at(22)
        assert standing.ports_open() == {"nodes": {22, 2022}, "balancer": {22, 2022}}

    def test_a_node_that_could_not_be_reached_keeps_its_target_and_the_old_health_check(self, standing: World):
        seen, missed = standing.nodes
        run = standing.run("declared", *KEEP, verified=[seen])
        assert run.rc == 0 and run.in_effect == {"targets": [22], "health": 2022}, run.output
        assert standing.targets() == {(standing.nodes[seen], 222), (standing.nodes[missed], 22)}
        assert standing.target_group()["HealthCheckPort"] == "2022"
        assert "still asks port 2022, until every target is a login node that was verified at port 222" in run.output
        assert standing.ports_open() == {"nodes": {22, 222, 223, 2022}, "balancer": {22, 222, 223, 2022}}
        order = [each for each in run.changes if each.endswith(("Targets", "Ingress"))]
        assert order == ["AuthorizeSecurityGroupIngress"] * 2 + ["RegisterTargets", "DeregisterTargets"]

    def test_the_health_check_follows_when_all_have_moved(self, standing: World):
        run = standing.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": [22, 222], "health": 2022}, run.output
        assert run.changes == ["RegisterTargets", "DeregisterTargets", "ModifyTargetGroup"], run.output
        assert standing.targets() == standing.everybody_at(222)
        assert standing.target_group()["HealthCheckPort"] == "223"

    def test_rules_for_the_old_ports_go_when_nothing_drains_there(self, standing: World):
        eventually(lambda: _drained(standing))
        run = standing.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": [222], "health": 223}, run.output
        assert run.changes.count("RevokeSecurityGroupIngress") == 2, run.changes
        assert standing.ports_open() == {"nodes": {222, 223}, "balancer": {222, 223}}
        assert standing.run(*KEEP).changes == []

    def test_another_gate_port_waits_for_the_gates(self, standing: World):
        seen, _missed = standing.nodes
        run = standing.run(*KEEP, verified=[seen], login_balancer_gate_port=224)
        assert run.rc == 0 and run.in_effect == {"targets": [222], "health": 223}, run.output
        assert standing.target_group()["HealthCheckPort"] == "223" and standing.targets() == standing.everybody_at(222)

    def test_teardown_takes_rules_for_all_ports_away(self, standing: World):
        run = standing.run("main", login_balancer_state="absent", login_balancer_gate_port=224)
        assert run.rc == 0, run.output
        assert standing.ports_open() == {"nodes": set(), "balancer": set()}


def _drained(world: World) -> None:
    arn = world.target_group()["TargetGroupArn"]
    found = world.elbv2.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
    assert {each["TargetHealth"]["State"] for each in found} == {"healthy"}
