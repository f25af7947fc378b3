# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request for deep health checks, the nodes that it covers, and what prevents it."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import Check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.plan import checked, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
STRESS, ALL = ("InstanceStress",), ("InstanceStress", "InstanceConnectivity")


def state(status: str = "InService") -> State:
    answer = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "InstanceGroups": [{"InstanceGroupName": name} for name in "ab"]}
    cluster = Cluster.from_api(answer)
    return State(cluster, tuple(Node(f"i-{name}{turn}", name, "compute", "ml.m5.large", "Running", "", "", "") for name in "ab" for turn in (1, 2)))


def test_one_request_covers_all_groups() -> None:
    checks = [Check("a", STRESS, ("i-a2",)), Check("b", ALL)]
    configurations = [
        {"InstanceGroupName": "a", "DeepHealthChecks": ["InstanceStress"], "InstanceIds": ["i-a2"]},
        {"InstanceGroupName": "b", "DeepHealthChecks": ["InstanceStress", "InstanceConnectivity"]},
    ]
    changes = (
        Change("update", "nodes of group a", "deep health check", None, ["InstanceStress"]),
        Change("update", "nodes of group b", "deep health check", None, ["InstanceStress", "InstanceConnectivity"]),
    )
    arguments = {"ClusterName": ARN, "DeepHealthCheckConfigurations": configurations}
    assert plan(checks, state()).steps == (Step("StartClusterHealthCheck", arguments, changes),)


@pytest.mark.parametrize(
    ("checks", "nodes"),
    [
        ([Check("a", STRESS)], {"i-a1", "i-a2"}),
        ([Check("a", STRESS, ("i-a2",))], {"i-a2"}),
        ([Check("a", STRESS, ("i-a2",)), Check("b", ALL)], {"i-a2", "i-b1", "i-b2"}),
    ],
)
def test_a_check_covers_the_nodes_of_its_groups(checks: list[Check], nodes: set[str]) -> None:
    assert checked(checks, state()) == nodes


@pytest.mark.parametrize(
    ("check", "status", "option", "message"),
    [
        (Check("c", STRESS), "InService", "instance_groups", "cluster ml has no such instance group"),
        (Check("a", STRESS, ("i-b1",)), "InService", "instance_groups.a.node_ids", "the group has no such node"),
        (Check("a", STRESS), "Updating", "", "Cluster ml is Updating"),
    ],
    ids=["group", "node of another group", "busy cluster"],
)
def test_impossible_checks_are_refused(check: Check, status: str, option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        plan([check], state(status))
    assert refused.value.option == option
