# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The observation of a node group. A failed call leaves one part unknown."""

from __future__ import annotations

import base64
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import (
    Cluster,
    Endpoint,
    Role,
    Route,
    Subnet,
    Unread,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.observe import Observer
from botocore.exceptions import ClientError

SETTINGS = {
    "node_role_arn": "arn:aws:iam::111111111111:role/hyperpod-eks/nodes",
    "subnet_ids": ["subnet-1"],
    "launch_template": {"id": "lt-1", "name": "ml.gpu", "version": "3"},
}
ANSWERS: dict[str, t.Any] = {
    "DescribeCluster": {"cluster": {"name": "ml", "resourcesVpcConfig": {"vpcId": "vpc-1", "subnetIds": ["subnet-2"]}}},
    "DescribeAccessEntry": {"accessEntry": {"type": "EC2_LINUX"}},
    "DescribeAddon": {"addon": {"serviceAccountRoleArn": "arn"}},
    "ListPodIdentityAssociations": [],
    "ListAttachedRolePolicies": [
        {"PolicyName": "AmazonEKSWorkerNodePolicy", "PolicyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"},
        {"PolicyName": "mine", "PolicyArn": "arn:aws:iam::111111111111:policy/mine"},
    ],
    "ListRolePolicies": ["inline"],
    "DescribeLaunchTemplateVersions": {
        "LaunchTemplateVersions": [
            {
                "LaunchTemplateData": {
                    "UserData": base64.b64encode(b"text").decode(),
                    "NetworkInterfaces": [{"Groups": ["sg-1"], "AssociatePublicIpAddress": False}, {"Groups": ["sg-2"]}],
                }
            }
        ]
    },
    "DescribeSecurityGroups": [{"GroupId": "sg-1"}],
    "DescribeSubnets": [{"SubnetId": "subnet-1", "CidrBlock": "10.0.1.0/24", "MapPublicIpOnLaunch": True}],
    "DescribeRouteTables": [
        {"RouteTableId": "rtb-1", "Associations": [{"Main": True}], "Routes": [{"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1"}]},
        {"RouteTableId": "rtb-2", "Associations": [{"SubnetId": "subnet-9"}], "Routes": []},
    ],
    "DescribeVpcEndpoints": [
        {"ServiceName": "com.amazonaws.us-west-2.ecr.api", "VpcEndpointType": "Interface", "State": "available"},
        {"ServiceName": "cn.com.amazonaws.cn-north-1.s3", "VpcEndpointType": "Gateway", "RouteTableIds": ["rtb-1"], "State": "Available"},
        {"ServiceName": "com.amazonaws.us-west-2.ec2", "VpcEndpointType": "Interface", "State": "deleting"},
    ],
}


class Aws:
    """Returns the answers of all services; those in ``failed`` fail with a code."""

    def __init__(self, **failed: str) -> None:
        self.failed = failed

    def call(self, operation: str, *, about: str, **_arguments: t.Any) -> t.Any:
        if operation in self.failed:
            error = ClientError({"Error": {"Code": self.failed[operation], "Message": "no"}}, operation)
            raise AwsError(message=f"{operation} for {about} failed", exception=error)
        return ANSWERS[operation]

    def pages(self, operation: str, _key: str, *, about: str, **arguments: t.Any) -> t.Any:
        return self.call(operation, about=about, **arguments)


def observed(**failed: str) -> t.Any:
    return Observer(lambda service: t.cast(t.Any, Aws(**failed)), "ml", SETTINGS)()


def test_everything_is_read() -> None:
    found = observed()
    assert found.cluster == Cluster("ml", "CONFIG_MAP", private=False, subnets=("subnet-2",), vpc_id="vpc-1")
    assert found.role == Role("nodes", policies=("AmazonEKSWorkerNodePolicy",), others=("inline", "mine"))
    assert (found.entry, found.cni_role, found.node_subnets) == ("EC2_LINUX", True, ("subnet-1",))
    template = found.template
    assert (template.name, template.user_data, template.security_groups, template.public_address) == ("ml.gpu", "text", ("sg-1",), False)
    assert found.subnets == {"subnet-1": Subnet("subnet-1", "10.0.1.0/24", True)} and list(found.security_groups) == ["sg-1"]
    assert found.routes == {"subnet-1": Route("rtb-1", "nat-1")}
    assert found.endpoints == (Endpoint("ecr.api"), Endpoint("s3", ("rtb-1",)))


def test_a_denied_call_leaves_its_part_unknown() -> None:
    found = observed(ListAttachedRolePolicies="AccessDenied", DescribeRouteTables="UnauthorizedOperation")
    assert found.role == Unread(f"the policies of role {SETTINGS['node_role_arn']}", "AccessDenied")
    assert found.routes == Unread("the routes of the subnets", "UnauthorizedOperation") and found.entry == "EC2_LINUX"


def test_what_does_not_exist_is_not_unknown() -> None:
    found = observed(ListAttachedRolePolicies="NoSuchEntity", DescribeAccessEntry="ResourceNotFoundException", DescribeAddon="ResourceNotFoundException")
    assert (found.role, found.entry, found.cni_role) == (Role("nodes", exists=False), None, False)
