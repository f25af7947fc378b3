# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of a role with only the policies for training clusters: its network and IAM roles, and those of others, which it can't change."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import (
    ADDON_ROLES,
    PATH,
    ROLES,
    role_name,
)
from botocore.exceptions import ClientError
from lab.aws.permissions import TRAINING_CLUSTER, documented

TAG = {"Key": "mlfleet.hyperpod/cluster", "Value": "arn:aws:eks:us-west-2:111111111111:cluster/ml"}
BOUNDARY = "arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary"
TRUST = json.dumps(ROLES[0].trust(account="111111111111", cluster=TAG["Value"]))
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"


def tagged(kind: str, *, tag: t.Mapping[str, str] = TAG) -> dict[str, t.Any]:
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": [dict(tag)]}]}


@pytest.fixture
def administrator(account: t.Any) -> t.Any:
    return type(account)(account.url, "ADMIN111111111111")


@pytest.fixture
def holder(account: t.Any) -> t.Any:
    """The account, held to the policies for training clusters."""
    account.control.settings(policies=documented(*TRAINING_CLUSTER))
    return account


REFUSALS = ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException")


def allowed(call: t.Callable[..., t.Any], /, **options: t.Any) -> None:
    """The policies allow the call. Its effect is not tested: it can fail because other resources still exist."""
    try:
        call(**options)
    except ClientError as error:
        assert error.response["Error"]["Code"] not in REFUSALS, error


def refused(call: t.Callable[..., t.Any], /, *, action: str = "", **options: t.Any) -> None:
    """The call is refused, for an action if it is given."""
    with pytest.raises(ClientError) as found:
        call(**options)
    error = found.value.response["Error"]
    assert error["Code"] in REFUSALS, error
    assert f"perform: {action}" in error["Message"], error["Message"]


class Network:
    """A network with each kind of resource that the role creates."""

    def __init__(self, ec2: t.Any, cidr: str, tag: t.Mapping[str, str] = TAG) -> None:
        def given(kind: str) -> dict[str, t.Any]:
            return tagged(kind, tag=tag)

        self.ec2 = ec2
        self.vpc = ec2.create_vpc(CidrBlock=f"{cidr}.0.0/16", **given("vpc"))["Vpc"]["VpcId"]
        self.subnet = ec2.create_subnet(VpcId=self.vpc, CidrBlock=f"{cidr}.0.0/24", **given("subnet"))["Subnet"]["SubnetId"]
        self.gateway = ec2.create_internet_gateway(**given("internet-gateway"))["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=self.gateway, VpcId=self.vpc)
        self.address = ec2.allocate_address(Domain="vpc", **given("elastic-ip"))["AllocationId"]
        made = ec2.create_nat_gateway(SubnetId=self.subnet, AllocationId=self.address, **given("natgateway"))
        self.nat = made["NatGateway"]["NatGatewayId"]
        self.table = ec2.create_route_table(VpcId=self.vpc, **given("route-table"))["RouteTable"]["RouteTableId"]
        ec2.create_route(RouteTableId=self.table, DestinationCidrBlock="0.0.0.0/0", GatewayId=self.gateway)
        self.association = ec2.associate_route_table(RouteTableId=self.table, SubnetId=self.subnet)["AssociationId"]
        service = {"ServiceName": "com.amazonaws.us-west-2.s3", "VpcEndpointType": "Gateway", "RouteTableIds": [self.table]}
        self.endpoint = ec2.create_vpc_endpoint(VpcId=self.vpc, **service, **given("vpc-endpoint"))["VpcEndpoint"]["VpcEndpointId"]
        self.group = ec2.create_security_group(GroupName="fs", Description="fs", VpcId=self.vpc, **given("security-group"))["GroupId"]

    def changes(self) -> t.Iterator[tuple[t.Callable[..., t.Any], dict[str, t.Any]]]:
        rule = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988, "UserIdGroupPairs": [{"GroupId": self.group}]}
        yield self.ec2.modify_vpc_attribute, {"VpcId": self.vpc, "EnableDnsHostnames": {"Value": True}}
        yield self.ec2.modify_subnet_attribute, {"SubnetId": self.subnet, "MapPublicIpOnLaunch": {"Value": True}}
        yield self.ec2.create_tags, {"Resources": [self.vpc, self.subnet, self.address], "Tags": [{"Key": "a", "Value": "b"}]}
        yield self.ec2.delete_tags, {"Resources": [self.table], "Tags": [{"Key": "a"}]}
        yield self.ec2.authorize_security_group_ingress, {"GroupId": self.group, "IpPermissions": [rule]}
        yield self.ec2.revoke_security_group_ingress, {"GroupId": self.group, "IpPermissions": [rule]}

    def removals(self) -> t.Iterator[tuple[t.Callable[..., t.Any], dict[str, t.Any]]]:
        yield self.ec2.delete_vpc_endpoints, {"VpcEndpointIds": [self.endpoint]}
        yield self.ec2.delete_nat_gateway, {"NatGatewayId": self.nat}
        yield self.ec2.release_address, {"AllocationId": self.address}
        yield self.ec2.disassociate_route_table, {"AssociationId": self.association}
        yield self.ec2.delete_route, {"RouteTableId": self.table, "DestinationCidrBlock": "0.0.0.0/0"}
        yield self.ec2.delete_route_table, {"RouteTableId": self.table}
        yield self.ec2.detach_internet_gateway, {"InternetGatewayId": self.gateway, "VpcId": self.vpc}
        yield self.ec2.delete_internet_gateway, {"InternetGatewayId": self.gateway}
        yield self.ec2.delete_security_group, {"GroupId": self.group}
        yield self.ec2.delete_subnet, {"SubnetId": self.subnet}
        yield self.ec2.delete_vpc, {"VpcId": self.vpc}


