# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers, listeners, target groups and their network interfaces, by boto3 against the simulator."""

from __future__ import annotations

import json
import time
import typing as t
import urllib.request

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from lab.aws.elbv2.resources import Target


class World:
    """A simulator of its own with a VPC, two subnets and a security group."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.elb = self.client("elbv2")
        self.ec2 = self.client("ec2")
        self.vpc = self.ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        self.a = self.subnet("10.1.1.0/24", "us-west-2a")
        self.b = self.subnet("10.1.2.0/24", "us-west-2b")
        self.c = self.subnet("10.1.3.0/24", "us-west-2c")
        self.sg = self.group("balancer")
        self.names = iter(f"hp-{number}" for number in range(1000))
        self.post("/lab/settings", {"health_check_scale": 0.01, "drain_scale": 0.005, "transition_seconds": 0.05, "elb_unseen_seconds": 0})

    def client(self, service: str) -> t.Any:
        return boto3.client(
            service,
            region_name="us-west-2",
            endpoint_url=self.url,
            aws_access_key_id="AKIA111111111111",
            aws_secret_access_key="x",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def post(self, path: str, body: t.Any) -> t.Any:
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def subnet(self, cidr: str, zone: str) -> str:
        return self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"]["SubnetId"]

    def group(self, name: str) -> str:
        return self.ec2.create_security_group(GroupName=name, Description=name, VpcId=self.vpc)["GroupId"]

    def balancer(self, **options: t.Any) -> dict[str, t.Any]:
        options = {
            "Name": next(self.names),
            "Type": "network",
            "Scheme": "internal",
            "Subnets": [self.a, self.b],
            "SecurityGroups": [self.sg],
            **options,
        }
        made = self.elb.create_load_balancer(**{key: value for key, value in options.items() if value is not None})
        return made["LoadBalancers"][0]

    def target_group(self, **options: t.Any) -> str:
        wanted = {
            "Name": next(self.names),
            "Protocol": "TCP",
            "Port": 22,
            "VpcId": self.vpc,
            "TargetType": "ip",
            "HealthCheckPort": "2022",
            "HealthCheckIntervalSeconds": 10,
            "HealthyThresholdCount": 2,
            "UnhealthyThresholdCount": 2,
            **options,
        }
        return self.elb.create_target_group(**wanted)["TargetGroups"][0]["TargetGroupArn"]

    def listener(self, balancer: str, group: str, port: int = 22) -> dict[str, t.Any]:
        actions = [{"Type": "forward", "TargetGroupArn": group}]
        made = self.elb.create_listener(LoadBalancerArn=balancer, Protocol="TCP", Port=port, DefaultActions=actions)
        return made["Listeners"][0]

    def health(self, group: str) -> dict[str, tuple[str, str | None]]:
        found = self.elb.describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
        return {one["Target"]["Id"]: (one["TargetHealth"]["State"], one["TargetHealth"].get("Reason")) for one in found}

    def await_health(self, group: str, expected: dict[str, tuple[str, str | None]]) -> None:
        deadline = time.monotonic() + 5
        while self.health(group) != expected and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.health(group) == expected


@pytest.fixture(scope="module")
def world(simulator: str) -> World:
    return World(simulator)


def refused(code: str, call: t.Callable[..., t.Any], **arguments: t.Any) -> None:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    assert error.value.response["Error"]["Code"] == code


def attributes(found: dict[str, t.Any]) -> dict[str, str]:
    return {one["Key"]: one["Value"] for one in found["Attributes"]}


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


def test_the_first_look_at_what_was_just_made_finds_nothing(world: World) -> None:
    world.post("/lab/settings", {"elb_unseen_seconds": 5})
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


def test_security_groups_need_one_from_the_start(world: World) -> None:
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
    deadline = time.monotonic() + 5
    while world.ec2.describe_network_interfaces(**described)["NetworkInterfaces"] and time.monotonic() < deadline:
        time.sleep(0.1)
    world.ec2.delete_security_group(GroupId=group)
    world.elb.delete_load_balancer(LoadBalancerArn=arn)


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
    assert world.health(group)["10.1.1.11"][0] == "initial"
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
    asked = world.elb.describe_target_health(TargetGroupArn=group, Targets=[{"Id": "10.1.1.11"}])
    assert asked["TargetHealthDescriptions"][0]["TargetHealth"]["Reason"] == "Target.NotRegistered"


def test_an_address_at_two_ports_is_two_targets(world: World) -> None:
    """Each is asked at its own port, or both where the group says so, and leaves for itself."""
    balancer, group = world.balancer()["LoadBalancerArn"], world.target_group(HealthCheckPort="traffic-port")
    world.listener(balancer, group)
    address = "10.1.1.31"
    world.post("/lab/health", {"ip": address, "port": 222, "answers": False})
    world.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": address}, {"Id": address, "Port": 222}])

    def seen() -> dict[int, tuple[str, str]]:
        found = world.elb.describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
        return {one["Target"]["Port"]: (one["HealthCheckPort"], one["TargetHealth"]["State"]) for one in found}

    def await_seen(expected: dict[int, tuple[str, str]]) -> None:
        deadline = time.monotonic() + 5
        while seen() != expected and time.monotonic() < deadline:
            time.sleep(0.02)
        assert seen() == expected

    await_seen({22: ("22", "healthy"), 222: ("222", "unhealthy")})
    world.elb.modify_target_group(TargetGroupArn=group, HealthCheckPort="223")
    await_seen({22: ("223", "healthy"), 222: ("223", "healthy")})
    world.elb.deregister_targets(TargetGroupArn=group, Targets=[{"Id": address, "Port": 22}])
    await_seen({22: ("223", "draining"), 222: ("223", "healthy")})
    await_seen({222: ("223", "healthy")})


def test_registration_takes_its_time(world: World) -> None:
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
