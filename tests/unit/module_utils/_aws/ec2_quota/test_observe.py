# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of quotas and usage: which calls a plan needs, and their errors."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.model import Planned, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.observe import Observer

P5, G5 = "p5.48xlarge", "g5.8xlarge"
STATES = {"Filters": [{"Name": "instance-state-name", "Values": ["pending", "running", "shutting-down"]}]}
ACTIVE = {"Filters": [{"Name": "state", "Values": ["active"]}]}
OPEN = {"Filters": [{"Name": "state", "Values": ["open"]}]}
NATS = {"Filter": [{"Name": "state", "Values": ["pending", "available", "deleting"]}]}


class World:
    """Stubbed services. Each service can be connected only if a test has created it."""

    def __init__(self, stubbed: t.Any, *services: str) -> None:
        made = {service: stubbed(service) for service in ("ec2", "service-quotas", *services)}
        self.apis = {service: Api(client) for service, (client, _stub) in made.items()}
        self.stubs = {service: stub for service, (_client, stub) in made.items()}
        self.ec2 = self.stubs["ec2"]

    def read(self, **planned: t.Any) -> State:
        return self.observer(**planned)()

    def observer(self, **planned: t.Any) -> Observer:
        return Observer(self.apis.__getitem__, Planned(**planned))

    def lists(self, operation: str, service: str, *quotas: tuple[str, str, float | None]) -> None:
        listed = [
            {"ServiceCode": service, "QuotaCode": code, "QuotaName": name, "Adjustable": True, **({} if value is None else {"Value": value})}
            for code, name, value in quotas
        ]
        self.stubs["service-quotas"].add_response(operation, {"Quotas": listed}, {"ServiceCode": service})

    def has_instances(self, *instances: dict[str, t.Any]) -> None:
        self.ec2.add_response("describe_instances", {"Reservations": [{"Instances": [each]} for each in instances]}, STATES)

    def has_reservations(self, *reservations: dict[str, t.Any]) -> None:
        self.ec2.add_response("describe_capacity_reservations", {"CapacityReservations": list(reservations)}, ACTIVE)

    def has_account(self) -> None:
        self.stubs["sts"].add_response("get_caller_identity", {"Account": "111111111111"})

    def describes(self, wanted: list[str], **vcpus: t.Any) -> None:
        described = [{"InstanceType": name.replace("_", "."), **info} for name, info in vcpus.items()]
        given = {"Filters": [{"Name": "instance-type", "Values": wanted}]}
        self.ec2.add_response("describe_instance_types", {"InstanceTypes": described}, given)


def cores(count: int) -> dict[str, t.Any]:
    return {"VCpuInfo": {"DefaultVCpus": count}}


def test_a_plan_of_nothing_needs_no_call(stubbed: t.Any) -> None:
    assert World(stubbed).read() == State(instances={})


def test_on_demand_instances(stubbed: t.Any) -> None:
    world = World(stubbed, "sts")
    world.has_instances({"InstanceType": G5}, {"InstanceType": G5, "InstanceLifecycle": "spot"}, {"InstanceType": P5, "CapacityReservationId": "cr-2"})
    others = {"CapacityReservationId": "cr-2", "OwnerId": "222222222222", "InstanceType": P5, "TotalInstanceCount": 8}
    world.has_reservations({"CapacityReservationId": "cr-1", "OwnerId": "111111111111", "InstanceType": P5, "TotalInstanceCount": 2}, others)
    world.has_account()
    world.lists("list_service_quotas", "ec2", ("L-417A185B", "Running On-Demand P instances", 192.0), ("L-1", "Other", 1.0))
    world.describes([G5, P5], g5_8xlarge=cores(32), p5_48xlarge=cores(192))
    found = world.read(instances={(P5, "on_demand"): 1})
    assert dict(found.instances) == {(G5, "on_demand"): 1, (G5, "spot"): 1, (P5, "on_demand"): 2}
    assert ({code: each.value for code, each in found.quotas.items()}, found.vcpus) == ({"L-417A185B": 192.0}, {G5: 32, P5: 192})