def test_a_network_is_created_changed_and_removed(holder: t.Any) -> None:
    network = Network(holder.ec2, "10.20")
    for call, options in network.changes():
        call(**options)
    for call, options in network.removals():
        allowed(call, **options)


@pytest.mark.parametrize("tag", [{"Key": "Name", "Value": "payroll"}, {**TAG, "Value": "arn:aws:eks:us-west-2:999999999999:cluster/ml"}])
def test_the_network_of_others_stays(holder: t.Any, administrator: t.Any, tag: dict[str, str]) -> None:
    theirs = Network(administrator.ec2, "10.21", tag)
    theirs.ec2 = holder.ec2
    for call, options in (*theirs.changes(), *theirs.removals()):
        refused(call, **options)
    refused(holder.ec2.create_subnet, VpcId=theirs.vpc, CidrBlock="10.21.9.0/24", **tagged("subnet"))
    refused(holder.ec2.create_route_table, VpcId=theirs.vpc, **tagged("route-table"))
    refused(holder.ec2.create_route, RouteTableId=theirs.table, DestinationCidrBlock="10.0.0.0/8", GatewayId=theirs.gateway)
    options = {"VpcId": theirs.vpc, "ServiceName": "com.amazonaws.us-west-2.s3", "RouteTableIds": [theirs.table]}
    refused(holder.ec2.create_vpc_endpoint, **options, **tagged("vpc-endpoint"))
    refused(holder.ec2.create_tags, Resources=[theirs.vpc], Tags=[TAG], action="ec2:CreateTags")
    holder.ec2.create_security_group(GroupName="lustre", Description="lustre", VpcId=theirs.vpc, **tagged("security-group"))


