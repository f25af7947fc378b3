# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training cluster in a VPC that another team created, which stays as it is."""

from __future__ import annotations

import json
import typing as t

import pytest
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, REMOVED, Definition, everything, mutating
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
NETWORK = ("vpcs", "subnets", "addresses", "gateways", "tables")


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas=QUOTAS, price_list=True)
        yield made
    made.world.settings(service_quotas={}, price_list=False)


class Network:
    """A VPC with a private subnet in each of two zones, a public subnet, and a subnet without a default route."""

    def __init__(self, world: TrainingWorld) -> None:
        self.ec2 = world.aws("ec2")
        self.vpc = self.ec2.create_vpc(CidrBlock="192.168.0.0/16")["Vpc"]["VpcId"]
        for name in ("EnableDnsSupport", "EnableDnsHostnames"):
            self.ec2.modify_vpc_attribute(VpcId=self.vpc, **{name: {"Value": True}})
        self.private, self.second = self._subnet(0, "a"), self._subnet(1, "b")
        self.public, self.closed = self._subnet(2, "a"), self._subnet(3, "a")
        gateway = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=self.vpc)
        address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
        nat = self.ec2.create_nat_gateway(SubnetId=self.public, AllocationId=address)["NatGateway"]["NatGatewayId"]
        self._table([self.private, self.second], NatGatewayId=nat)
        self._table([self.public], GatewayId=gateway)
        self._table([self.closed])

    def _subnet(self, number: int, zone: str) -> str:
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=f"192.168.{number * 16}.0/20", AvailabilityZone=f"us-west-2{zone}")
        return str(made["Subnet"]["SubnetId"])

    def _table(self, subnets: t.Iterable[str], **target: str) -> None:
        table = self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]
        if target:
            self.ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **target)
        for each in subnets:
            self.ec2.associate_route_table(RouteTableId=table, SubnetId=each)

    def variables(self, *subnets: str, nodes: str = "") -> dict[str, t.Any]:
        return {
            "training_cluster_vpc_id": self.vpc,
            "training_cluster_subnet_ids": [*(subnets or (self.private, self.second))],
            "training_cluster_node_subnet_id": nodes or self.private,
        }


def test_a_cluster_is_built_in_the_network_of_someone_else(world: TrainingWorld) -> None:
    network, missing = Network(world), "subnet-0123456789abcdef0"
    before = everything(world)
    with step("networks that do not work are refused before the first change"):
        for variables, text in (
            (network.variables(network.private, network.public), "all are in us-west-2a"),
            (network.variables(network.private, missing), f"'{missing}' is not allowed: EC2 does not have it in this Region"),
            (network.variables(nodes=network.public), "leads to an internet gateway, but nodes have no public addresses"),
            (network.variables(nodes=network.closed), "nodes cannot reach these services: the default route in"),
        ):
            world.world.reset_calls()
            refused = Definition(world, **variables).playbook(*ACCEPTED)
            assert refused.rc != 0 and text in " ".join(refused.output.split()) and mutating(world) == [], refused.log
    definition = Definition(world, **network.variables())
    with step("a private endpoint is announced before the creation"):
        world.world.reset_calls()
        private = definition.playbook("-e", json.dumps({"training_cluster_public_access_cidrs": []}))
        text = f"The API server of the new cluster has only a private endpoint in {network.vpc} (192.168.0.0/16)"
        assert private.rc == 0 and text in " ".join(private.output.split()) and mutating(world) == [], private.log
    with step("the run creates no network"):
        built = definition.playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        cluster = world.aws("eks").describe_cluster(name=NAME)["cluster"]["resourcesVpcConfig"]
        assert set(cluster["subnetIds"]) == {network.private, network.second}
        group = world.aws("eks").describe_nodegroup(clusterName=NAME, nodegroupName="gpu")["nodegroup"]
        assert (group["status"], group["subnets"]) == ("ACTIVE", [network.private])
        after = everything(world)
        assert {kind: after[kind] for kind in NETWORK} == {kind: before[kind] for kind in NETWORK}
    with step("the next run changes nothing"):
        world.world.reset_calls()
        again = definition.playbook(*ACCEPTED)
        assert (again.rc, again.changed) == (0, 0) and mutating(world) == [], again.log
    with step("the removal leaves the network"):
        removed = definition.playbook(*REMOVED)
        assert removed.rc == 0 and everything(world) == before, removed.log
