# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests about node groups that the simulator refuses, as EKS does."""

from __future__ import annotations

import types
import typing as t

import pytest
from lab.aws.eks import nodegroup_rules as rules
from moto.eks.exceptions import EKSError

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/pods"
BLOCK: dict[str, t.Any] = {
    "InstanceType": "p5.48xlarge",
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-1"}},
}
SCALING = {"minSize": 0, "maxSize": 1, "desiredSize": 0}


class Version:
    def __init__(self, number: int, data: dict[str, t.Any]) -> None:
        self.number, self.data = number, data


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> t.Any:
    """A cluster; ``data`` is the data of the template ``lt-1``, which is called ``one`` and has any version."""
    found = types.SimpleNamespace(arn=ARN, name="pods", version="1.34", data={})
    template = types.SimpleNamespace(id="lt-1", name="one")
    template.get_version = lambda version: Version(1 if version == "$Default" else int(version), found.data)
    ec2 = types.SimpleNamespace(launch_templates={"lt-1": template}, get_subnet=lambda name: name == "subnet-1")
    monkeypatch.setattr(rules, "ec2_backends", {"111111111111": {"us-west-2": ec2}})
    return found


def created(cluster: t.Any, **params: t.Any) -> dict[str, t.Any]:
    return rules.created(cluster, {"nodeRole": "role", "subnets": ["subnet-1"], **params})


def refused(make: t.Callable[[], t.Any]) -> str:
    with pytest.raises(EKSError) as error:
        make()
    return f"{type(error.value).__name__}: {error.value.description}"


