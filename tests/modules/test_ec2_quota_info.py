# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ec2_quota_info against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from simulated.shape import reads

P, G = "Running On-Demand P instances", "Running On-Demand G and VT instances"
STANDARD = "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"
STANDARD_SPOT = "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests"
P5_SPOT = "All P5 Spot Instance Requests"
COLUMNS = ("used", "planned", "value", "sufficient")


@pytest.fixture
def quota_info(simulator):
    """A function that runs the module and returns its result, and its quotas by name."""

    def run(**options: t.Any) -> tuple[dict[str, t.Any], dict[str, dict[str, t.Any]]]:
        found = reads(simulator, "ec2_quota_info", **options)
        return found, {each["name"]: each for each in found["quotas"]}

    yield run
    simulator.control("settings", {"service_quotas": {}, "capacity_reservations": {}})


@pytest.fixture
def running(simulator):
    """Starts instances, which are terminated after the test."""
    ec2, started = simulator.client("ec2"), []

    def start(instance_type: str, count: int, **more: t.Any) -> list[str]:
        made = ec2.run_instances(ImageId="ami-12c6146b", MinCount=count, MaxCount=count, InstanceType=instance_type, **more)
        started.extend(each["InstanceId"] for each in made["Instances"])
        return started[-count:]

    yield start
    ec2.terminate_instances(InstanceIds=started)


def planned(instance_type: str, count: int, **more: str) -> dict[str, t.Any]:
    return {"instance_type": instance_type, "count": count, **more}


def columns(row: dict[str, t.Any]) -> tuple[t.Any, ...]:
    return tuple(row[name] for name in COLUMNS)


def test_a_new_account_has_no_quota_for_gpus(quota_info):
    plan = [planned("p5.48xlarge", 2), planned("g5.8xlarge", 1), planned("m5.xlarge", 1), planned("p5.48xlarge", 1, market="spot")]
    found, by_name = quota_info(planned=plan)
    assert found["sufficient"] is False and {name: columns(row) for name, row in by_name.items()} == {
        P: (0, 384, 0.0, False),
        G: (0, 32, 0.0, False),
        STANDARD: (0, 4, 5.0, True),
        P5_SPOT: (0, 192, 0.0, False),
    }
    p5 = by_name[P]
    assert (p5["service_code"], p5["code"], p5["unit"], p5["instance_types"]) == ("ec2", "L-417A185B", "vCPU", ["p5.48xlarge"])
    assert p5["adjustable"] and p5["next_step"].startswith("Request 384 in Service Quotas, for example with mlfleet.hyperpod.service_quota (")


def test_running_instances_and_reservations_are_used(simulator, quota_info, running):
    simulator.control("settings", {"service_quotas": {P: 700, STANDARD: 10, STANDARD_SPOT: 8}})
    running("m5.xlarge", 2)
    running("p4d.24xlarge", 1)
    stopped = running("m5.2xlarge", 1)
    simulator.client("ec2").stop_instances(InstanceIds=stopped)
    reservations = {
        "cr-00000001": {"InstanceType": "p5.48xlarge", "TotalInstanceCount": 2, "AvailableInstanceCount": 1},
        "cr-00000002": {"InstanceType": "p5.48xlarge", "TotalInstanceCount": 9, "ReservationType": "capacity-block"},
        "cr-00000003": {"InstanceType": "p5.48xlarge", "TotalInstanceCount": 9, "State": "expired"},
        "cr-00000004": {"InstanceType": "p5.48xlarge", "TotalInstanceCount": 9, "OwnerId": "222222222222"},
    }
    simulator.control("settings", {"capacity_reservations": reservations})
    found, by_name = quota_info(planned=[planned("p5.48xlarge", 1), planned("m5.large", 1), planned("m5.large", 4, market="spot")])
    assert found["sufficient"] is True and {name: columns(row) for name, row in by_name.items()} == {
        P: (480, 192, 700.0, True),
        STANDARD: (8, 2, 10.0, True),
        STANDARD_SPOT: (0, 8, 8.0, True),
    }
    found, by_name = quota_info(planned=[planned("p5.48xlarge", 2)])
    assert columns(by_name[P]) == (480, 384, 700.0, False)


