# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target groups and the health of their targets, by boto3 against the simulator."""

from __future__ import annotations

import time

import pytest
from elbv2_account import World, refused
from lab.aws.elbv2.resources import Target


def test_target_group_in_use(world: World) -> None:
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group()
    listener = world.listener(balancer, group)["ListenerArn"]
    refused("ResourceInUse", world.elb.delete_target_group, TargetGroupArn=group)
    world.elb.delete_listener(ListenerArn=listener)
    world.elb.delete_target_group(TargetGroupArn=group)
    refused("TargetGroupNotFound", world.elb.describe_target_groups, TargetGroupArns=[group])


def test_addresses_outside_of_the_vpc(world: World) -> None:
    group = world.target_group()
    refused("InvalidTarget", world.elb.register_targets, TargetGroupArn=group, Targets=[{"Id": "10.9.0.1"}])
    refused("InvalidTarget", world.elb.register_targets, TargetGroupArn=group, Targets=[{"Id": "i-0123456789abcdef0"}])
    world.ec2.associate_vpc_cidr_block(VpcId=world.vpc, CidrBlock="10.9.0.0/16")
    blocks = world.ec2.describe_vpcs(VpcIds=[world.vpc])["Vpcs"][0]["CidrBlockAssociationSet"]
    assert [block["CidrBlock"] for block in blocks] == ["10.1.0.0/16", "10.9.0.0/16"]
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": "10.9.0.1"}])
    assert world.health(group) == {"10.9.0.1": ("unused", "Target.NotInUse")}


def test_health_of_targets(world: World) -> None:
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group()
    addresses = ["10.1.1.11", "10.1.2.11", "10.1.3.11"]
    world.post("/lab/health", {"ip": "10.1.2.11", "port": 2022, "answers": False})
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": address} for address in addresses])
    assert set(world.health(group).values()) == {("unused", "Target.NotInUse")}
    world.listener(balancer, group)
    assert world.health(group)["10.1.1.11"][0] in ("initial", "healthy")
    healthy, zone_off = ("healthy", None), ("unused", "Target.NotInUse")
    failed = ("unhealthy", "Target.FailedHealthChecks")
    world.await_health(group, dict(zip(addresses, (healthy, failed, zone_off))))
    world.post("/lab/health", {"ip": "10.1.2.11", "port": 2022, "answers": True})
    world.await_health(group, dict(zip(addresses, (healthy, healthy, zone_off))))
    world.elb.deregister_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.11"}, {"Id": "10.1.1.99"}])
    assert world.health(group)["10.1.1.11"] == ("draining", "Target.DeregistrationInProgress")
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.11"}])
    world.await_health(group, dict(zip(addresses, (healthy, healthy, zone_off))))
    world.elb.deregister_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.11"}])
    world.await_health(group, dict(zip(addresses[1:], (healthy, zone_off))))
    described = world.elb.describe_target_health(TargetGroupArn=group, Targets=[{"Id": "10.1.1.11"}])
    assert described["TargetHealthDescriptions"][0]["TargetHealth"]["Reason"] == "Target.NotRegistered"


def test_an_address_at_two_ports_is_two_targets(world: World) -> None:
    """Each is checked at its own port, or both at the port of the group, and each is deregistered separately."""
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group(HealthCheckPort="traffic-port")
    world.listener(balancer, group)
    address = "10.1.1.31"
    world.post("/lab/health", {"ip": address, "port": 222, "answers": False})
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": address}, {"Id": address, "Port": 222}])

    def health() -> dict[int, tuple[str, str]]:
        found = world.elb.describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
        return {one["Target"]["Port"]: (one["HealthCheckPort"], one["TargetHealth"]["State"]) for one in found}

    def await_health(expected: dict[int, tuple[str, str]]) -> None:
        deadline = time.monotonic() + 60
        while health() != expected and time.monotonic() < deadline:
            time.sleep(0.02)
        assert health() == expected

    await_health({22: ("22", "healthy"), 222: ("222", "unhealthy")})
    world.elb.modify_target_group(TargetGroupArn=group, HealthCheckPort="223")
    await_health({22: ("223", "healthy"), 222: ("223", "healthy")})
    world.elb.deregister_targets(TargetGroupArn=group, Targets=[{"Id": address, "Port": 22}])
    await_health({22: ("223", "draining"), 222: ("223", "healthy")})
    await_health({222: ("223", "healthy")})


def test_registration_takes_a_while(world: World) -> None:
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group()
    world.listener(balancer, group)
    world.post("/lab/settings", {"registration_seconds": 3600})
    try:
        world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.31"}])
    finally:
        world.post("/lab/settings", {"registration_seconds": 0})
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.31"}, {"Id": "10.1.1.32"}])
    registering = ("initial", "Elb.RegistrationInProgress")
    world.await_health(group, {"10.1.1.31": registering, "10.1.1.32": ("healthy", None)})


@pytest.mark.parametrize(("seconds", "draining"), [(0.0, True), (3600.0, False)])
def test_a_target_that_was_deregistered_may_get_connections_for_a_while(seconds: float, draining: bool) -> None:
    target = Target("10.1.1.11", 22, "us-west-2a", leaves_at=time.monotonic() + 7200, routed_until=time.monotonic() + seconds)
    assert target.draining and (not target.routed) is draining


def test_security_groups_decide_health(world: World) -> None:
    nodes = world.group("nodes")
    world.ec2.create_network_interface(SubnetId=world.a, PrivateIpAddress="10.1.1.21", Groups=[nodes])
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group()
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": "10.1.1.21"}])
    world.listener(balancer, group)
    world.await_health(group, {"10.1.1.21": ("unhealthy", "Target.Timeout")})
    permission = {"FromPort": 2022, "ToPort": 2022, "IpProtocol": "tcp", "UserIdGroupPairs": [{"GroupId": world.sg}]}
    world.ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=[permission])
    world.await_health(group, {"10.1.1.21": ("healthy", None)})
