# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls for nodes, and the refusals before a call."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import Addition, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


def state(*, status: str = "InService", mode: str = "Continuous", nodes: int = 60, node_type: str = "Compute") -> State:
    groups = [{"InstanceGroupName": name, "SlurmConfig": {"NodeType": node_type}} for name in "abcdef"]
    answer = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "NodeProvisioningMode": mode, "InstanceGroups": groups}
    cluster = Cluster.from_api(answer)
    listed = [Node(f"i-{turn:08x}", "a", cluster.groups[0].node_type, "ml.m5.large", "Running", "", "", "") for turn in range(nodes)]
    return State(cluster, tuple(listed))


def wanted(verb: str, nodes: int = 0, *additions: tuple[str, int]) -> Desired:
    ids = tuple(f"i-{turn:08x}" for turn in range(nodes))
    return Desired(ARN, verb, ids, tuple(Addition(*each) for each in additions))


@pytest.mark.parametrize(
    ("verb", "operation", "chunks"),
    [
        ("absent", "BatchDeleteClusterNodes", [50, 10]),
        ("rebooted", "BatchRebootClusterNodes", [25, 25, 10]),
        ("replaced", "BatchReplaceClusterNodes", [25, 25, 10]),
    ],
)
def test_operations_are_split_at_the_limits_of_the_api(verb: str, operation: str, chunks: list[int]) -> None:
    found = plan(wanted(verb, 60), state())
    assert {step.operation for step in found.steps} == {operation}
    assert [len(step.arguments["NodeIds"]) for step in found.steps] == chunks == [len(step.changes) for step in found.steps]
    assert len(found.after(state()).nodes) == (0 if verb == "absent" else 60)


@pytest.mark.parametrize(
    ("additions", "calls"),
    [
        ([("a", 50)], [[50]]),
        ([("a", 30), ("b", 20), ("c", 1)], [[30, 20], [1]]),
        ([(name, 1) for name in "abcdef"], [[1] * 5, [1]]),
    ],
)
def test_additions_are_split_at_the_limits_of_a_call(additions: list[tuple[str, int]], calls: list[list[int]]) -> None:
    found = plan(wanted("added", 0, *additions), state(nodes=0))
    counts = [[each["IncrementTargetCountBy"] for each in step.arguments["NodesToAdd"]] for step in found.steps]
    assert counts == calls
    assert len(found.after(state(nodes=0)).nodes) == sum(count for _name, count in additions)


def test_omitted_options_are_not_sent() -> None:
    desired = Desired(ARN, "added", (), (Addition("a", 1), Addition("b", 2, ("us-west-2a",), ("ml.m5.large",))))
    (step,) = plan(desired, state()).steps
    assert step.arguments["NodesToAdd"] == [
        {"InstanceGroupName": "a", "IncrementTargetCountBy": 1},
        {"InstanceGroupName": "b", "IncrementTargetCountBy": 2, "AvailabilityZones": ["us-west-2a"], "InstanceTypes": ["ml.m5.large"]},
    ]


def test_nodes_that_are_gone_are_left_out() -> None:
    assert not plan(wanted("absent", 2), state(nodes=0))
    (step,) = plan(wanted("replaced", 2), state(nodes=1)).steps
    assert step.arguments["NodeIds"] == ["i-00000000"]
    (note,) = plan(wanted("replaced", 2), state(nodes=1)).notes
    assert "i-00000001 is not a node of the cluster" in str(note)


@pytest.mark.parametrize(
    ("desired", "found", "words"),
    [
        (wanted("absent", 1), {"status": "Updating"}, "Cluster ml is Updating"),
        (wanted("replaced", 1), {"node_type": "Controller"}, "node_ids: 'i-00000000' is not allowed. Allowed: nodes other than the Slurm"),
        (wanted("rebooted", 2), {"nodes": 1}, "node_ids: 'i-00000001' is not allowed: the cluster has no such node"),
        (wanted("added", 0, ("a", 1)), {"mode": ""}, "state: 'added' is not allowed"),
        (wanted("added", 0, ("gpu", 1)), {}, "instance_groups: 'gpu' is not allowed"),
    ],
)
def test_invalid_requests_are_refused(desired: Desired, found: dict[str, t.Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(desired, state(**found))


FIRST = "node i-00000000 (a)"
CHANGES = {
    "absent": Change("delete", FIRST),
    "rebooted": Change("update", FIRST, "boot", None, "rebooted"),
    "replaced": Change("update", FIRST, "instance", "i-00000000", KNOWN_AFTER_APPLY),
}
OPERATIONS = {
    "absent": "BatchDeleteClusterNodes",
    "rebooted": "BatchRebootClusterNodes",
    "replaced": "BatchReplaceClusterNodes",
}


@pytest.mark.parametrize("verb", CHANGES)
def test_requests_and_changes_are_as_expected(verb: str) -> None:
    arguments = {"ClusterName": ARN, "NodeIds": ["i-00000000"]}
    assert plan(wanted(verb, 1), state(nodes=1)).steps == (Step(OPERATIONS[verb], arguments, (CHANGES[verb],)),)


def test_a_wait_without_a_call_covers_nodes_that_are_gone() -> None:
    planned = plan(dataclasses.replace(wanted("replaced", 2), route="orchestrator"), state(nodes=1))
    gone = Change("update", "node i-00000001", "instance", "i-00000001", KNOWN_AFTER_APPLY)
    assert planned.steps == (Step("wait", {"NodeIds": ["i-00000000", "i-00000001"]}, (CHANGES["replaced"], gone)),)
    assert [node.instance_id for node in planned.after(state(nodes=1)).nodes] == [KNOWN_AFTER_APPLY]
    planned = plan(dataclasses.replace(wanted("rebooted", 1), route="orchestrator"), state(nodes=1))
    assert planned.steps == (Step("wait", {"NodeIds": ["i-00000000"]}, (CHANGES["rebooted"],)),)


def test_additions_have_the_expected_request_and_changes() -> None:
    planned = plan(wanted("added", 0, ("a", 2), ("b", 1)), state(nodes=0))
    added = [{"InstanceGroupName": "a", "IncrementTargetCountBy": 2}, {"InstanceGroupName": "b", "IncrementTargetCountBy": 1}]
    changes = (Change("create", "nodes of group a", after=2), Change("create", "nodes of group b", after=1))
    assert planned.steps == (Step("BatchAddClusterNodes", {"ClusterName": ARN, "NodesToAdd": added}, changes),)


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        plan(wanted("added", 0, ("x", 1)), state())
    assert refused.value.option == "instance_groups"
