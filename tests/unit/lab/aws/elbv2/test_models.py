# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers, listeners and their network interfaces, by boto3 against the simulator."""

from __future__ import annotations

import time
import typing as t

import pytest
from elbv2_account import World, attributes, refused


def test_load_balancer_as_aws_describes_it(world: World) -> None:
    mappings = [{"SubnetId": world.a, "PrivateIPv4Address": "10.1.1.100"}, {"SubnetId": world.b}]
    made = world.balancer(Name="hp-shape", Subnets=None, SubnetMappings=mappings)
    suffix = made["LoadBalancerArn"].rsplit("/", 1)[1]
    assert made["LoadBalancerArn"].endswith(f"111111111111:loadbalancer/net/hp-shape/{suffix}")
    assert made["DNSName"] == f"hp-shape-{suffix}.elb.us-west-2.amazonaws.com"
    assert made["State"] == {"Code": "provisioning"}
    assert made["SecurityGroups"] == [world.sg]
    zones = {zone["ZoneName"]: zone["LoadBalancerAddresses"] for zone in made["AvailabilityZones"]}
    assert zones == {"us-west-2a": [{"PrivateIPv4Address": "10.1.1.100"}], "us-west-2b": []}
    world.elb.get_waiter("load_balancer_available").wait(Names=["hp-shape"], WaiterConfig={"Delay": 1})
    listener = world.listener(made["LoadBalancerArn"], world.target_group())
    assert f":listener/net/hp-shape/{suffix}/" in listener["ListenerArn"]
    assert "SslPolicy" not in listener


def test_the_first_description_misses_new_resources(world: World) -> None:
    world.post("/lab/settings", {"elb_unseen_seconds": 3600})
    try:
        balancer, group = world.balancer(Name="hp-unseen")["LoadBalancerArn"], world.target_group(Name="tg-unseen")
        refused("LoadBalancerNotFound", world.elb.describe_load_balancers, Names=["hp-unseen"])
        refused("TargetGroupNotFound", world.elb.describe_target_groups, TargetGroupArns=[group])
        assert len(world.elb.describe_load_balancers(LoadBalancerArns=[balancer])["LoadBalancers"]) == 1
        assert len(world.elb.describe_target_groups(Names=["tg-unseen"])["TargetGroups"]) == 1
    finally:
        world.post("/lab/settings", {"elb_unseen_seconds": 0})


def test_same_settings_return_the_existing(world: World) -> None:
    first = world.balancer(Name="hp-twice")
    assert world.balancer(Name="hp-twice")["LoadBalancerArn"] == first["LoadBalancerArn"]
    refused("DuplicateLoadBalancerName", world.balancer, Name="hp-twice", Subnets=[world.a])
    group = world.target_group(Name="tg-twice")
    assert world.target_group(Name="tg-twice") == group
    refused("DuplicateTargetGroupName", world.target_group, Name="tg-twice", Port=2200)
    listener = world.listener(first["LoadBalancerArn"], group)
    assert world.listener(first["LoadBalancerArn"], group)["ListenerArn"] == listener["ListenerArn"]
    refused(
        "DuplicateListener", world.listener, balancer=first["LoadBalancerArn"], group=world.target_group()
    )
    other = world.balancer()["LoadBalancerArn"]
    refused("TargetGroupAssociationLimit", world.listener, balancer=other, group=group)


@pytest.mark.parametrize("name", ["internal-x", "-x", "x-", "a_b", "a.b"])
def test_names_of_load_balancers(world: World, name: str) -> None:
    refused("ValidationError", world.balancer, Name=name)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("SubnetNotFound", {"Subnets": ["subnet-0123456789abcdef0"]}),
        ("InvalidSecurityGroup", {"SecurityGroups": ["sg-0123456789abcdef0"]}),
        ("ValidationError", {"Name": "x" * 33}),
        ("InvalidConfigurationRequest", {"Type": "application"}),
    ],
)
def test_refused_load_balancers(world: World, code: str, options: dict[str, t.Any]) -> None:
    refused(code, world.balancer, **options)


DEFAULTS = {
    "load balancer": {
        "deletion_protection.enabled": "false",
        "load_balancing.cross_zone.enabled": "false",
        "dns_record.client_routing_policy": "any_availability_zone",
        "zonal_shift.config.enabled": "false",
    },
    "target group": {
        "deregistration_delay.timeout_seconds": "300",
        "deregistration_delay.connection_termination.enabled": "false",
        "stickiness.enabled": "false",
        "stickiness.type": "source_ip",
        "proxy_protocol_v2.enabled": "false",
        "preserve_client_ip.enabled": "false",
        "target_health_state.unhealthy.connection_termination.enabled": "true",
        "target_health_state.unhealthy.draining_interval_seconds": "0",
        "load_balancing.cross_zone.enabled": "use_load_balancer_configuration",
    },
    "listener": {"tcp.idle_timeout.seconds": "350"},
}


