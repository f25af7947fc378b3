# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_nodegroup names the cause of nodes that do not join. The simulated nodes fail for the same reason, which no test injects."""

from __future__ import annotations

import base64
import itertools
import json
import typing as t

import pytest
from lab.aws import permissions
from modules.fixtures.eks_cluster import ROLE as CLUSTER_ROLE
from modules.fixtures.small_cluster import QUICK

NAMES = (f"joins-{number}" for number in itertools.count())
POLICIES = ("AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy")
TRUST = json.dumps({"Version": "2012-10-17", "Statement": []})
IMAGE = "ami-0123456789abcdef0"
CONFIG = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: application/node.eks.aws

{text}
--B--
"""
NODE_CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {spec}"


class Place:
    """A cluster with everything that nodes need. A test then takes something away."""

    def __init__(self, simulator: t.Any) -> None:
        self.simulator, self.name = simulator, next(NAMES)
        self.eks, self.ec2, self.iam = (simulator.client(each) for each in ("eks", "ec2", "iam"))
        self.vpc = self.ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
        self.subnet, self.other = (self._subnet(number) for number in (1, 2))
        self.role = f"{self.name}-nodes"
        made = self.iam.create_role(RoleName=self.role, Path="/hyperpod-eks/", AssumeRolePolicyDocument=TRUST)["Role"]
        for each in POLICIES:
            self.iam.attach_role_policy(RoleName=self.role, PolicyArn=f"arn:aws:iam::aws:policy/{each}")
        self.arn = made["Arn"]
        network = {"subnetIds": [self.subnet, self.other], "endpointPublicAccess": False, "endpointPrivateAccess": True}
        access = {"authenticationMode": "API"}
        given = {"roleArn": CLUSTER_ROLE, "version": "1.34", "resourcesVpcConfig": network, "accessConfig": access}
        self.cluster = self.eks.create_cluster(name=self.name, **given)["cluster"]
        self.group = self.cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]
        self.gateway, self.nat, self.table = self._gateways()
        self.options: dict[str, t.Any] = {}

    def _subnet(self, number: int) -> str:
        zone = f"us-west-2{'ab'[number - 1]}"
        given = {"VpcId": self.vpc, "CidrBlock": f"10.8.{number}.0/24", "AvailabilityZone": zone}
        return str(self.ec2.create_subnet(**given)["Subnet"]["SubnetId"])

    def _gateways(self) -> tuple[str, str, str]:
        gateway = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=self.vpc)
        address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
        nat = self.ec2.create_nat_gateway(SubnetId=self.other, AllocationId=address)["NatGateway"]["NatGatewayId"]
        table = self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]
        self.ec2.associate_route_table(RouteTableId=table, SubnetId=self.subnet)
        self.ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
        return gateway, nat, table

    def template(self, **data: t.Any) -> None:
        tags = [{"Key": "mlfleet.hyperpod/cluster", "Value": self.cluster["arn"]}]
        tagged = [{"ResourceType": "launch-template", "Tags": tags}]
        self.ec2.create_launch_template(LaunchTemplateName=self.name, LaunchTemplateData=data, TagSpecifications=tagged)
        custom = {"ami_type": "CUSTOM"} if "ImageId" in data else {}
        self.options = {"launch_template": {"name": self.name, "version": "1"}, "instance_types": ["m7i.xlarge"], **custom}

    def user_data(self, spec: str, *, image: str = "") -> None:
        text = CONFIG.format(text=NODE_CONFIG.format(spec=spec))
        self.template(UserData=base64.b64encode(text.encode()).decode(), **({"ImageId": image} if image else {}))

    def security_group(self, *, egress: bool = True) -> str:
        given = {"GroupName": "other", "Description": "other", "VpcId": self.vpc}
        group = str(self.ec2.create_security_group(**given)["GroupId"])
        if not egress:
            every = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
            self.ec2.revoke_security_group_egress(GroupId=group, IpPermissions=every)
        return group

    def detach(self, policy: str) -> None:
        self.iam.detach_role_policy(RoleName=self.role, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")

    def without_route(self) -> None:
        self.ec2.delete_route(RouteTableId=self.table, DestinationCidrBlock="0.0.0.0/0")

    def to_gateway(self) -> None:
        self.ec2.replace_route(RouteTableId=self.table, DestinationCidrBlock="0.0.0.0/0", GatewayId=self.gateway)

    def create(self) -> dict[str, t.Any]:
        given = {"node_role_arn": self.arn, "subnet_ids": [self.subnet], "scaling": {"min": 1, "max": 2}}
        return self.run(**given, **self.options)

    def run(self, **options: t.Any) -> dict[str, t.Any]:
        found: dict[str, t.Any] = self.simulator.run("eks_nodegroup", eks_cluster=self.name, name="gpu", **QUICK, **options)
        return found


@pytest.fixture
def place(simulator: t.Any) -> t.Iterator[Place]:
    simulator.control("settings", {"eks_nodes_need_all": True})
    yield Place(simulator)
    simulator.control("settings", {"eks_nodes_need_all": False})


def another_entry(place: Place) -> None:
    place.eks.create_access_entry(clusterName=place.name, principalArn=place.arn, type="STANDARD")


def own_group(place: Place) -> None:
    place.template(SecurityGroupIds=[place.security_group()])


def closed_group(place: Place) -> None:
    place.template(SecurityGroupIds=[place.security_group(egress=False)])


def without_private_endpoint(place: Place) -> None:
    place.without_route()
    network = {"endpointPublicAccess": True, "endpointPrivateAccess": False, "publicAccessCidrs": ["203.0.113.0/24"]}
    place.eks.update_cluster_config(name=place.name, resourcesVpcConfig=network)


def two_endpoints(place: Place) -> None:
    place.without_route()
    for service in ("ec2", "ecr.api"):
        place.ec2.create_vpc_endpoint(VpcId=place.vpc, ServiceName=f"com.amazonaws.us-west-2.{service}", VpcEndpointType="Interface")


CAUSES: dict[str, tuple[t.Callable[[Place], t.Any], str]] = {
    "worker policy": (
        lambda place: place.detach("AmazonEKSWorkerNodePolicy"),
        "cause: role {role} lacks AmazonEKSWorkerNodePolicy (it has AmazonEC2ContainerRegistryPullOnly, AmazonEKS_CNI_Policy): attach the policy",
    ),
    "registry policy": (
        lambda place: place.detach("AmazonEC2ContainerRegistryPullOnly"),
        "cause: role {role} lacks AmazonEC2ContainerRegistryPullOnly (it has AmazonEKSWorkerNodePolicy, AmazonEKS_CNI_Policy): attach",
    ),
    "CNI": (lambda place: place.detach("AmazonEKS_CNI_Policy"), "attach the policy, or give the role of add-on vpc-cni the policy"),
    "type of the entry": (another_entry, "cause: the access entry of the node role has type STANDARD, which is not for nodes: remove"),
    "ingress": (own_group, "the nodes cannot reach the API server (no ingress rule of {group} allows TCP 443 from sg-"),
    "egress": (closed_group, "allows TCP 443 to {group}): add the rule, or the cluster security group to the launch template"),
    "no route": (
        lambda place: place.without_route(),
        "cause: subnet {subnet} has no default route (route table {table}) and no VPC endpoint for ec2, ecr.api, ecr.dkr, s3: add a default",
    ),
    "no route to a public endpoint": (without_private_endpoint, "and the API server has no private endpoint: add a default route"),
    "some endpoints": (two_endpoints, "and no VPC endpoint for ecr.dkr, s3: add a default route to a NAT gateway, or the endpoints"),
    "public subnet": (
        lambda place: place.to_gateway(),
        "cause: the default route of {subnet} leads to internet gateway {gateway}, but the nodes get no public address: use a subnet",
    ),
    "no user data": (lambda place: place.template(ImageId=IMAGE), f"has image {IMAGE} but no user data, so the nodes do not know their"),
    "incomplete user data": (
        lambda place: place.user_data(f"{{cluster: {{name: {place.name}}}}}", image=IMAGE),
        "lacks spec.cluster.apiServerEndpoint, spec.cluster.certificateAuthority, spec.cluster.cidr, which nodes with a custom image need",
    ),
    "another cluster": (
        lambda place: place.user_data("{cluster: {name: other}}"),
        "launch template {name} has spec.cluster.name other, which is not that of EKS cluster {name}: correct the user data",
    ),
    "bad YAML": (lambda place: place.user_data("{cluster: ["), "cause: a NodeConfig in the user data of launch template {name} is invalid: it is not"),
}
"""The part that a test removes, and the cause that the module then names."""
SEVERAL = {"ingress": 2, "egress": 3}
"""The number of causes, because a group without the rules of the cluster security group lacks several."""


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_named(place: Place, name: str) -> None:
    take_away, expected = CAUSES[name]
    take_away(place)
    failed = place.create()
    said = expected.format(role=place.role, group=place.group, subnet=place.subnet, table=place.table, gateway=place.gateway, name=place.name)
    assert failed["failed"] and "NodeCreationFailure" in failed["msg"] and said in failed["msg"], failed["msg"]
    assert failed["msg"].count("cause: ") == SEVERAL.get(name, 1), failed["msg"]
    assert "get-console-output" not in failed["msg"] and not failed["problems"], failed["msg"]


def test_an_entry_that_was_removed_is_named(place: Place) -> None:
    """EKS creates the entry with the group, so only an existing group can lose it."""
    assert place.create()["changed"]
    place.eks.delete_access_entry(clusterName=place.name, principalArn=place.arn)
    place.simulator.control("settings", {"eks_nodegroup_issues": {"gpu": ["NodeCreationFailure: not joined"]}})
    found = place.run()
    (issue,) = found["eks_nodegroup"]["issues"]
    place.simulator.control("settings", {"eks_nodegroup_issues": {}})
    assert issue["next_step"].startswith("cause: the node role has no access entry in EKS cluster"), issue
    assert "create an access entry of type EC2_LINUX for the role" in str(found["warnings"])


def test_nodes_that_have_everything_join(place: Place) -> None:
    place.user_data("{instance: {localStorage: {strategy: RAID0}}}")
    done = place.create()
    assert done["changed"] and done["eks_nodegroup"]["status"] == "ACTIVE", done


def test_a_cause_outside_of_aws_is_not_known(place: Place) -> None:
    place.simulator.control("settings", {"eks_nodegroup_issues": {"gpu": ["NodeCreationFailure: not joined"]}})
    failed = place.create()
    place.simulator.control("settings", {"eks_nodegroup_issues": {}})
    assert "the cause is not known (policies and access entry of the node role, security groups, routes and user data were" in failed["msg"]
    assert "aws ec2 get-console-output --latest --instance-id i-" in failed["msg"] and "not known:" not in failed["msg"], failed["msg"]


def test_denied_reads_are_unknown_and_the_others_are_made(place: Place, policies: t.Callable[..., None]) -> None:
    denied = ("iam:ListAttachedRolePolicies", "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups", "eks:DescribeAccessEntry")
    documents = permissions.documented()
    for statement in (each for document in documents for each in document["Statement"]):
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        statement["Action"] = [each for each in actions if each not in denied]
    policies(documents)
    place.user_data("{cluster: {name: other}}")
    failed = place.create()
    assert failed["msg"].count("cause: ") == 1 and "has spec.cluster.name other" in failed["msg"], failed["msg"]
    for what in ("the policies of role", "the access entry of role", "the routes of the subnets", "the rules of the security groups"):
        assert f"could not read {what}" in failed["msg"], failed["msg"]
