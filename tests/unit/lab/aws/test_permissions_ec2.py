# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions that calls of EC2 require for networks and instances, on resources and with keys that AWS publishes for the actions."""

from __future__ import annotations

import fnmatch
import typing as t

import pytest
from lab.aws.permissions import published
from lab.aws.permissions.asked import required_permissions
from lab.aws.permissions.ec2 import ALONE, MADE
from lab.aws.request import Call

ACCOUNT = "111111111111"
EC2 = f"arn:aws:ec2:us-west-2:{ACCOUNT}"
OURS = {"Key": "mlfleet.hyperpod/cluster", "Value": "arn:aws:eks:us-west-2:111111111111:cluster/ml"}
REQUESTED = {f"aws:RequestTag/{OURS['Key']}": OURS["Value"]}


def call(operation: str, **params: t.Any) -> Call:
    return Call(ACCOUNT, "us-west-2", "ec2", operation, "ec2", params=params)


def tagged(kind: str) -> list[dict[str, t.Any]]:
    return [{"ResourceType": kind, "Tags": [OURS]}]


CALLS: list[tuple[str, dict[str, t.Any], list[str]]] = [
    ("CreateVpc", {"CidrBlock": "10.0.0.0/16"}, ["CreateVpc vpc/new"]),
    ("CreateSubnet", {"VpcId": "vpc-1"}, ["CreateSubnet vpc/vpc-1", "CreateSubnet subnet/new"]),
    *(
        (action, {"InternetGatewayId": "igw-1", "VpcId": "vpc-1"}, [f"{action} vpc/vpc-1", f"{action} internet-gateway/igw-1"])
        for action in ("AttachInternetGateway", "DetachInternetGateway")
    ),
    ("AllocateAddress", {"Domain": "vpc"}, ["AllocateAddress elastic-ip/new"]),
    ("ReleaseAddress", {"AllocationId": "eipalloc-1"}, ["ReleaseAddress elastic-ip/eipalloc-1"]),
    (
        "CreateNatGateway",
        {"SubnetId": "subnet-1", "AllocationId": "eipalloc-1"},
        ["CreateNatGateway subnet/subnet-1", "CreateNatGateway elastic-ip/eipalloc-1", "CreateNatGateway natgateway/new"],
    ),
    ("DeleteNatGateway", {"NatGatewayId": "nat-1"}, ["DeleteNatGateway natgateway/nat-1"]),
    ("CreateRouteTable", {"VpcId": "vpc-1"}, ["CreateRouteTable vpc/vpc-1", "CreateRouteTable route-table/new"]),
    ("CreateRoute", {"RouteTableId": "rtb-1", "NatGatewayId": "nat-1"}, ["CreateRoute route-table/rtb-1"]),
    (
        "AssociateRouteTable",
        {"RouteTableId": "rtb-1", "SubnetId": "subnet-1"},
        ["AssociateRouteTable subnet/subnet-1", "AssociateRouteTable route-table/rtb-1"],
    ),
    ("DisassociateRouteTable", {"AssociationId": "rtbassoc-1"}, ["DisassociateRouteTable *"]),
    (
        "CreateVpcEndpoint",
        {"VpcId": "vpc-1", "RouteTableIds": ["rtb-1"]},
        ["CreateVpcEndpoint vpc/vpc-1", "CreateVpcEndpoint route-table/rtb-1", "CreateVpcEndpoint vpc-endpoint/new"],
    ),
    ("DeleteVpcEndpoints", {"VpcEndpointIds": ["vpce-1", "vpce-2"]}, [f"DeleteVpcEndpoints vpc-endpoint/vpce-{each}" for each in (1, 2)]),
    ("CreatePlacementGroup", {"GroupName": "ml"}, ["CreatePlacementGroup placement-group/ml"]),
    ("DeletePlacementGroup", {"GroupName": "ml"}, ["DeletePlacementGroup placement-group/ml"]),
    ("ModifyVpcAttribute", {"VpcId": "vpc-1"}, ["ModifyVpcAttribute vpc/vpc-1"]),
    ("ModifySubnetAttribute", {"SubnetId": "subnet-1"}, ["ModifySubnetAttribute subnet/subnet-1"]),
    ("CreateTags", {"Resources": ["vpc-1", "eipalloc-1"], "Tags": [OURS]}, ["CreateTags vpc/vpc-1", "CreateTags elastic-ip/eipalloc-1"]),
    ("AssociateIamInstanceProfile", {"InstanceId": "i-1"}, ["AssociateIamInstanceProfile *"]),
]