def test_a_network_without_the_tag_is_not_created(holder: t.Any) -> None:
    refused(holder.ec2.create_vpc, CidrBlock="10.22.0.0/16", action="ec2:CreateVpc")
    refused(holder.ec2.create_vpc, CidrBlock="10.22.0.0/16", **tagged("vpc", tag={"Key": "Name", "Value": "ml"}))
    refused(holder.ec2.allocate_address, Domain="vpc", action="ec2:AllocateAddress")


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.part)
def test_a_role_is_created_and_removed(holder: t.Any, role: t.Any) -> None:
    iam, name = holder.client("iam"), role_name("ml", "us-west-2", role.part)
    with pytest.raises(iam.exceptions.NoSuchEntityException):
        iam.get_role(RoleName=name)
    iam.create_role(RoleName=name, Path=PATH, AssumeRolePolicyDocument=TRUST, PermissionsBoundary=BOUNDARY, Tags=[TAG])
    for arn in role.managed_arns("aws"):
        iam.attach_role_policy(RoleName=name, PolicyArn=arn)
    refused(iam.attach_role_policy, RoleName=name, PolicyArn=ADMINISTRATOR, action="iam:AttachRolePolicy")
    if document := role.policy("aws"):
        iam.put_role_policy(RoleName=name, PolicyName="rights", PolicyDocument=json.dumps(document))
        iam.delete_role_policy(RoleName=name, PolicyName="rights")
    refused(iam.delete_role_permissions_boundary, RoleName=name)
    refused(iam.update_assume_role_policy, RoleName=name, PolicyDocument=TRUST)
    for each in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=name, PolicyArn=each["PolicyArn"])
    iam.delete_role(RoleName=name)


def test_a_role_without_the_boundary_or_the_path_is_neither_created_nor_changed(holder: t.Any, administrator: t.Any) -> None:
    iam, new = holder.client("iam"), {"RoleName": "ml-us-west-2-mine", "AssumeRolePolicyDocument": TRUST}
    for options in (
        {"Path": PATH},
        {"Path": PATH, "PermissionsBoundary": ADMINISTRATOR},
        {"PermissionsBoundary": BOUNDARY},
        {"Path": f"/mine{PATH}", "PermissionsBoundary": BOUNDARY},
    ):
        refused(iam.create_role, **new, **options, action="iam:CreateRole")
    there = {"RoleName": "before"}
    administrator.client("iam").create_role(**there, Path=PATH, AssumeRolePolicyDocument=TRUST)
    refused(iam.put_role_policy, **there, PolicyName="a", PolicyDocument=TRUST)
    refused(iam.attach_role_policy, **there, PolicyArn=ROLES[0].managed_arns("aws")[0])
    iam.put_role_permissions_boundary(**there, PermissionsBoundary=BOUNDARY)
    iam.attach_role_policy(**there, PolicyArn=ROLES[0].managed_arns("aws")[0])


def test_no_new_version_of_the_boundary(holder: t.Any, administrator: t.Any) -> None:
    document = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})
    arn = administrator.client("iam").create_policy(PolicyName="mlfleet-hyperpod-boundary", PolicyDocument=document)["Policy"]["Arn"]
    assert arn == BOUNDARY
    refused(holder.client("iam").create_policy_version, PolicyArn=arn, PolicyDocument=document, action="iam:CreatePolicyVersion")


