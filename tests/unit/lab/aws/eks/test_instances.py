# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EC2 instances of node groups by boto3 against the simulator."""

from __future__ import annotations

import time
import typing as t

import pytest

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks-nodes"
TWO = {"minSize": 0, "maxSize": 4, "desiredSize": 2}


class Fleet:
    """The node group ``gpu`` and its instances."""

    def __init__(self, place: t.Any) -> None:
        self.place, self.ec2, self.control = place, place.account.ec2, place.account.control
        self.subnets = place.network["Subnets"]

    def create(self, **parameters: t.Any) -> t.Any:
        named = {"nodegroupName": "gpu", "nodeRole": ROLE, "subnets": self.subnets, "scalingConfig": TWO}
        self.place.create_nodegroup(**{**named, **parameters})
        return self.settled()

    def scale(self, desired: int) -> t.Any:
        self.place.update_nodegroup_config(nodegroupName="gpu", scalingConfig={"desiredSize": desired})
        return self.settled()

    def remove(self) -> None:
        self.place.delete_nodegroup(nodegroupName="gpu")
        with pytest.raises(self.place.eks.exceptions.ResourceNotFoundException):
            self.settled()

    def settled(self) -> t.Any:
        for _attempt in range(200):
            found = self.place.describe_nodegroup(nodegroupName="gpu")["nodegroup"]
            if not found["status"].endswith("ING"):
                return found
            time.sleep(0.02)
        raise AssertionError(found)

    def instances(self, state: str = "running") -> list[t.Any]:
        own = [
            {"Name": "tag:eks:cluster-name", "Values": [self.place.name]},
            {"Name": "instance-state-name", "Values": [state]},
        ]
        return [each for one in self.ec2.describe_instances(Filters=own)["Reservations"] for each in one["Instances"]]

    def rows(self) -> list[t.Any]:
        return [each for each in self.control.eks_nodes() if each["cluster"] == self.place.name]

    def template(self, **data: t.Any) -> dict[str, str]:
        name = f"training-{self.place.name}-{len(data)}"
        made = self.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)["LaunchTemplate"]
        return {"id": made["LaunchTemplateId"], "version": "1"}

    def issues(self) -> list[tuple[str, str]]:
        found = self.place.describe_nodegroup(nodegroupName="gpu")["nodegroup"]
        return [(found["status"], each["code"]) for each in found["health"]["issues"]]


@pytest.fixture
def fleet(place: t.Any) -> Fleet:
    return Fleet(place)


def tags(instance: t.Any) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in instance["Tags"]}


def test_a_group_has_instances_in_all_its_subnets(fleet: Fleet) -> None:
    fleet.create(instanceTypes=["m7i.xlarge"], labels={"team": "a"}, taints=[{"key": "k", "value": "v", "effect": "NO_EXECUTE"}])
    made = fleet.instances()
    assert [each["InstanceType"] for each in made] == ["m7i.xlarge"] * 2
    assert sorted(each["SubnetId"] for each in made) == sorted(fleet.subnets)
    name = fleet.place.name
    own = {"eks:cluster-name": name, "eks:nodegroup-name": "gpu", f"kubernetes.io/cluster/{name}": "owned"}
    assert all(own.items() <= tags(each).items() for each in made)
    group = fleet.place.cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert [[each["GroupId"] for each in one["SecurityGroups"]] for one in made] == [[group]] * 2
    first = next(each for each in fleet.rows() if each["instance_id"] == made[0]["InstanceId"])
    zone = made[0]["Placement"]["AvailabilityZone"]
    assert first["name"] == f"ip-{made[0]['PrivateIpAddress'].replace('.', '-')}.us-west-2.compute.internal" == made[0]["PrivateDnsName"]
    assert (first["provider_id"], first["kubelet"]) == (f"aws:///{zone}/{made[0]['InstanceId']}", "v1.34.2")
    assert first["taints"] == [{"key": "k", "value": "v", "effect": "NoExecute"}]
    assert {"team": "a", "eks.amazonaws.com/nodegroup": "gpu", "topology.kubernetes.io/zone": zone}.items() <= first["labels"].items()
    assert (first["capacity"], first["gpus"], first["efa"]) == ({"cpu": "4", "memory": "16384Mi"}, 0, 0)


