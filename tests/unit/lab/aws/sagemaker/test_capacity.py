# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Added nodes that join, join late or fail, and flexible groups, whose nodes may have several types and zones."""

from __future__ import annotations

import time
import typing as t

import pytest
from lab.names import ACCOUNT

GROUP = {
    "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/execution",
    "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "on_create.sh"},
    "InstanceCount": 0,
}
TYPES = ["ml.g5.8xlarge", "ml.g5.12xlarge"]


class Added:
    """A cluster with continuous provisioning and two empty groups: ``gpus``, and the flexible ``any``."""

    def __init__(self, account: t.Any, name: str) -> None:
        self.sagemaker, self.control = account.sagemaker, account.control
        vpc = account.ec2.create_vpc(CidrBlock="10.77.0.0/16")["Vpc"]["VpcId"]
        self.zones = ["us-west-2a", "us-west-2b"]
        subnets = [
            account.ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.77.{place}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
            for place, zone in enumerate(self.zones)
        ]
        group = account.ec2.create_security_group(GroupName=name, Description="x", VpcId=vpc)["GroupId"]
        self.name = name
        self.sagemaker.create_cluster(
            ClusterName=name,
            NodeProvisioningMode="Continuous",
            Tags=[{"Key": "lab/hosts", "Value": "none"}],
            VpcConfig={"Subnets": subnets, "SecurityGroupIds": [group]},
            InstanceGroups=[
                {**GROUP, "InstanceGroupName": "gpus", "InstanceType": TYPES[0]},
                {**GROUP, "InstanceGroupName": "any", "InstanceRequirements": {"InstanceTypes": TYPES}},
            ],
        )
        self.until(lambda: self.sagemaker.describe_cluster(ClusterName=name)["ClusterStatus"] == "InService")

    def add(self, group: str, count: int = 1, **choice: t.Any) -> dict[str, t.Any]:
        wanted = {"InstanceGroupName": group, "IncrementTargetCountBy": count, **choice}
        return dict(self.sagemaker.batch_add_cluster_nodes(ClusterName=self.name, NodesToAdd=[wanted]))

    def nodes(self) -> list[dict[str, t.Any]]:
        return list(self.sagemaker.list_cluster_nodes(ClusterName=self.name)["ClusterNodeSummaries"])

    def running(self) -> int:
        return sum(each["InstanceStatus"]["Status"] == "Running" for each in self.nodes())

    def target(self, group: str) -> int:
        groups = self.sagemaker.describe_cluster(ClusterName=self.name)["InstanceGroups"]
        return next(each["TargetCount"] for each in groups if each["InstanceGroupName"] == group)

    def failures(self) -> list[dict[str, t.Any]]:
        """Metadata of the error events, the oldest first."""
        events = self.sagemaker.list_cluster_events(ClusterName=self.name, MaxResults=100)["Events"]
        described = [self.sagemaker.describe_cluster_event(ClusterName=self.name, EventId=each["EventId"]) for each in events if each["EventLevel"] == "Error"]
        return [each["EventDetails"]["EventDetails"]["EventMetadata"]["Instance"] for each in described]

    @staticmethod
    def until(holds: t.Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.fixture
def added(account: t.Any, request: pytest.FixtureRequest) -> t.Iterator[Added]:
    made = Added(account, request.node.name.replace("_", "-")[:40].rstrip("-"))
    yield made
    made.sagemaker.delete_cluster(ClusterName=made.name)
    assert account.control.problems() == []


def test_missing_capacity_is_reported_only_by_an_event(added: Added) -> None:
    added.control.settings(insufficient_capacity={"gpus": 1})
    answer = added.add("gpus", 3)
    assert len(answer["Successful"]) == 3 and answer["Failed"] == []
    added.until(lambda: added.running() == 2)
    failure, twin = added.failures()
    assert twin == {"NodeLogicalId": failure["NodeLogicalId"]}, "the newer event has no reason"
    assert failure["FailureMessage"].startswith("InsufficientInstanceCapacity: ") and "ml.g5.8xlarge" in failure["FailureMessage"]
    assert failure["NodeLogicalId"] == answer["Successful"][0]["NodeLogicalId"] and added.target("gpus") == 2
    assert added.control.settings()["insufficient_capacity"] == {"gpus": 0}
    added.add("gpus")
    added.until(lambda: added.running() == 3)


def test_capacity_for_some_nodes_or_none(added: Added) -> None:
    added.control.settings(capacity={"gpus": 1}, insufficient_capacity={"any": True})
    added.add("gpus", 2)
    added.add("any", 2)
    added.until(lambda: len(added.failures()) == 6 and added.running() == 1)
    added.control.settings(capacity={})
    added.add("any")
    added.until(lambda: len(added.failures()) == 8)
    assert (added.target("gpus"), added.target("any"), len(added.nodes())) == (1, 0, 1)


def test_delays_are_set_by_group(added: Added) -> None:
    added.control.settings(launch_seconds={"gpus": 3600})
    added.add("gpus")
    added.add("any")
    added.until(lambda: added.running() == 1)
    assert {each["InstanceGroupName"]: each["InstanceStatus"]["Status"] for each in added.nodes()} == {"any": "Running", "gpus": "Pending"}
    added.control.settings(launch_seconds={"gpus": 0.1})
    added.until(lambda: added.running() == 2)


def test_a_flexible_group_adds_the_requested_types_and_zones(added: Added) -> None:
    for zone in added.zones:
        for instance_type in TYPES:
            assert added.add("any", AvailabilityZones=[zone], InstanceTypes=[instance_type])["Failed"] == []
    added.until(lambda: added.running() == 4)
    details = [added.sagemaker.describe_cluster_node(ClusterName=added.name, NodeId=each["InstanceId"])["NodeDetails"] for each in added.nodes()]
    found = {(each["Placement"]["AvailabilityZone"], each["InstanceType"]) for each in details}
    assert found == {(zone, instance_type) for zone in added.zones for instance_type in TYPES}


@pytest.mark.parametrize(
    ("group", "choice", "code"),
    [
        ("any", {"InstanceTypes": ["ml.p5.48xlarge"]}, "IncompatibleInstanceTypes"),
        ("any", {"AvailabilityZones": ["us-west-2c"]}, "IncompatibleAvailabilityZones"),
        ("gpus", {"InstanceTypes": ["ml.g5.12xlarge"]}, "IncompatibleInstanceTypes"),
        ("none", {}, "InstanceGroupNotFound"),
    ],
)
def test_types_and_zones_outside_the_group_are_refused(account: t.Any, flexible: Added, group: str, choice: dict[str, t.Any], code: str) -> None:
    (failed,) = flexible.add(group, **choice)["Failed"]
    assert failed["ErrorCode"] == code and flexible.target("any") == 0


@pytest.fixture(scope="module")
def flexible(account: t.Any) -> Added:
    return Added(account, "flexible")
