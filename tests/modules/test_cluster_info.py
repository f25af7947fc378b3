# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_info against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.account import NODES
from simulated import REGION
from simulated.shape import reads


def test_it_only_reads(account):
    found = reads(account, "cluster_info", cluster_arn=account.arn)
    assert reads(account, "cluster_info", check=True, cluster_arn=account.arn)["cluster"] == found["cluster"]


def test_cluster_info_reads_one_cluster(account):
    result = account.run("cluster_info", cluster_arn=account.arn)
    assert account.calls() == ["GetCallerIdentity", "DescribeCluster", "ListTags"]
    cluster = result["cluster"]
    assert (result["account"], cluster["name"], cluster["id"]) == ("111111111111", "ml", account.id)
    assert cluster["tags"] == {"team": "research"}
    assert cluster["orchestrator"] == "slurm"
    types = {group["name"]: (group["node_type"], group["current"]) for group in cluster["groups"]}
    assert types == {
        "controller-machine": ("controller", 1),
        "login-group": ("login", 3),
        "worker-group-1": ("compute", NODES - 4),
    }


def test_cluster_info_reads_all_clusters(account):
    assert [cluster["name"] for cluster in account.run("cluster_info")["clusters"]] == ["ml"]


def test_cluster_info_of_a_cluster_that_does_not_exist(account):
    result = account.run("cluster_info", cluster_name="nosuch")
    assert (result["cluster"], result["clusters"]) == (None, [])


@pytest.mark.parametrize("option", ["cluster_arn", "expected_account"])
def test_the_wrong_account_is_refused_before_any_other_call(account, option):
    other = {"cluster_arn": account.arn.replace("111111111111", "222222222222"), "expected_account": "222222222222"}
    result = account.run("cluster_info", **{option: other[option]})
    assert result["failed"]
    assert "belong to account 111111111111" in result["msg"]
    assert "222222222222" in result["msg"]
    assert account.calls() == ["GetCallerIdentity"]


def test_the_wrong_region_is_refused_without_a_call(account):
    result = account.run("cluster_info", cluster_arn=account.arn.replace(REGION, "eu-west-1"))
    assert result["failed"]
    assert account.calls() == []
