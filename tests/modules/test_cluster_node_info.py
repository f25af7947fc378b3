# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_node_info against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.account import NODES
from simulated.shape import reads

NOBODYS = "arn:aws:sagemaker:us-west-2:111111111111:cluster/aaaaaaaaaaaa"


def test_it_only_reads(account):
    found = reads(account, "cluster_node_info", cluster_arn=account.arn)
    assert reads(account, "cluster_node_info", check=True, cluster_arn=account.arn)["nodes"] == found["nodes"]


def test_all_nodes_in_three_listings(account):
    result = account.run("cluster_node_info", cluster_arn=account.arn)
    assert result["complete"] is True
    assert len({node["instance_id"] for node in result["nodes"]}) == NODES
    assert account.calls() == ["DescribeCluster", *["ListClusterNodes"] * 3]
    assert {node["ip"] for node in result["nodes"]} == {None}


def test_addresses_only_on_request(account):
    result = account.run("cluster_node_info", cluster_arn=account.arn, groups=["login-group"], addresses="login")
    assert account.calls().count("DescribeClusterNode") == 3
    assert account.calls().count("ListClusterNodes") == 1
    assert all(node["ip"].startswith("10.1.") and node["az"] == "us-west-2a" for node in result["nodes"])
    node = result["nodes"][0]
    assert node["ssm_target"] == f"sagemaker-cluster:{account.id}_login-group-{node['instance_id']}"


def test_a_listing_that_fails_at_page_two_returns_no_nodes(account):
    account.control("faults", {"kind": "fail_page", "operation": "ListClusterNodes", "page": 2})
    result = account.run("cluster_node_info", cluster_arn=account.arn, aws_config={"retries": {"max_attempts": 1}})
    assert result["failed"]
    assert "nodes" not in result
    assert "ListClusterNodes for cluster ml failed" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed"),
        ({"cluster_arn": NOBODYS}, f"Cluster {NOBODYS} does not exist in Region us-west-2"),
        ({"groups": ["login"]}, "groups: 'login' is not allowed: cluster ml has no such instance group"),
        ({"node_types": {"a": "head"}}, "node_types.a: 'head' is not allowed"),
    ],
)
def test_bad_input_is_refused(account, options, message):
    assert message in account.run("cluster_node_info", **{"cluster_arn": account.arn, **options})["msg"]