def required(made: Call) -> list[str]:
    return [f"{each.action.removeprefix('ec2:')} {each.resource.removeprefix(f'{EC2}:')}" for each in required_permissions(made)]


@pytest.mark.parametrize(("operation", "params", "expected"), CALLS)
def test_permissions_of_a_call(operation: str, params: dict[str, t.Any], expected: list[str]) -> None:
    assert required(call(operation, **params)) == expected


@pytest.mark.parametrize("operation", sorted(MADE))
def test_only_the_new_resource_has_the_tags_of_the_request(operation: str) -> None:
    kind = MADE[operation]
    *_parents, new, tagging = required_permissions(call(operation, VpcId="vpc-1", SubnetId="subnet-1", TagSpecifications=tagged(kind)))
    assert (new.resource, new.context) == (f"{EC2}:{kind}/new", REQUESTED)
    assert (tagging.action, tagging.resource) == ("ec2:CreateTags", f"{EC2}:{kind}/new")
    assert tagging.context == {**REQUESTED, "ec2:CreateAction": operation}
    assert [each.context for each in _parents] == [{}] * len(_parents)


@pytest.fixture
def backend() -> t.Iterator[t.Any]:
    models = pytest.importorskip("moto.ec2.models")
    yield models.ec2_backends[ACCOUNT]["us-west-2"]
    models.ec2_backends[ACCOUNT]["us-west-2"].reset()


def test_an_association_stands_for_its_route_table_and_subnet(backend: t.Any) -> None:
    vpc = backend.create_vpc("10.9.0.0/16")
    table, subnet = backend.create_route_table(vpc.id), backend.create_subnet(vpc.id, "10.9.0.0/24")
    association = backend.associate_route_table(route_table_id=table.id, subnet_id=subnet.id)
    assert required(call("DisassociateRouteTable", AssociationId=association)) == [
        f"DisassociateRouteTable route-table/{table.id}",
        f"DisassociateRouteTable subnet/{subnet.id}",
    ]


def template(backend: t.Any, *versions: dict[str, t.Any]) -> t.Any:
    first, *others = versions
    made = backend.create_launch_template("ml", "", first, {"launch-template": {OURS["Key"]: OURS["Value"]}})
    for data in others:
        made.create_version(data, "")
    return made


def launches(**params: t.Any) -> list[t.Any]:
    return required_permissions(call("RunInstances", **params))


def test_instances_need_the_template_and_all_other_resources(backend: t.Any) -> None:
    made = template(backend, {"InstanceType": "p5.48xlarge"})
    own, *others = launches(LaunchTemplate={"LaunchTemplateName": "ml"})
    assert (own.action, own.resource) == ("ec2:RunInstances", f"{EC2}:launch-template/{made.id}")
    assert own.context == {f"aws:ResourceTag/{OURS['Key']}": OURS["Value"]}
    assert {each.resource.removeprefix(f"{EC2}:") for each in others} >= {"instance/new", "subnet/new", "arn:aws:ec2:us-west-2::image/new"}
    assert {str(each.context) for each in others} == {str({"ec2:LaunchTemplate": own.resource})}


def test_instances_without_a_template_have_no_key_of_it() -> None:
    assert [each.context for each in launches()] == [{}] * 6


def test_an_unknown_template_has_no_tags(backend: t.Any) -> None:
    own, *_others = launches(LaunchTemplate={"LaunchTemplateId": "lt-unknown"})
    assert (own.resource, own.context) == (f"{EC2}:launch-template/lt-unknown", {})