def test_instances_follow_the_desired_size_and_leave_nothing_behind(fleet: Fleet) -> None:
    fleet.create()
    before = {each["PrivateIpAddress"] for each in fleet.instances()}
    fleet.scale(0)
    assert fleet.instances() == [] and len(fleet.instances("terminated")) == 2
    fleet.scale(3)
    assert len(fleet.instances()) == 3
    assert not before & {each["PrivateIpAddress"] for each in fleet.instances()}, "a new node would have the name of a removed one"
    fleet.ec2.terminate_instances(InstanceIds=[fleet.instances()[0]["InstanceId"]])
    assert len(fleet.rows()) == 3 == len(fleet.instances()), "the Auto Scaling group replaces it"
    volumes = {device["Ebs"]["VolumeId"] for each in fleet.instances() for device in each["BlockDeviceMappings"]}
    fleet.remove()
    assert fleet.instances() == [] and fleet.rows() == []
    in_subnets = [{"Name": "subnet-id", "Values": fleet.subnets}]
    assert fleet.ec2.describe_network_interfaces(Filters=in_subnets)["NetworkInterfaces"] == []
    assert len(volumes) == 3 and not volumes & {each["VolumeId"] for each in fleet.ec2.describe_volumes()["Volumes"]}


def test_a_template_decides_about_interfaces_tags_and_placement(fleet: Fleet) -> None:
    (other,) = fleet.place.network["SecurityGroupIds"]
    cards = [
        {"DeviceIndex": int(card > 0), "NetworkCardIndex": card, "InterfaceType": kind, "Groups": [other]}
        for card, kind in enumerate(("efa", "efa-only", "efa-only"))
    ]
    template = fleet.template(
        InstanceType="p5.48xlarge",
        NetworkInterfaces=cards,
        Placement={"GroupName": "near"},
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 300}}],
        MetadataOptions={"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "gpu"}]}],
    )
    fleet.create(launchTemplate=template, scalingConfig={**TWO, "desiredSize": 1})
    (made,) = fleet.instances()
    assert (made["InstanceType"], made["Placement"]["GroupName"], tags(made)["Name"]) == ("p5.48xlarge", "near", "gpu")
    assert (made["MetadataOptions"]["HttpTokens"], made["SecurityGroups"][0]["GroupId"]) == ("required", other)
    assert tags(made)["aws:ec2launchtemplate:id"] == template["id"]
    of_it = [{"Name": "attachment.instance-id", "Values": [made["InstanceId"]]}]
    found = fleet.ec2.describe_network_interfaces(Filters=of_it)["NetworkInterfaces"]
    places = [(each["Attachment"]["NetworkCardIndex"], each["Attachment"]["DeviceIndex"], each["InterfaceType"]) for each in found]
    assert sorted(places) == [(0, 0, "efa"), (1, 1, "efa-only"), (2, 1, "efa-only")]
    assert [each.get("PrivateIpAddress") for each in found].count(None) == 2 and len(made["NetworkInterfaces"]) == 3
    assert fleet.control.problems() == []
    (row,) = fleet.rows()
    assert (row["gpus"], row["efa"], row["supports_efa"]) == (8, 3, True)
    fleet.scale(0)
    assert fleet.ec2.describe_network_interfaces(Filters=of_it)["NetworkInterfaces"] == []


def test_an_update_of_the_version_replaces_all_instances(fleet: Fleet) -> None:
    fleet.create(releaseVersion="1.34.1-20260901")
    before = {each["instance_id"]: each["kubelet"] for each in fleet.rows()}
    fleet.place.update_nodegroup_version(nodegroupName="gpu")
    fleet.settled()
    after = {each["instance_id"]: each["kubelet"] for each in fleet.rows()}
    assert not before.keys() & after.keys() and (set(before.values()), set(after.values())) == ({"v1.34.1"}, {"v1.34.2"})


