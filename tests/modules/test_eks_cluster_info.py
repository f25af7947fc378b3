# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

ROLE = "arn:aws:iam::111111111111:role/eks"


@pytest.fixture
def made(simulator):
    ec2, eks = simulator.client("ec2"), simulator.client("eks")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
    access = {"authenticationMode": "API_AND_CONFIG_MAP"}
    network = {"subnetIds": [subnet], "endpointPublicAccess": False, "endpointPrivateAccess": True}
    more = {"tags": {"team": "research"}, "deletionProtection": True, "upgradePolicy": {"supportType": "STANDARD"}}
    eks.create_cluster(name="shown", roleArn=ROLE, version="1.34", resourcesVpcConfig=network, accessConfig=access, **more)
    return eks.describe_cluster(name="shown")["cluster"]


def test_the_result_has_the_fields_of_a_kubeconfig(simulator, made):
    found = reads(simulator, "eks_cluster_info", name="shown")["eks_cluster"]
    fields = {name: found[name] for name in ("name", "arn", "status", "version", "endpoint", "authentication_mode")}
    assert fields == {
        "name": "shown",
        "arn": made["arn"],
        "status": "ACTIVE",
        "version": "1.34",
        "endpoint": made["endpoint"],
        "authentication_mode": "API_AND_CONFIG_MAP",
    }
    assert found["certificate_authority"] == made["certificateAuthority"]["data"]
    settings = {name: found[name] for name in ("role_arn", "tags", "deletion_protection", "support_type", "logging", "issues")}
    assert settings == {
        "role_arn": ROLE,
        "tags": {"team": "research"},
        "deletion_protection": True,
        "support_type": "STANDARD",
        "logging": [],
        "issues": [],
    }
    vpc = made["resourcesVpcConfig"]
    assert found["vpc"]["subnets"] == vpc["subnetIds"] and found["vpc"]["endpoint_private_access"] is vpc["endpointPrivateAccess"]
    assert reads(simulator, "eks_cluster_info", name=made["arn"])["eks_cluster"] == found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "name: '' is not allowed. Allowed: the name or the ARN of an EKS cluster."),
        ("a b", "name: 'a b' is not allowed."),
        ("arn:aws:eks:eu-west-1:111111111111:cluster/x", "it is in another Region. Allowed: an EKS cluster in us-west-2."),
        ("arn:aws:sagemaker:us-west-2:111111111111:cluster/x", "is not allowed. Allowed: the name or the ARN of an EKS cluster."),
        ("none", "DescribeCluster for EKS cluster none failed; check the name and the Region"),
    ],
)
def test_bad_names_are_refused(simulator, name, message):
    refused = simulator.run("eks_cluster_info", name=name)
    assert refused["failed"] and message in refused["msg"], refused