@pytest.mark.parametrize(("version", "role"), [("", "first"), ("$Default", "first"), ("$Latest", "last"), ("2", "last"), ("9", None)])
def test_a_profile_in_the_version_of_a_template_requires_pass_role(backend: t.Any, version: str, role: str | None) -> None:
    template(backend, {"IamInstanceProfile": {"Name": "first"}}, {"IamInstanceProfile": {"Arn": "arn:aws:iam::1:instance-profile/p/last"}})
    given = {"LaunchTemplateName": "ml", **({"Version": version} if version else {})}
    passed = [each for each in launches(LaunchTemplate=given) if each.action == "iam:PassRole"]
    expected = [(f"arn:aws:iam::{ACCOUNT}:role/of-{role}", {"iam:PassedToService": "ec2.amazonaws.com"})] if role else []
    assert [(each.resource, each.context) for each in passed] == expected


def test_a_profile_stands_for_its_role(backend: t.Any) -> None:
    models = pytest.importorskip("moto.iam.models")
    iam = models.iam_backends[ACCOUNT]["aws"]
    try:
        iam.create_role("administrator", "{}", "/", None, "", [], "3600")
        iam.create_instance_profile("theirs", "/", ["administrator"], [])
        passed = [each.resource for each in launches(IamInstanceProfile={"Name": "theirs"}) if each.action == "iam:PassRole"]
        assert passed == [f"arn:aws:iam::{ACCOUNT}:role/administrator"]
    finally:
        iam.reset()


@pytest.mark.parametrize("method", ["POST /clusters/ml/node-groups", "POST /clusters/ml/node-groups/gpu/update-version"])
def test_a_node_group_with_a_template_starts_instances(backend: t.Any, method: str) -> None:
    made = template(backend, {"TagSpecifications": [{"ResourceType": "instance", "Tags": [OURS]}, {"ResourceType": "volume", "Tags": []}]})
    params = {"launchTemplate": {"id": made.id, "version": "1"}}
    found = required_permissions(Call(ACCOUNT, "us-west-2", "eks", method, "rest-json", params=params))
    assert (found[1].action, found[1].resource) == ("ec2:RunInstances", f"{EC2}:launch-template/{made.id}")
    assert [(each.resource, each.context) for each in found if each.action == "ec2:CreateTags"] == [
        (f"{EC2}:{kind}/new", {"ec2:CreateAction": "RunInstances"}) for kind in ("instance", "volume")
    ]


def test_roles_have_their_path() -> None:
    def arn(operation: str, **params: str) -> str:
        return required_permissions(Call(ACCOUNT, "us-west-2", "iam", operation, "query", params=params))[0].resource

    iam = pytest.importorskip("moto.iam.models").iam_backends[ACCOUNT]["aws"]
    assert arn("CreateRole", RoleName="a", Path="/hyperpod-eks/") == f"arn:aws:iam::{ACCOUNT}:role/hyperpod-eks/a"
    assert arn("PutRolePolicy", RoleName="a") == f"arn:aws:iam::{ACCOUNT}:role/a"
    try:
        iam.create_role("a", "{}", "/hyperpod-eks/", None, "", [], "3600")
        assert arn("PutRolePolicy", RoleName="a") == f"arn:aws:iam::{ACCOUNT}:role/hyperpod-eks/a"
    finally:
        iam.reset()


REQUIRED = sorted({tuple(each.split(" ", 1)) for _operation, _params, expected in CALLS for each in expected if not each.endswith("*")})


@pytest.mark.parametrize(("action", "resource"), REQUIRED)
def test_an_action_is_required_on_a_resource_that_aws_publishes_for_it(action: str, resource: str) -> None:
    arns, _keys = published.details(f"ec2:{action}")
    assert any(fnmatch.fnmatchcase(f"{EC2}:{resource}", each) for each in arns)


@pytest.mark.parametrize(("action", "kind"), sorted(ALONE.items()))
def test_actions_on_one_kind_list_no_target(action: str, kind: str) -> None:
    arns, _keys = published.details(f"ec2:{action}")
    assert f"arn:*:ec2:*:*:{kind}/*" in arns and not any("natgateway" in each or "internet-gateway" in each for each in arns)


def test_keys_of_launches_are_published() -> None:
    _arns, keys = published.details("ec2:RunInstances")
    assert "ec2:launchtemplate" in keys and "aws:resourcetag/*" in keys