def test_attributes(world: World) -> None:
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group()
    listener = world.listener(balancer, group)["ListenerArn"]
    elb = world.elb
    calls = {
        "load balancer": (
            lambda: elb.describe_load_balancer_attributes(LoadBalancerArn=balancer),
            lambda **new: elb.modify_load_balancer_attributes(LoadBalancerArn=balancer, **new),
        ),
        "target group": (
            lambda: elb.describe_target_group_attributes(TargetGroupArn=group),
            lambda **new: elb.modify_target_group_attributes(TargetGroupArn=group, **new),
        ),
        "listener": (
            lambda: elb.describe_listener_attributes(ListenerArn=listener),
            lambda **new: elb.modify_listener_attributes(ListenerArn=listener, **new),
        ),
    }
    for kind, (describe, _modify) in calls.items():
        found = attributes(describe())
        assert {key: found.get(key) for key in DEFAULTS[kind]} == DEFAULTS[kind]
    for kind, key, value in [
        ("load balancer", "idle_timeout.timeout_seconds", "60"),
        ("load balancer", "deletion_protection.enabled", "yes"),
        ("target group", "lambda.multi_value_headers.enabled", "true"),
        ("target group", "deregistration_delay.timeout_seconds", "3601"),
        ("target group", "target_health_state.unhealthy.draining_interval_seconds", "60"),
        ("listener", "tcp.idle_timeout.seconds", "59"),
        ("listener", "tcp.idle_timeout.seconds", "6001"),
    ]:
        describe, modify = calls[kind]
        before = attributes(describe())
        refused("InvalidConfigurationRequest", modify, Attributes=[{"Key": key, "Value": value}])
        assert attributes(describe()) == before
    calls["listener"][1](Attributes=[{"Key": "tcp.idle_timeout.seconds", "Value": "6000"}])
    assert attributes(calls["listener"][0]()) == {"tcp.idle_timeout.seconds": "6000"}


def test_security_groups_require_one_at_creation(world: World) -> None:
    without = world.balancer(SecurityGroups=None)
    assert "SecurityGroups" not in without
    arn, groups = without["LoadBalancerArn"], [world.sg]
    refused("InvalidConfigurationRequest", world.elb.set_security_groups, LoadBalancerArn=arn, SecurityGroups=groups)
    with_one = world.balancer()["LoadBalancerArn"]
    other = world.group("other")
    world.elb.set_security_groups(LoadBalancerArn=with_one, SecurityGroups=[other])
    found = world.elb.describe_load_balancers(LoadBalancerArns=[with_one])["LoadBalancers"][0]
    assert found["SecurityGroups"] == [other]
    refused("InvalidConfigurationRequest", world.elb.set_security_groups, LoadBalancerArn=with_one, SecurityGroups=[])


def test_deletion_protection_and_interfaces(world: World) -> None:
    group = world.group("of-deleted")
    made = world.balancer(Name="hp-protected", SecurityGroups=[group])
    arn = made["LoadBalancerArn"]
    described = {"Filters": [{"Name": "group-id", "Values": [group]}]}
    interfaces = world.ec2.describe_network_interfaces(**described)["NetworkInterfaces"]
    assert {one["SubnetId"] for one in interfaces} == {world.a, world.b}
    assert {one["Description"] for one in interfaces} == {f"ELB net/hp-protected/{arn.rsplit('/', 1)[1]}"}
    refused("DependencyViolation", world.ec2.delete_security_group, GroupId=group)
    protect = {"LoadBalancerArn": arn, "Attributes": [{"Key": "deletion_protection.enabled", "Value": "true"}]}
    world.elb.modify_load_balancer_attributes(**protect)
    refused("OperationNotPermitted", world.elb.delete_load_balancer, LoadBalancerArn=arn)
    protect["Attributes"][0]["Value"] = "false"
    world.elb.modify_load_balancer_attributes(**protect)
    world.elb.delete_load_balancer(LoadBalancerArn=arn)
    refused("LoadBalancerNotFound", world.elb.describe_load_balancers, LoadBalancerArns=[arn])
    refused("DependencyViolation", world.ec2.delete_security_group, GroupId=group)
    deadline = time.monotonic() + 60
    while world.ec2.describe_network_interfaces(**described)["NetworkInterfaces"] and time.monotonic() < deadline:
        time.sleep(0.1)
    world.ec2.delete_security_group(GroupId=group)
    world.elb.delete_load_balancer(LoadBalancerArn=arn)


def test_tags_and_pages(world: World) -> None:
    arns = [world.target_group(Tags=[{"Key": "pages", "Value": "yes"}]) for _turn in range(5)]
    pages = world.elb.get_paginator("describe_target_groups").paginate(PaginationConfig={"PageSize": 2})
    found = [group["TargetGroupArn"] for page in pages for group in page["TargetGroups"]]
    assert set(arns) <= set(found) and len(found) == len(set(found))
    world.elb.add_tags(ResourceArns=arns[:1], Tags=[{"Key": "more", "Value": "1"}])
    world.elb.remove_tags(ResourceArns=arns[1:2], TagKeys=["pages"])
    described = world.elb.describe_tags(ResourceArns=arns[:2])["TagDescriptions"]
    tags = [{tag["Key"]: tag["Value"] for tag in one["Tags"]} for one in described]
    assert tags == [{"pages": "yes", "more": "1"}, {}]


def test_set_subnets(world: World) -> None:
    made = world.balancer(Subnets=[world.a])
    arn = made["LoadBalancerArn"]
    world.elb.set_subnets(LoadBalancerArn=arn, Subnets=[world.a, world.b])
    found = world.elb.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"][0]
    assert {zone["SubnetId"] for zone in found["AvailabilityZones"]} == {world.a, world.b}
    second = world.subnet("10.1.4.0/24", "us-west-2a")
    refused("InvalidConfigurationRequest", world.elb.set_subnets, LoadBalancerArn=arn, Subnets=[world.a, second])
