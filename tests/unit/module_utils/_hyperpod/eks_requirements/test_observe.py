# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the answers about an EKS cluster and its subnets are interpreted."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.model import Chart, Eks, NodeSubnet, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.observe import observe

SUBNET, VPC = "subnet-1", "vpc-1"


def unreachable() -> t.NoReturn:
    raise Failure("no way to it")


@pytest.mark.parametrize(("state", "leads"), [("active", True), ("blackhole", False), ("filtered", False), ("a-new-state", False)])
def test_only_active_routes_count(stubbed: t.Any, state: str, leads: bool) -> None:
    (eks, of_eks), (ec2, of_ec2) = stubbed("eks"), stubbed("ec2")
    of_eks.add_response("describe_cluster", {"cluster": {"status": "ACTIVE", "version": "1.34"}})
    of_eks.add_client_error("describe_addon", "ResourceNotFoundException")
    route = {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1", "State": state}
    of_ec2.add_response("describe_subnets", {"Subnets": [{"SubnetId": SUBNET, "VpcId": VPC}]})
    table = {"RouteTableId": "rtb-1", "VpcId": VPC, "Associations": [{"Main": True}], "Routes": [route]}
    of_ec2.add_response("describe_route_tables", {"RouteTables": [table]})
    of_ec2.add_response("describe_vpc_endpoints", {"VpcEndpoints": []})
    subnet = observe(Api(eks), Api(ec2), unreachable, "ml", [SUBNET]).subnets[SUBNET]
    assert (subnet.public, subnet.reaches_s3) == (leads, leads)


CLUSTER = {
    "status": "ACTIVE",
    "version": "1.34",
    "accessConfig": {"authenticationMode": "API"},
    "resourcesVpcConfig": {"vpcId": VPC},
}
IN_VPC = {"Filters": [{"Name": "vpc-id", "Values": [VPC]}]}
ANYWHERE = {"DestinationCidrBlock": "0.0.0.0/0", "State": "active"}
NAT, INTERNET = {**ANYWHERE, "NatGatewayId": "nat-1"}, {**ANYWHERE, "GatewayId": "igw-1"}
LOCAL = {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local"}


class Agent:
    """An API server with HyperPod's agent, or without."""

    def __init__(self, image: str | None) -> None:
        self.image = image

    def find(self, _path: str) -> t.Any:
        return self.image and {"spec": {"template": {"spec": {"containers": [{"image": self.image}]}}}}


def read(
    stubbed: t.Any,
    *,
    cluster: t.Mapping[str, t.Any] | None = None,
    cni: t.Any = "v1.19.2-eksbuild.1",
    image: str | None = None,
    subnets: t.Sequence[t.Any] = (),
    tables: t.Sequence[t.Any] = (),
    endpoints: t.Sequence[t.Any] = (),
) -> State:
    (eks, of_eks), (ec2, of_ec2) = stubbed("eks"), stubbed("ec2")
    of_eks.add_response("describe_cluster", {"cluster": dict(CLUSTER if cluster is None else cluster)}, {"name": "pods"})
    request = {"clusterName": "pods", "addonName": "vpc-cni"}
    if cni.startswith("v"):
        of_eks.add_response("describe_addon", {"addon": {"addonVersion": cni}}, request)
    else:
        of_eks.add_client_error("describe_addon", cni, expected_params=request)
    ids = {"Filters": [{"Name": "subnet-id", "Values": ["subnet-1", "subnet-2"]}]}
    if cni.startswith("v") or cni == "ResourceNotFoundException":
        of_ec2.add_response("describe_subnets", {"Subnets": list(subnets)}, ids)
        if subnets:
            of_ec2.add_response("describe_route_tables", {"RouteTables": list(tables)}, IN_VPC)
            of_ec2.add_response("describe_vpc_endpoints", {"VpcEndpoints": list(endpoints)}, IN_VPC)
    return observe(Api(eks), Api(ec2), lambda: Agent(image), "pods", ["subnet-2", "subnet-1"])


def table(name: str, *routes: dict[str, str], vpc: str = VPC, **association: t.Any) -> dict[str, t.Any]:
    return {"RouteTableId": name, "VpcId": vpc, "Associations": [association], "Routes": list(routes)}


@pytest.mark.parametrize(
    ("cluster", "cni", "expected"),
    [
        (CLUSTER, "v1.19.2-eksbuild.1", Eks("pods", "ACTIVE", "1.34", "API", VPC, "v1.19.2-eksbuild.1")),
        ({}, "ResourceNotFoundException", Eks("pods", "", "", "CONFIG_MAP", "", None)),
        ({"accessConfig": {}, "resourcesVpcConfig": {}}, "ResourceNotFoundException", Eks("pods", "", "", "CONFIG_MAP", "", None)),
    ],
)
def test_the_cluster_is_read(stubbed: t.Any, cluster: dict[str, t.Any], cni: str, expected: Eks) -> None:
    assert read(stubbed, cluster=cluster, cni=cni) == State(expected, Chart(False, "missing"), {})


def test_an_add_on_that_cannot_be_read_is_an_error(stubbed: t.Any) -> None:
    with pytest.raises(AwsError, match="DescribeAddon for EKS cluster pods"):
        read(stubbed, cni="AccessDeniedException")


def test_the_chart_is_read(stubbed: t.Any) -> None:
    assert read(stubbed, image="example.com/health-monitoring-agent:1.0.742").chart == Chart(True, "1.0.742")


def test_an_unreachable_api_server_leaves_the_chart_unknown(stubbed: t.Any) -> None:
    (eks, of_eks), (ec2, of_ec2) = stubbed("eks"), stubbed("ec2")
    of_eks.add_response("describe_cluster", {"cluster": CLUSTER})
    of_eks.add_client_error("describe_addon", "ResourceNotFoundException")
    of_ec2.add_response("describe_subnets", {"Subnets": []})
    assert observe(Api(eks), Api(ec2), unreachable, "pods", []).chart == Chart(None, "not checked: no way to it")


OWN = {"SubnetId": "subnet-1"}
S3 = {"ServiceName": "com.amazonaws.us-west-2.s3", "VpcId": VPC, "State": "Available"}


@pytest.mark.parametrize(
    ("tables", "endpoints", "public", "reaches_s3"),
    [
        ([], [], False, False),
        ([table("own", LOCAL, **OWN)], [], False, False),
        ([table("own", NAT, **OWN)], [], False, True),
        ([table("own", INTERNET, **OWN)], [], True, True),
        ([table("own", {"DestinationIpv6CidrBlock": "::/0", "GatewayId": "igw-1"}, **OWN)], [], True, True),
        ([table("own", {**LOCAL, "GatewayId": "igw-1"}, **OWN)], [], False, False),
        ([table("main", INTERNET, Main=True), table("own", LOCAL, **OWN)], [], False, False),
        ([table("main", INTERNET, Main=True), table("other", NAT, SubnetId="subnet-9")], [], True, True),
        ([table("main", INTERNET, Main=True, vpc="vpc-9")], [], False, False),
        ([{"RouteTableId": "own", "VpcId": VPC}], [], False, False),
        ([table("own", LOCAL, **OWN)], [{**S3, "RouteTableIds": ["own"]}], False, True),
        ([table("own", LOCAL, **OWN)], [{**S3, "RouteTableIds": ["other"]}], False, False),
        ([table("own", LOCAL, **OWN)], [{**S3, "VpcEndpointType": "Interface"}], False, True),
        ([table("own", LOCAL, **OWN)], [{**S3, "VpcEndpointType": "Gateway"}], False, False),
        ([table("own", LOCAL, **OWN)], [{**S3, "VpcEndpointType": "Interface", "VpcId": "vpc-9"}], False, False),
        ([table("own", LOCAL, **OWN)], [{**S3, "VpcEndpointType": "Interface", "State": "pending"}], False, False),
        ([table("own", LOCAL, **OWN)], [{**S3, "VpcEndpointType": "Interface", "ServiceName": "com.amazonaws.us-west-2.ec2"}], False, False),
    ],
)
def test_the_routes_of_a_subnet_determine_its_egress(stubbed: t.Any, tables: t.Any, endpoints: t.Any, public: bool, reaches_s3: bool) -> None:
    subnets = [{"SubnetId": "subnet-1", "VpcId": VPC, "AvailableIpAddressCount": 7}]
    found = read(stubbed, subnets=subnets, tables=tables, endpoints=endpoints).subnets
    assert found == {"subnet-1": NodeSubnet("subnet-1", VPC, 7, public, reaches_s3)}
