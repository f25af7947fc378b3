# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of the simulator join only with what they need on AWS, if a test asks for it."""

from __future__ import annotations

import base64
import json
import time
import typing as t

import pytest

POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy")
ONE = {"minSize": 0, "maxSize": 4, "desiredSize": 1}


class Nodes:
    """A cluster with a role, a route and a node group."""

    def __init__(self, place: t.Any) -> None:
        self.place, self.ec2, self.iam = place, place.account.ec2, place.account.client("iam")
        self.subnets = place.network["Subnets"][:1]
        self.role = f"{place.name}-nodes"
        trust = json.dumps({"Version": "2012-10-17", "Statement": []})
        self.arn = self.iam.create_role(RoleName=self.role, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        for each in POLICIES:
            self.iam.attach_role_policy(RoleName=self.role, PolicyArn=f"arn:aws:iam::aws:policy/{each}")
        vpc = self.ec2.describe_subnets(SubnetIds=self.subnets)["Subnets"][0]["VpcId"]
        self.table = self.ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
        self.ec2.associate_route_table(RouteTableId=self.table, SubnetId=self.subnets[0])
        address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
        nat = self.ec2.create_nat_gateway(SubnetId=self.subnets[0], AllocationId=address)["NatGateway"]["NatGatewayId"]
        self.ec2.create_route(RouteTableId=self.table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
        place.account.control.settings(eks_nodes_need_all=True)

    def create(self, **parameters: t.Any) -> t.Any:
        given = {"nodegroupName": "gpu", "nodeRole": self.arn, "subnets": self.subnets, "scalingConfig": ONE}
        self.place.create_nodegroup(**given, **parameters)
        for _attempt in range(300):
            found = self.place.describe_nodegroup(nodegroupName="gpu")["nodegroup"]
            if not found["status"].endswith("ING"):
                return found["status"], [each["code"] for each in found["health"]["issues"]]
            time.sleep(0.02)
        raise AssertionError(found)

    def template(self, text: str, **data: str) -> dict[str, t.Any]:
        encoded = base64.b64encode(text.encode()).decode()
        made = self.ec2.create_launch_template(LaunchTemplateName=self.role, LaunchTemplateData={"UserData": encoded, **data})
        return {"launchTemplate": {"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"}}


@pytest.fixture
def nodes(place: t.Any) -> t.Iterator[Nodes]:
    yield Nodes(place)
    place.account.control.settings(eks_nodes_need_all=False)


LOST = ("CREATE_FAILED", ["NodeCreationFailure"])


def config(spec: str) -> str:
    text = f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {spec}"
    return f'Content-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: application/node.eks.aws\n\n{text}\n--B--\n'


def test_nodes_with_everything_join_and_eks_keeps_their_entry(nodes: Nodes) -> None:
    assert nodes.create(**nodes.template(config("{instance: {}}"))) == ("ACTIVE", [])
    assert nodes.place.describe_access_entry(principalArn=nodes.arn)["accessEntry"]["type"] == "EC2_LINUX"
    nodes.place.delete_nodegroup(nodegroupName="gpu")
    for _attempt in range(300):
        if nodes.arn not in nodes.place.list_access_entries()["accessEntries"]:
            return
        time.sleep(0.02)
    raise AssertionError("the entry of the role stays")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_missing_policy_keeps_nodes_out(nodes: Nodes, policy: str) -> None:
    nodes.iam.detach_role_policy(RoleName=nodes.role, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")
    assert nodes.create() == LOST


def test_a_missing_route_keeps_nodes_out(nodes: Nodes) -> None:
    nodes.ec2.delete_route(RouteTableId=nodes.table, DestinationCidrBlock="0.0.0.0/0")
    assert nodes.create() == LOST


def test_an_entry_of_people_keeps_nodes_out(nodes: Nodes) -> None:
    nodes.place.create_access_entry(principalArn=nodes.arn)
    assert nodes.create() == LOST


@pytest.mark.parametrize(("text", "data"), [(config("{cluster: {name: other}}"), {}), (config("["), {}), (config("{}"), {"ImageId": "ami-1"})])
def test_bad_user_data_keeps_nodes_out(nodes: Nodes, text: str, data: dict[str, str]) -> None:
    assert nodes.create(**nodes.template(text, **data)) == LOST