def test_spot_instances_need_the_open_requests(stubbed: t.Any) -> None:
    world = World(stubbed, "sts")
    world.has_instances()
    world.has_reservations()
    request = {"LaunchSpecification": {"InstanceType": P5}, "State": "open"}
    world.ec2.add_response("describe_spot_instance_requests", {"SpotInstanceRequests": [request]}, OPEN)
    world.has_account()
    listed = (("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 0.0), ("L-C4BD4855", "All P5 Spot Instance Requests", 0.0))
    world.lists("list_service_quotas", "ec2", listed[0])
    world.lists("list_aws_default_service_quotas", "ec2", *listed)
    world.describes([P5], p5_48xlarge=cores(192))
    found = world.read(instances={(P5, "spot"): 1})
    assert dict(found.instances) == {(P5, "spot"): 1} and sorted(found.quotas) == ["L-7212CCBC", "L-C4BD4855"]


def test_a_type_without_vcpus_and_a_quota_without_a_value_are_unknown(stubbed: t.Any) -> None:
    """AWS lists a quota that it could not read without a value; the default is then not the account's value."""
    world = World(stubbed, "sts")
    world.has_instances()
    world.has_reservations()
    world.has_account()
    world.lists("list_service_quotas", "ec2", ("L-417A185B", "Running On-Demand P instances", None))
    world.describes(["p5.48xlarge", "p9.48xlarge"], p5_48xlarge={})
    found = world.read(instances={(P5, "on_demand"): 1, ("p9.48xlarge", "on_demand"): 1})
    assert (found.vcpus, found.quotas) == ({}, {})


def test_types_are_described_in_parts(stubbed: t.Any) -> None:
    world = World(stubbed, "sts")
    world.has_instances()
    world.has_reservations()
    world.has_account()
    world.lists("list_service_quotas", "ec2", ("L-417A185B", "Running On-Demand P instances", 1.0))
    names = [f"p5.{number:03}" for number in range(101)]
    world.describes(names[:100])
    world.describes(names[100:])
    assert world.read(instances={(name, "on_demand"): 1 for name in names}).vcpus == {}


def test_resources(stubbed: t.Any) -> None:
    world = World(stubbed, "eks")
    world.lists("list_service_quotas", "ec2", ("L-0263D0A3", "EC2-VPC Elastic IPs", 5.0))
    world.lists("list_service_quotas", "vpc", ("L-F678F1CE", "VPCs per Region", 5.0), ("L-FE5A380F", "NAT gateways per Availability Zone", 5.0))
    world.lists("list_service_quotas", "eks", ("L-1194D53C", "Clusters", 100.0))
    world.ec2.add_response("describe_vpcs", {"Vpcs": [{"VpcId": "vpc-1"}, {"VpcId": "vpc-2"}]})
    world.ec2.add_response("describe_addresses", {"Addresses": [{"Domain": "vpc", "PublicIpv4Pool": "amazon"}]})
    world.stubs["eks"].add_response("list_clusters", {"clusters": ["a", "b", "c"]})
    world.ec2.add_response("describe_nat_gateways", {"NatGateways": [{"SubnetId": "subnet-1"}, {"NatGatewayAddresses": []}]}, NATS)
    subnet = {"SubnetId": "subnet-1", "AvailabilityZone": "us-west-2a", "VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24"}
    world.ec2.add_response("describe_subnets", {"Subnets": [subnet]}, {"Filters": [{"Name": "subnet-id", "Values": ["subnet-1"]}]})
    found = world.read(vpcs=1, elastic_ips=1, eks_clusters=1, nat_gateways={"us-west-2a": 1})
    assert (found.vpcs, found.elastic_ips, found.eks_clusters, found.nat_gateways) == (2, 1, 3, {"us-west-2a": 1})
    assert sorted(found.quotas) == ["L-0263D0A3", "L-1194D53C", "L-F678F1CE", "L-FE5A380F"] and not found.vcpus and not found.instances


@pytest.mark.parametrize(
    ("service", "operation", "planned"),
    [
        ("ec2", "describe_instances", {"instances": {(P5, "on_demand"): 1}}),
        ("service-quotas", "list_service_quotas", {"vpcs": 1}),
        ("eks", "list_clusters", {"eks_clusters": 1}),
    ],
)
def test_a_failed_read_fails_and_is_not_an_unknown_quota(stubbed: t.Any, service: str, operation: str, planned: dict[str, t.Any]) -> None:
    world = World(stubbed, "eks")
    if service == "eks":
        world.lists("list_service_quotas", "eks", ("L-1194D53C", "Clusters", 100.0))
    world.stubs[service].add_client_error(operation, "AccessDeniedException")
    with pytest.raises(AwsError, match="allow the action for the calling role"):
        world.read(**planned)


def test_the_highest_open_request_is_pending(stubbed: t.Any) -> None:
    world = World(stubbed)
    world.lists("list_service_quotas", "vpc", ("L-F678F1CE", "VPCs per Region", 5.0))
    world.ec2.add_response("describe_vpcs", {"Vpcs": []})
    observer = world.observer(vpcs=1)
    quota = observer().quotas["L-F678F1CE"]
    moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    requests = [{"Status": status, "DesiredValue": value, "Created": moment} for status, value in (("DENIED", 9.0), ("PENDING", 6.0), ("CASE_OPENED", 7.0))]
    history = {"ServiceCode": "vpc", "QuotaCode": "L-F678F1CE"}
    world.stubs["service-quotas"].add_response("list_requested_service_quota_change_history_by_quota", {"RequestedQuotas": requests}, history)
    assert observer.pending(quota) == 7.0