def test_a_pending_request_is_returned(simulator, quota_info):
    simulator.client("service-quotas").request_service_quota_increase(ServiceCode="ec2", QuotaCode="L-DB2E81BA", DesiredValue=64)
    _found, by_name = quota_info(planned=[planned("g5.8xlarge", 2)])
    assert (by_name[G]["pending"], by_name[G]["next_step"]) == (64.0, "Wait until AWS has decided on the request for 64, then run again.")
    _found, by_name = quota_info(planned=[planned("g5.8xlarge", 3)])
    assert by_name[G]["next_step"].startswith("The open request for 64 is less than the required 96.")


def test_an_unknown_quota_is_not_sufficient(quota_info):
    found, by_name = quota_info(planned=[planned("mac2.metal", 1), planned("m5.large", 1)])
    unknown = by_name["vCPUs of On-Demand instances of family mac"]
    assert found["sufficient"] is None and (unknown["value"], unknown["sufficient"], unknown["code"]) == (None, None, "")
    assert unknown["next_step"].startswith("No quota is known for mac2.metal")
    found, by_name = quota_info(planned=[planned("m5.nosuch", 1)])
    assert found["sufficient"] is None and columns(by_name[STANDARD]) == (None, None, 5.0, None)


def test_networks_and_eks_clusters(simulator, quota_info, network):
    ec2 = simulator.client("ec2")
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=network["subnets"][0], AllocationId=address)
    simulator.control("settings", {"service_quotas": {"NAT gateways per Availability Zone": 1, "Clusters": 1}})
    gateways = [{"zone": "us-west-2a"}, {"zone": "us-west-2b"}]
    found = reads(simulator, "ec2_quota_info", vpcs=1, elastic_ips=5, eks_clusters=1, nat_gateways=gateways)
    vpcs = len(ec2.describe_vpcs()["Vpcs"])
    assert [(each["name"], each["zone"], *columns(each)) for each in found["quotas"]] == [
        ("VPCs per Region", "", vpcs, 1, 5.0, True),
        ("EC2-VPC Elastic IPs", "", 1, 5, 5.0, False),
        ("Clusters", "", 0, 1, 1.0, True),
        ("NAT gateways per Availability Zone", "us-west-2a", 1, 1, 1.0, False),
        ("NAT gateways per Availability Zone", "us-west-2b", 0, 1, 1.0, True),
    ]
    assert not found["sufficient"]


def test_only_what_is_planned_is_read(simulator, quota_info):
    assert quota_info()[0]["sufficient"] is True and simulator.calls() == []
    quota_info(vpcs=1, planned=[planned("p5.48xlarge", 0)])
    assert set(simulator.calls()) == {"ListServiceQuotas", "ListAWSDefaultServiceQuotas", "DescribeVpcs"}


def test_a_denied_action_is_named(simulator, faults):
    faults(kind="deny", operation="DescribeCapacityReservations")
    failed = simulator.run("ec2_quota_info", planned=[planned("p5.48xlarge", 1)])
    assert failed["failed"] and "DescribeCapacityReservations for instances of the Region failed; allow the action" in failed["msg"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"planned": [planned("ml.p5.48xlarge", 1)]}, "planned.instance_type: 'ml.p5.48xlarge'"),
        ({"planned": [planned("p5.48xlarge", -1)]}, "planned.count: -1"),
        ({"planned": [planned("p5.48xlarge", 1, market="block")]}, "market"),
        ({"nat_gateways": [{"zone": "us-west-2"}]}, "nat_gateways.zone: 'us-west-2'"),
        ({"vpcs": 1001}, "vpcs: 1001"),
    ],
)
def test_bad_input_is_refused_before_any_call(simulator, wrong, message):
    assert message in simulator.run("ec2_quota_info", **wrong)["msg"] and simulator.calls() == []