def test_without_capacity_a_new_group_fails_and_another_is_degraded_until_there_is_some(fleet: Fleet) -> None:
    fleet.control.settings(capacity={"gpu": 1})
    failed = fleet.create(instanceTypes=["p5.48xlarge"], capacityType="SPOT")
    (issue,) = failed["health"]["issues"]
    assert (failed["status"], issue["code"]) == ("CREATE_FAILED", "AsgInstanceLaunchFailures")
    assert "Could not launch Spot Instances. InsufficientInstanceCapacity" in issue["message"] and "p5.48xlarge" in issue["message"]
    assert issue["resourceIds"] == [failed["resources"]["autoScalingGroups"][0]["name"]] and len(fleet.instances()) == 1
    fleet.remove()
    assert fleet.create(scalingConfig={**TWO, "desiredSize": 1})["status"] == "ACTIVE"
    fleet.scale(2)
    assert fleet.issues() == [("DEGRADED", "AsgInstanceLaunchFailures")] and len(fleet.rows()) == 1
    fleet.control.settings(capacity={})
    assert fleet.issues() == [] and len(fleet.rows()) == 2


def test_full_subnets_and_a_removed_template_are_issues(fleet: Fleet) -> None:
    vpc = fleet.ec2.describe_subnets(SubnetIds=fleet.subnets[:1])["Subnets"][0]["VpcId"]
    small = fleet.ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.9.0/28")["Subnet"]["SubnetId"]
    template = fleet.template(InstanceType="m7i.xlarge")
    many = {"minSize": 0, "maxSize": 20, "desiredSize": 11}
    assert fleet.create(subnets=[small], scalingConfig=many, launchTemplate=template)["status"] == "ACTIVE"
    fleet.scale(12)
    assert fleet.issues() == [("DEGRADED", "InsufficientFreeAddresses")] and len(fleet.instances()) == 11
    fleet.ec2.terminate_instances(InstanceIds=[each["InstanceId"] for each in fleet.instances()[:2]])
    fleet.ec2.delete_launch_template(LaunchTemplateId=template["id"])
    assert fleet.issues() == [("DEGRADED", "Ec2LaunchTemplateNotFound")]


def test_a_group_whose_nodes_do_not_join_fails(fleet: Fleet) -> None:
    fleet.control.settings(eks_join_seconds=0.5)
    failed = fleet.create()
    (issue,) = failed["health"]["issues"]
    there = sorted(each["InstanceId"] for each in fleet.instances())
    assert (failed["status"], issue["code"], sorted(issue["resourceIds"])) == ("CREATE_FAILED", "NodeCreationFailure", there)


def test_a_new_group_is_active_when_its_nodes_have_joined(fleet: Fleet) -> None:
    fleet.control.settings(eks_join_seconds=60)
    fleet.place.create_nodegroup(nodegroupName="gpu", nodeRole=ROLE, subnets=fleet.subnets, scalingConfig=TWO)
    first, second = (each["instance_id"] for each in fleet.rows())
    fleet.control.joined([first])
    time.sleep(0.2)
    assert fleet.place.describe_nodegroup(nodegroupName="gpu")["nodegroup"]["status"] == "CREATING"
    fleet.control.joined([second])
    assert fleet.settled()["status"] == "ACTIVE"


def test_an_update_whose_new_nodes_do_not_join_returns_to_the_earlier_version(fleet: Fleet) -> None:
    release = fleet.create(releaseVersion="1.34.1-20260901")["releaseVersion"]
    fleet.control.joined([each["InstanceId"] for each in fleet.instances()])
    fleet.control.settings(eks_join_seconds=0.5)
    update = fleet.place.update_nodegroup_version(nodegroupName="gpu")["update"]["id"]
    found = fleet.settled()
    assert (found["status"], found["releaseVersion"]) == ("ACTIVE", release)
    ended = fleet.place.eks.describe_update(name=fleet.place.name, nodegroupName="gpu", updateId=update)["update"]
    assert (ended["status"], [each["errorCode"] for each in ended["errors"]]) == ("Failed", ["NodeCreationFailure"])


def test_issues_of_a_test_keep_instances_from_starting_or_joining(fleet: Fleet) -> None:
    fleet.control.settings(eks_nodegroup_issues={"gpu": ["NodeCreationFailure: not joined"]})
    (issue,) = fleet.create()["health"]["issues"]
    assert sorted(issue["resourceIds"]) == sorted(each["InstanceId"] for each in fleet.instances())
    assert [each["joins"] for each in fleet.rows()] == [False, False]
    fleet.remove()
    fleet.control.settings(eks_nodegroup_issues={"gpu": ["InstanceLimitExceeded: no"]})
    assert fleet.create()["status"] == "CREATE_FAILED" and fleet.instances() == []
