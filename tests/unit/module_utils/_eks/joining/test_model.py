# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of AWS as values."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import Cluster, Rule, SecurityGroup, Unread


def test_a_cluster_without_a_public_endpoint_has_no_networks() -> None:
    network = {"endpointPublicAccess": False, "endpointPrivateAccess": True, "publicAccessCidrs": ["0.0.0.0/0"], "vpcId": "vpc-1"}
    groups = {"clusterSecurityGroupId": "sg-1", "securityGroupIds": ["sg-2"], "subnetIds": ["subnet-1"]}
    found = Cluster.from_api({"name": "ml", "resourcesVpcConfig": {**network, **groups}, "accessConfig": {"authenticationMode": "API"}})
    assert found == Cluster("ml", "API", security_groups=("sg-1", "sg-2"), subnets=("subnet-1",), vpc_id="vpc-1")
    assert Cluster.from_api({"name": "ml"}).mode == "CONFIG_MAP"


def test_only_rules_for_tcp_count() -> None:
    every = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-1"}], "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
    tcp = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 445, "PrefixListIds": [{"PrefixListId": "pl-1"}]}
    udp = {"IpProtocol": "udp", "FromPort": 53, "ToPort": 53}
    found = SecurityGroup.from_api({"GroupId": "sg-1", "IpPermissions": [every, tcp, udp]})
    first, second = found.ingress
    assert (first, found.egress) == (Rule(None, ("sg-1",), ("10.0.0.0/8",)), ())
    assert [second.covers(port) for port in (442, 443, 445, 446)] == [False, True, True, False] and first.covers(1)


def test_something_unread_has_its_reason() -> None:
    assert str(Unread("the routes", "UnauthorizedOperation")) == "could not read the routes (UnauthorizedOperation)"
