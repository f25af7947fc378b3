# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Balancers that stand move to other ports by runs of the roles login_balancer and login_targets, without an address that nobody serves."""

from __future__ import annotations

import typing as t

import pytest
from ansible.release import __version__
from simulated import balancer_world
from simulated.balancer_world import World, eventually

pytestmark = pytest.mark.skipif(__version__.startswith("2.19."), reason="what it shows is the same on every ansible-core")
BEFORE = {"login_balancer_people_port": 22, "login_balancer_gate_port": 2022}
THEIRS = {"login_balancer_adopt_load_balancer": "theirs", "login_balancer_adopt_target_group": "theirs"}
PUT_BACK = ("ModifyTargetGroup", "RegisterTargets", "DeregisterTargets", "SetSecurityGroups")
KEEP = ("login_targets cluster/deregister", "login_balancer main", "login_targets main")


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    """A balancer in the form of before: people at port 22, the health check at 2022."""
    with balancer_world.world(tmp_path_factory.mktemp("standing")) as world:
        run = world.run(*KEEP, **BEFORE)
        assert run.rc == 0 and run.in_effect == {}, run.output
        yield world


@pytest.mark.slow
class TestClusterThatStands:
    """In this order: each test goes on where the one before ended."""

    def test_before(self, standing: World):
        assert standing.targets() == standing.everybody_at(22)
        assert standing.ports_open() == {"nodes": {22, 2022}, "balancer": {22, 2022}}

    def test_a_port_that_login_nodes_would_not_open_is_refused(self, standing: World):
        """A variable of one role alone: the balancer would come to a port on which nothing listens."""
        run = standing.run("login_balancer cluster/declared", login_balancer_people_port=333)
        told = " ".join(run.output.split())
        assert run.rc != 0 and run.changes == [] and "uses port 333, but login nodes would open another one: 222 for the host of" in told, told
        assert told.count("222 for ml-i-") >= len(standing.nodes)

    def test_a_node_that_could_not_be_reached_keeps_its_target_and_the_old_health_check(self, standing: World):
        seen, missed = standing.nodes
        run = standing.run("login_balancer cluster/declared", *KEEP, verified=[seen])
        assert run.rc == 0 and run.in_effect == {"targets": [22], "health": 2022}, run.output
        assert standing.targets() == {(standing.nodes[seen], 222), (standing.nodes[missed], 22)}
        assert standing.target_group()["HealthCheckPort"] == "2022"
        assert "uses port 2022 until every target is a login node that was verified at port 222" in run.output
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
        run = standing.run("login_balancer main", login_balancer_state="absent", login_balancer_gate_port=224)
        assert run.rc == 0, run.output
        assert standing.ports_open() == {"nodes": set(), "balancer": set()}


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    """A balancer as the article of AWS makes one: targets at port 22, each asked there. It is not named in the policies."""
    with balancer_world.world(tmp_path_factory.mktemp("by_hand")) as world:
        world.aws.control("settings", {"policies": []})
        make_by_hand(world)
        yield world


@pytest.mark.slow
class TestBalancerThatWasAdopted:
    """In this order, too."""

    def test_it_stays_where_nobody_lets_the_load_balancer_in(self, by_hand: World):
        """The rule that stands is for port 22, and rules are not ours to make."""
        adopted = by_hand.run("login_balancer cluster/declared", "adoption cluster/load_balancer", **THEIRS)
        assert adopted.rc == 0 and set(adopted.changes) == {"AddTags"}, adopted.output
        run = by_hand.run(*KEEP, login_balancer_manage_node_rules=False, login_balancer_purge=True)
        assert run.rc != 0 and "RegisterTargets" not in run.changes, run.output
        told = " ".join(run.output.split())
        assert "login_balancer_manage_node_rules: false is not allowed: the nodes' security groups" in told, told
        assert "TCP 222, 223. Allowed: true, or rules of sg-" in told, told
        # Its own security group is gone, and with it what let it go to port 22.
        assert by_hand.ports_open() == {"nodes": set(), "balancer": {22, 222, 223}}
        assert by_hand.targets() == by_hand.everybody_at(22)

    def test_it_moves_with_the_port_that_it_has(self, by_hand: World):
        run = by_hand.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": []}, run.output
        assert by_hand.targets() == by_hand.everybody_at(222)
        assert by_hand.target_group()["HealthCheckPort"] == "223"
        assert by_hand.ports_open() == {"nodes": {222, 223}, "balancer": {222, 223}}

    def test_teardown_stops_where_a_node_would_be_left_without_a_port(self, by_hand: World):
        silent = min(by_hand.nodes)
        by_hand.answers(silent, 22, False)
        run = by_hand.run("login_balancer main", login_balancer_state="absent", login_balancer_healthy_timeout=8)
        told = " ".join(run.output.split())
        assert run.rc != 0 and f"{silent} is healthy at port 222, and not at 22, the port before the adoption" in told, told
        order = [each for each in run.changes if each in PUT_BACK]
        wanted = ["SetSecurityGroups", "ModifyTargetGroup", "RegisterTargets", "DeregisterTargets"]
        assert order == wanted and "RemoveTags" not in run.changes
        assert (by_hand.nodes[silent], 222) in by_hand.targets()
        by_hand.answers(silent, 22, True)

    def test_teardown_lets_people_in_where_they_came_before(self, by_hand: World):
        """Also after a run that died when the tags of the load balancer were gone."""
        balancer = by_hand.elbv2.describe_load_balancers()["LoadBalancers"][0]["LoadBalancerArn"]
        tags = by_hand.elbv2.describe_tags(ResourceArns=[balancer])["TagDescriptions"][0]["Tags"]
        by_hand.elbv2.remove_tags(ResourceArns=[balancer], TagKeys=[tag["Key"] for tag in tags])
        run = by_hand.run("login_balancer main", login_balancer_state="absent")
        assert tags and run.rc == 0, run.output
        assert by_hand.targets() == by_hand.everybody_at(22)
        assert by_hand.target_group()["HealthCheckPort"] == "traffic-port"
        assert [each for each in run.changes if each in PUT_BACK] == ["DeregisterTargets", "SetSecurityGroups"]


def make_by_hand(world: World) -> None:
    """Load balancer and target group ``theirs``, and a rule for the whole VPC."""
    port = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.1.0.0/16"}]}
    world.ec2.authorize_security_group_ingress(GroupId=world.group, IpPermissions=[port])
    group = world.elbv2.create_target_group(Name="theirs", Protocol="TCP", Port=22, VpcId=world.vpc, TargetType="ip")
    arn = group["TargetGroups"][0]["TargetGroupArn"]
    made = world.elbv2.create_load_balancer(
        Name="theirs", Type="network", Scheme="internal", Subnets=[world.subnet], SecurityGroups=[world.group]
    )["LoadBalancers"][0]
    forward = [{"Type": "forward", "TargetGroupArn": arn}]
    listener = {"LoadBalancerArn": made["LoadBalancerArn"], "Protocol": "TCP", "Port": 22}
    world.elbv2.create_listener(**listener, DefaultActions=forward)
    world.elbv2.register_targets(TargetGroupArn=arn, Targets=[{"Id": ip} for ip in world.nodes.values()])
    eventually(lambda: _drained(world))


def _drained(world: World) -> None:
    arn = world.target_group()["TargetGroupArn"]
    found = world.elbv2.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
    assert {each["TargetHealth"]["State"] for each in found} == {"healthy"}
