# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_health_check against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK

STRESS = ["InstanceStress"]


@pytest.fixture
def wanted(small_cluster):
    return {"cluster_arn": small_cluster.arn, "instance_groups": [{"name": "a", "checks": STRESS}], **QUICK}


def ids(small_cluster):
    return {each["InstanceId"] for each in small_cluster.client("sagemaker").list_cluster_nodes(ClusterName="small")["ClusterNodeSummaries"]}


def test_all_nodes_of_a_group(small_cluster, wanted):
    before = ids(small_cluster)
    foreseen = small_cluster.run("cluster_health_check", check=True, **wanted)
    assert foreseen["changed"] and small_cluster.changes() == []
    done = small_cluster.run("cluster_health_check", **wanted)
    assert done["changed"] and done["changes"] == foreseen["changes"] and done["nodes"] == foreseen["nodes"], done
    assert ids(small_cluster) == before
    (operation,) = small_cluster.run("cluster_operation_info", cluster_arn=small_cluster.arn, type="DeepHealthCheck", details=True)["operations"]
    assert operation["status"] == "Done"
    assert operation["operation"]["deep_health_check_details"] == [{"instance_group_name": "a", "deep_health_checks": STRESS}]


def test_a_failed_node_is_waited_for_until_its_replacement_runs(small_cluster, wanted, faults):
    bad, good = sorted(ids(small_cluster))
    faults(kind="partial", operation="StartClusterHealthCheck", nodes=[bad], times=1)
    only = [{"name": "a", "checks": STRESS, "node_ids": [bad]}]
    done = small_cluster.run("cluster_health_check", **{**wanted, "instance_groups": only})
    assert not done.get("failed"), done
    now = {node["instance_id"] for node in done["nodes"]}
    assert bad not in now and good in now and {node["status"] for node in done["nodes"]} == {"Running"} and len(now) == 2


def test_late_checks_are_waited_for(small_cluster, wanted):
    small_cluster.control("settings", {"health_check_delay_seconds": 2})
    try:
        done = small_cluster.run("cluster_health_check", **wanted)
    finally:
        small_cluster.control("settings", {"health_check_delay_seconds": 0})
    assert not done.get("failed"), done
    (operation,) = small_cluster.client("sagemaker").list_cluster_operations(ClusterName="small")["ClusterOperationSummaries"]
    assert operation["Status"] == "Done"


def test_bad_input_is_refused_before_any_call(small_cluster, wanted):
    for wrong, named in (
        ([], "instance_groups: missing"),
        ([{"name": "b", "checks": STRESS}], "instance_groups: 'b' is not allowed"),
        ([{"name": "a", "checks": []}], "instance_groups.a.checks: [] is not allowed"),
        ([{"name": "a", "checks": STRESS}] * 2, "instance_groups"),
        ([{"name": "a", "checks": STRESS, "node_ids": ["a-1"]}], "instance_groups.a.node_ids: 'a-1'"),
        ([{"name": "a", "checks": STRESS, "node_ids": ["i-0123456789abcdef0"]}], "the group has no such node"),
        ([{"name": f"g{turn}", "checks": STRESS} for turn in range(100)], "instance_groups: 100 is not allowed"),
    ):
        refused = small_cluster.run("cluster_health_check", **{**wanted, "instance_groups": wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
