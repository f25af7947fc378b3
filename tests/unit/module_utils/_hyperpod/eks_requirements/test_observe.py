# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of the answers about an EKS cluster and its subnets."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.observe import observe

SUBNET, VPC = "subnet-1", "vpc-1"


def unreachable() -> t.NoReturn:
    raise Failure("no way to it")


@pytest.mark.parametrize(("state", "leads"), [("active", True), ("blackhole", False), ("filtered", False), ("a-new-state", False)])
def test_only_an_active_route_leads_anywhere(stubbed: t.Any, state: str, leads: bool) -> None:
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