@pytest.fixture
def theirs(administrator: t.Any) -> t.Iterator[str]:
    """The ARN of an administrator's role, which services may assume, with an instance profile of the same name."""
    iam = administrator.client("iam")
    made = iam.create_role(RoleName="theirs", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    iam.create_instance_profile(InstanceProfileName="theirs")
    iam.add_role_to_instance_profile(InstanceProfileName="theirs", RoleName="theirs")
    yield made
    iam.remove_role_from_instance_profile(InstanceProfileName="theirs", RoleName="theirs")
    iam.delete_instance_profile(InstanceProfileName="theirs")
    iam.delete_role(RoleName="theirs")


@pytest.fixture
def subnets(administrator: t.Any) -> list[str]:
    vpc = administrator.ec2.create_vpc(CidrBlock="10.30.0.0/16")["Vpc"]["VpcId"]
    zones = [(1, "us-west-2a"), (2, "us-west-2b")]
    made = [administrator.ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.30.{n}.0/24", AvailabilityZone=zone) for n, zone in zones]
    return [each["Subnet"]["SubnetId"] for each in made]


def test_roles_of_others_are_not_passed(holder: t.Any, theirs: str, subnets: list[str]) -> None:
    eks, ours = holder.client("eks"), f"arn:aws:iam::111111111111:role{PATH}ml-us-west-2-"
    cluster = {
        "name": "ours",
        "resourcesVpcConfig": {"subnetIds": subnets},
        "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
    }
    refused(eks.create_cluster, **cluster, roleArn=theirs, action="iam:PassRole")
    eks.create_cluster(**cluster, roleArn=f"{ours}cluster")
    group = {"clusterName": "ours", "nodegroupName": "gpu", "subnets": subnets[:1]}
    refused(eks.create_nodegroup, **group, nodeRole=theirs, action="iam:PassRole")
    pods = {"clusterName": "ours", "namespace": "kube-system", "serviceAccount": ADDON_ROLES[0].service_account}
    refused(eks.create_pod_identity_association, **pods, roleArn=theirs, action="iam:PassRole")
    refused(
        eks.create_addon,
        clusterName="ours",
        addonName="vpc-cni",
        podIdentityAssociations=[{"serviceAccount": "aws-node", "roleArn": theirs}],
        action="iam:PassRole",
    )
    eks.create_pod_identity_association(**pods, roleArn=f"{ours}vpc-cni")

    administrators = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    tags = {"tags": {TAG["Key"]: TAG["Value"]}}
    for principal, given, expected in (
        (theirs, tags, False),
        ("arn:aws:iam::111111111111:role/mlfleet-a", {}, False),
        ("arn:aws:iam::111111111111:role/mlfleet-b", tags, True),
    ):
        eks.create_access_entry(clusterName="ours", principalArn=principal, **given)
        options = {"clusterName": "ours", "principalArn": principal, "policyArn": administrators, "accessScope": {"type": "cluster"}}
        if expected:
            eks.associate_access_policy(**options)
        else:
            refused(eks.associate_access_policy, **options, action="eks:AssociateAccessPolicy")



def template(account: t.Any, name: str, *, profile: str = "", **tags: t.Any) -> str:
    data = {"InstanceType": "m7i.xlarge", **({"IamInstanceProfile": {"Name": profile}} if profile else {})}
    made = account.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data, **tags)
    return str(made["LaunchTemplate"]["LaunchTemplateId"])


def test_launch_templates_give_no_role_of_others(holder: t.Any, administrator: t.Any, theirs: str, subnets: list[str]) -> None:
    """Neither in a template of others, which the holder can't change, nor in an own template, nor without a template."""
    eks, ours = administrator.client("eks"), f"arn:aws:iam::111111111111:role{PATH}ml-us-west-2-"
    eks.create_cluster(name="templates", roleArn=f"{ours}cluster", resourcesVpcConfig={"subnetIds": subnets})
    group = {"clusterName": "templates", "subnets": subnets[:1], "nodeRole": f"{ours}nodes"}
    foreign = template(administrator, "foreign")
    own = template(holder, "own", **tagged("launch-template"))
    with_profile = template(holder, "with-profile", profile="theirs", **tagged("launch-template"))
    for made, action in ((foreign, "ec2:RunInstances"), (with_profile, "iam:PassRole")):
        options = {"launchTemplate": {"id": made, "version": "1"}, "nodegroupName": made}
        refused(holder.client("eks").create_nodegroup, **group, **options, action=action)
        refused(holder.ec2.run_instances, MinCount=1, MaxCount=1, LaunchTemplate={"LaunchTemplateId": made}, action=action)
    refused(holder.ec2.create_launch_template_version, LaunchTemplateId=foreign, LaunchTemplateData={"InstanceType": "m7i.large"})
    refused(holder.ec2.run_instances, MinCount=1, MaxCount=1, ImageId="ami-1", action="ec2:RunInstances")
    profile = {"IamInstanceProfile": {"Name": "theirs"}, "LaunchTemplate": {"LaunchTemplateId": own}}
    refused(holder.ec2.run_instances, MinCount=1, MaxCount=1, **profile, action="iam:PassRole")
    holder.client("eks").create_nodegroup(**group, nodegroupName="gpu", launchTemplate={"id": own, "version": "1"})
