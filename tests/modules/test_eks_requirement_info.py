# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_requirement_info against the simulated API."""

from __future__ import annotations

import json

import pytest
from simulated.shape import reads

ROLE = "arn:aws:iam::111111111111:role/eks"
CHART = "HyperPod's Helm chart"
NAMES = ["status", "version", "authentication mode", "VPC CNI", CHART, "subnets", "VPC", "private subnets", "way to S3", "addresses"]


class Place:
    """A VPC with one subnet without a route to the internet, and an EKS cluster in it."""

    def __init__(self, simulator, name, *, mode="API", version="1.34", cni="v1.19.2-eksbuild.1"):
        self.simulator = simulator
        self.ec2, eks = simulator.client("ec2"), simulator.client("eks")
        self.vpc = self.ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        self.subnet = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
        (table,) = self.ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [self.vpc]}])["RouteTables"]
        self.table = table["RouteTableId"]
        network, access = {"subnetIds": [self.subnet]}, {"authenticationMode": mode}
        made = eks.create_cluster(name=name, roleArn=ROLE, version=version, resourcesVpcConfig=network, accessConfig=access)
        self.arn = made["cluster"]["arn"]
        if cni:
            eks.create_addon(clusterName=name, addonName="vpc-cni", addonVersion=cni)

    def endpoint(self, service="s3"):
        name = f"com.amazonaws.us-west-2.{service}"
        self.ec2.create_vpc_endpoint(VpcId=self.vpc, ServiceName=name, RouteTableIds=[self.table])

    def requirements(self, *subnets, **planned):
        nodes = [{"instance_type": name.replace("_", "."), "count": count} for name, count in planned.items()]
        cluster = {"eks_cluster_arn": self.arn, "subnets": list(subnets) or [self.subnet]}
        found = reads(self.simulator, "eks_requirement_info", planned=nodes, **cluster)
        assert [each["name"] for each in found["requirements"]] == NAMES
        return found, {each["name"]: each for each in found["requirements"]}


def test_a_cluster_that_meets_all_requirements(simulator):
    place = Place(simulator, "fit")
    place.endpoint()
    found, by_name = place.requirements(ml_p5_48xlarge=3)
    assert found["met"] and {each["met"] for each in found["requirements"] if each["name"] != CHART} == {True}, found
    assert by_name[CHART]["met"] is None and "got no reply from https://127.0.0.1:1" in by_name[CHART]["found"], by_name[CHART]
    assert by_name["addresses"] == {"name": "addresses", "met": True, "found": "251 free", "needed": "243 for the nodes", "note": ""}
    found, by_name = place.requirements(ml_p5_48xlarge=4)
    assert not found["met"] and by_name["addresses"]["needed"] == "324 for the nodes"
    _found, by_name = place.requirements(ml_m5_large=2)
    assert by_name["addresses"]["needed"] == "2 for the nodes, assuming one for each node of type ml.m5.large"


def test_unmet_requirements_are_named(simulator):
    place = Place(simulator, "unfit", mode="CONFIG_MAP", version="1.29", cni="v1.18.2-eksbuild.3")
    place.endpoint("dynamodb")
    other = Place(simulator, "other")
    found, by_name = place.requirements(place.subnet, other.subnet, "subnet-00000000000000000")
    assert not found["met"]
    missing = {name: each["found"] for name, each in by_name.items() if each["met"] is False}
    assert missing == {
        "version": "1.29",
        "authentication mode": "CONFIG_MAP",
        "VPC CNI": "v1.18.2-eksbuild.3",
        "subnets": "not found: subnet-00000000000000000",
        "VPC": f"not met in {other.subnet}",
        "way to S3": f"not met in {place.subnet}, {other.subnet}",
    }


def test_routes_decide_which_subnets_are_private_and_reach_s3(simulator):
    place = Place(simulator, "routes", cni="")
    gateway = place.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    place.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=place.vpc)
    place.ec2.create_route(RouteTableId=place.table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    _found, by_name = place.requirements()
    assert by_name["private subnets"]["met"] is False and by_name["way to S3"]["met"] is True
    assert by_name["VPC CNI"]["met"] is None

    table = place.ec2.create_route_table(VpcId=place.vpc)["RouteTable"]["RouteTableId"]
    place.ec2.associate_route_table(RouteTableId=table, SubnetId=place.subnet)
    _found, by_name = place.requirements()
    assert by_name["private subnets"]["met"] is True and by_name["way to S3"]["met"] is False


def test_a_newer_version_is_unknown(simulator):
    _found, by_name = Place(simulator, "newer", version="1.36").requirements()
    assert by_name["version"] == {"name": "version", "met": None, "found": "1.36", "needed": "1.30 to 1.35", "note": ""}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"eks_cluster_arn": "ml"}, "eks_cluster_arn: 'ml' is not allowed. Allowed: the ARN of an EKS cluster."),
        ({"eks_cluster_arn": "arn:aws:eks:eu-west-1:111111111111:cluster/a"}, "it is in a different Region. Allowed: an EKS"),
        ({"subnets": []}, "subnets: [] is not allowed. Allowed: at least one ID."),
        ({"subnets": ["vpc-0123456789abcdef0"]}, "subnets: 'vpc-0123456789abcdef0' is not allowed."),
        ({"planned": [{"instance_type": "p5", "count": 1}]}, "planned.instance_type: 'p5'"),
    ],
)
def test_bad_input_is_refused(simulator, wrong, message):
    arn = "arn:aws:eks:us-west-2:111111111111:cluster/none"
    refused = simulator.run("eks_requirement_info", **{"eks_cluster_arn": arn, "subnets": ["subnet-00000000000000000"], **wrong})
    assert message in refused["msg"] and not simulator.calls(), json.dumps(refused)


def test_an_unknown_cluster_is_named(simulator):
    arn = "arn:aws:eks:us-west-2:111111111111:cluster/none"
    failed = simulator.run("eks_requirement_info", eks_cluster_arn=arn, subnets=["subnet-00000000000000000"])
    assert "DescribeCluster" in failed["msg"] and "EKS cluster none" in failed["msg"]
