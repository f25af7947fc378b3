# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Existing balancers move to other ports by runs of the roles login_balancer and login_targets, without an interruption."""

from __future__ import annotations

import typing as t

import pytest
from ansible.release import __version__
from simulated import balancer_world
from simulated.balancer_world import World, eventually

pytestmark = pytest.mark.skipif(__version__.startswith("2.19."), reason="the behaviour is the same on every ansible-core")
BEFORE = {"login_balancer_people_port": 22, "login_balancer_gate_port": 2022}
ADOPTED = {"login_balancer_adopt_load_balancer": "manual", "login_balancer_adopt_target_group": "manual"}
PUT_BACK = ("ModifyTargetGroup", "RegisterTargets", "DeregisterTargets", "SetSecurityGroups")
KEEP = ("login_targets cluster/deregister", "login_balancer main", "login_targets main")


@pytest.fixture(scope="module")
def existing(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    """A balancer of an earlier release: people use port 22, and the health check port 2022."""
    with balancer_world.world(tmp_path_factory.mktemp("existing")) as world:
        run = world.run(*KEEP, **BEFORE)
        assert run.rc == 0 and run.in_effect == {}, run.output
        yield world


@pytest.mark.slow
class TestExistingCluster:
    """The tests run in this order; each continues from the state of the previous one."""

    def test_the_earlier_ports_are_in_use(self, existing: World):
        assert existing.targets() == existing.login_targets(22)
        assert existing.ports_open() == {"nodes": {22, 2022}, "balancer": {22, 2022}}

    def test_a_port_that_login_nodes_do_not_open_is_refused(self, existing: World):
        """A variable of only one role would send logins to a port on which nothing listens."""
        run = existing.run("login_balancer cluster/declared", login_balancer_people_port=333)
        printed = " ".join(run.output.split())
        assert run.rc != 0 and run.changes == [], printed
        assert "uses port 333, but login nodes would open a different port: 222 for the cluster's own" in printed, printed
        assert printed.count("222 for ml-i-") >= len(existing.nodes)

    def test_an_unreached_node_keeps_its_target_and_the_old_health_check(self, existing: World):
        seen, missed = existing.nodes
        run = existing.run("login_balancer cluster/declared", *KEEP, verified=[seen])
        assert run.rc == 0 and run.in_effect == {"targets": [22], "health": 2022}, run.output
        assert existing.targets() == {(existing.nodes[seen], 222), (existing.nodes[missed], 22)}
        assert existing.target_group()["HealthCheckPort"] == "2022"
        assert "uses port 2022 until every target is a login node that was verified at port 222" in run.output
        assert existing.ports_open() == {"nodes": {22, 222, 223, 2022}, "balancer": {22, 222, 223, 2022}}
        order = [each for each in run.changes if each.endswith(("Targets", "Ingress"))]
        assert order == ["AuthorizeSecurityGroupIngress"] * 2 + ["RegisterTargets", "DeregisterTargets"]

    def test_the_health_check_moves_after_all_targets(self, existing: World):
        run = existing.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": [22, 222], "health": 2022}, run.output
        assert run.changes == ["RegisterTargets", "DeregisterTargets", "ModifyTargetGroup"], run.output
        assert existing.targets() == existing.login_targets(222)
        assert existing.target_group()["HealthCheckPort"] == "223"

    def test_rules_for_the_old_ports_are_removed_after_the_targets_have_drained(self, existing: World):
        eventually(lambda: _drained(existing))
        run = existing.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": [222], "health": 223}, run.output
        assert run.changes.count("RevokeSecurityGroupIngress") == 2, run.changes
        assert existing.ports_open() == {"nodes": {222, 223}, "balancer": {222, 223}}
        assert existing.run(*KEEP).changes == []

    def test_a_new_gate_port_is_used_only_when_all_gates_have_it(self, existing: World):
        seen, _missed = existing.nodes
        run = existing.run(*KEEP, verified=[seen], login_balancer_gate_port=224)
        assert run.rc == 0 and run.in_effect == {"targets": [222], "health": 223}, run.output
        assert existing.target_group()["HealthCheckPort"] == "223" and existing.targets() == existing.login_targets(222)

    def test_teardown_removes_the_rules_for_all_ports(self, existing: World):
        run = existing.run("login_balancer main", login_balancer_state="absent", login_balancer_gate_port=224)
        assert run.rc == 0, run.output
        assert existing.ports_open() == {"nodes": set(), "balancer": set()}


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    """A balancer as in AWS's article, with targets and health checks on port 22. The policies do not cover it, so none are enforced."""
    with balancer_world.world(tmp_path_factory.mktemp("by_hand")) as world:
        world.aws.control("settings", {"policies": []})
        make_by_hand(world)
        yield world


@pytest.mark.slow
class TestAdoptedBalancer:
    """The tests run in this order; each continues from the state of the previous one."""

    def test_targets_do_not_move_if_the_rules_do_not_admit_the_load_balancer(self, by_hand: World):
        """The existing rule is for port 22, and the role must not manage rules."""
        adopted = by_hand.run("login_balancer cluster/declared", "adoption cluster/load_balancer", **ADOPTED)
        assert adopted.rc == 0 and set(adopted.changes) == {"AddTags"}, adopted.output
        run = by_hand.run(*KEEP, login_balancer_manage_node_rules=False, login_balancer_purge=True)
        assert run.rc != 0 and "RegisterTargets" not in run.changes, run.output
        printed = " ".join(run.output.split())
        assert "login_balancer_manage_node_rules: false is not allowed: the nodes' security groups" in printed, printed
        assert "TCP 222, 223. Allowed: true, or rules of sg-" in printed, printed
        # Its security group was removed, and with it the rule to port 22.
        assert by_hand.ports_open() == {"nodes": set(), "balancer": {22, 222, 223}}
        assert by_hand.targets() == by_hand.login_targets(22)

    def test_targets_move_to_the_new_port(self, by_hand: World):
        run = by_hand.run(*KEEP)
        assert run.rc == 0 and run.in_effect == {"targets": []}, run.output
        assert by_hand.targets() == by_hand.login_targets(222)
        assert by_hand.target_group()["HealthCheckPort"] == "223"
        assert by_hand.ports_open() == {"nodes": {222, 223}, "balancer": {222, 223}}

    def test_teardown_stops_if_a_node_does_not_serve_the_earlier_port(self, by_hand: World):
        silent = min(by_hand.nodes)
        by_hand.answers(silent, 22, False)
        run = by_hand.run("login_balancer main", login_balancer_state="absent", login_balancer_healthy_timeout=8)
        printed = " ".join(run.output.split())
        assert run.rc != 0 and f"healthy at port 222, but not at port 22, which was used before the adoption: {silent}." in printed, printed
        order = [each for each in run.changes if each in PUT_BACK]
        wanted = ["SetSecurityGroups", "ModifyTargetGroup", "RegisterTargets", "DeregisterTargets"]
        assert order == wanted and "RemoveTags" not in run.changes
        assert (by_hand.nodes[silent], 222) in by_hand.targets()
        by_hand.answers(silent, 22, True)

    def test_teardown_restores_the_earlier_port(self, by_hand: World):
        """This also works after a run that was killed when it had removed the tags of the load balancer."""
        balancer = by_hand.elbv2.describe_load_balancers()["LoadBalancers"][0]["LoadBalancerArn"]
        tags = by_hand.elbv2.describe_tags(ResourceArns=[balancer])["TagDescriptions"][0]["Tags"]
        by_hand.elbv2.remove_tags(ResourceArns=[balancer], TagKeys=[tag["Key"] for tag in tags])
        run = by_hand.run("login_balancer main", login_balancer_state="absent")
        assert tags and run.rc == 0, run.output
        assert by_hand.targets() == by_hand.login_targets(22)
        assert by_hand.target_group()["HealthCheckPort"] == "traffic-port"
        assert [each for each in run.changes if each in PUT_BACK] == ["DeregisterTargets", "SetSecurityGroups"]


def make_by_hand(world: World) -> None:
    """Load balancer and target group ``manual``, and a rule for the whole VPC."""
    port = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.1.0.0/16"}]}
    world.ec2.authorize_security_group_ingress(GroupId=world.group, IpPermissions=[port])
    group = world.elbv2.create_target_group(Name="manual", Protocol="TCP", Port=22, VpcId=world.vpc, TargetType="ip")
    arn = group["TargetGroups"][0]["TargetGroupArn"]
    made = world.elbv2.create_load_balancer(
        Name="manual", Type="network", Scheme="internal", Subnets=[world.subnet], SecurityGroups=[world.group]
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