def test_the_defaults_of_eks(cluster: t.Any) -> None:
    found = created(cluster)
    assert (found["amiType"], found["instanceTypes"], found["diskSize"]) == ("AL2023_x86_64_STANDARD", ["t3.medium"], 20)
    assert (found["scalingConfig"], found["updateConfig"]) == ({"minSize": 1, "maxSize": 2, "desiredSize": 2}, {"maxUnavailable": 1})
    found = created(cluster, launchTemplate={"name": "one"})
    assert found["launchTemplate"] == {"id": "lt-1", "name": "one", "version": "1"} and "diskSize" not in found and "instanceTypes" not in found


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"scalingConfig": {"minSize": 1, "maxSize": 2}}, "requires minSize, maxSize and desiredSize"),
        ({"scalingConfig": {"minSize": 2, "maxSize": 3, "desiredSize": 1}}, "Minimum capacity 2 can't be greater than desired size 1"),
        ({"scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 3}}, "Desired capacity 3 can't be greater than max size 2"),
        ({"scalingConfig": {"minSize": 3, "maxSize": 2, "desiredSize": 3}}, "Minimum capacity 3 can't be greater than maximum size 2"),
        ({"subnets": ["subnet-2"]}, "The subnet ID 'subnet-2' does not exist"),
        ({"version": "1.33"}, "must equal the version of the cluster"),
        ({"releaseVersion": "1.33.1-20260901"}, "is not valid for kubernetes version 1.34"),
        ({"updateConfig": {"updateStrategy": "MINIMAL"}}, "Exactly one of"),
        ({"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 1}}, "Exactly one of"),
        ({"nodeRepairConfig": {"maxParallelNodesRepairedCount": 1, "maxParallelNodesRepairedPercentage": 1}}, "a count or a percentage"),
        ({"nodeRepairConfig": {"nodeRepairConfigOverrides": [{"repairAction": "Reboot"}]}}, "requires all values"),
        ({"taints": [{"key": "a", "value": each, "effect": "NO_SCHEDULE"} for each in "bc"]}, "must be unique"),
        ({"capacityType": "CAPACITY_BLOCK"}, "require each other"),
        ({"amiType": "CUSTOM"}, "requires an image id"),
        ({"launchTemplate": {"id": "lt-1", "name": "one"}}, "Either provide launch template ID or launch template name"),
        ({"launchTemplate": {"id": "lt-2"}}, "was not found"),
        ({"launchTemplate": {"id": "lt-1"}, "diskSize": 1}, "Disk size must be specified within the launch template"),
    ],
)
def test_requests_that_eks_refuses(cluster: t.Any, params: dict[str, t.Any], message: str) -> None:
    assert message in refused(lambda: created(cluster, **params))


@pytest.mark.parametrize(
    ("data", "params", "message"),
    [
        ({"NetworkInterfaces": [{"SubnetId": "subnet-1"}]}, {}, "a subnet in a network interface"),
        ({"IamInstanceProfile": {"Name": "a"}}, {}, "should not specify IamInstanceProfile"),
        ({"InstanceInitiatedShutdownBehavior": "stop"}, {}, "should not specify InstanceInitiatedShutdownBehavior"),
        ({"HibernationOptions": {"Configured": True}}, {}, "should not specify HibernationOptions"),
        ({"InstanceMarketOptions": {"MarketType": "spot"}}, {}, "spot market options"),
        ({"SecurityGroupIds": ["sg-1"], "NetworkInterfaces": [{"Groups": ["sg-1"]}]}, {}, "of instances and of interfaces"),
        ({"InstanceType": "a.b"}, {"instanceTypes": ["c.d"]}, "Cannot specify instance types in launch template and API Request"),
        ({"ImageId": "ami-1"}, {"amiType": "AL2023_x86_64_NVIDIA"}, "You cannot specify an AMI Type or a version"),
        ({"ImageId": "ami-1"}, {"version": "1.34"}, "You cannot specify an AMI Type or a version"),
        (BLOCK, {}, "require each other"),
        ({**BLOCK, "InstanceType": ""}, {"capacityType": "CAPACITY_BLOCK"}, "requires an instance type and a reservation"),
        ({**BLOCK, "CapacityReservationSpecification": {}}, {"capacityType": "CAPACITY_BLOCK"}, "requires an instance type and a reservation"),
    ],
)
def test_templates_that_eks_refuses(cluster: t.Any, data: dict[str, t.Any], params: dict[str, t.Any], message: str) -> None:
    cluster.data = data
    assert message in refused(lambda: created(cluster, launchTemplate={"id": "lt-1"}, **params))


def test_templates_that_eks_accepts(cluster: t.Any) -> None:
    cluster.data = {"ImageId": "ami-1", "NetworkInterfaces": [{"Groups": ["sg-1"], "InterfaceType": "efa"}] * 2}
    found = created(cluster, launchTemplate={"id": "lt-1", "version": "3"}, instanceTypes=["p5.48xlarge"])
    assert (found["amiType"], found["releaseVersion"], found["launchTemplate"]["version"]) == ("CUSTOM", "ami-1", "3")
    cluster.data = BLOCK
    assert created(cluster, launchTemplate={"id": "lt-1"}, capacityType="CAPACITY_BLOCK")["capacityType"] == "CAPACITY_BLOCK"


def test_numbers_that_a_change_omits_stay(cluster: t.Any) -> None:
    found = created(cluster, scalingConfig=SCALING)
    assert rules.configured(found, {"scalingConfig": {"maxSize": 4}})["scalingConfig"] == {**SCALING, "maxSize": 4}
    assert "Minimum capacity 1" in refused(lambda: rules.configured(found, {"scalingConfig": {"minSize": 1}}))
    assert "Exactly one of" in refused(lambda: rules.configured(found, {"updateConfig": {}}))


def test_versions_go_forward_only_and_not_beyond_the_cluster(cluster: t.Any) -> None:
    found = created(cluster)
    for params, message in (
        ({"version": "1.35"}, "is newer than the version of the cluster"),
        ({"version": "1.33"}, "can't be rolled back"),
        ({"releaseVersion": "1.34.1-20260901"}, "can't be rolled back"),
        ({"launchTemplate": {"id": "lt-1"}}, "created without one"),
    ):
        assert message in refused(lambda params=params: rules.upgraded(cluster, found, params))  # type: ignore[misc]


def test_an_upgrade_keeps_the_template(cluster: t.Any) -> None:
    found = created(cluster, launchTemplate={"id": "lt-1", "version": "1"})
    assert rules.upgraded(cluster, found, {"version": "1.34"})["launchTemplate"]["version"] == "1"
    assert rules.upgraded(cluster, found, {"launchTemplate": {"name": "one", "version": "2"}})["launchTemplate"]["version"] == "2"
    assert "different launch template" in refused(lambda: rules.upgraded(cluster, found, {"launchTemplate": {"name": "two"}}))
    cluster.data = {"ImageId": "ami-2"}
    assert rules.upgraded(cluster, found, {"launchTemplate": {"id": "lt-1", "version": "3"}})["releaseVersion"] == "ami-2"
    assert "with an AMI" in refused(lambda: rules.upgraded(cluster, found, {"version": "1.34"}))


def test_a_capacity_block_is_upgraded_without_nodes(cluster: t.Any) -> None:
    cluster.data = BLOCK
    params = {"launchTemplate": {"id": "lt-1"}, "capacityType": "CAPACITY_BLOCK"}
    assert "must be 0" in refused(lambda: rules.upgraded(cluster, created(cluster, **params), {"version": "1.34"}))
    assert rules.upgraded(cluster, created(cluster, **params, scalingConfig=SCALING), {"version": "1.34"})
