# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Slurm nodes that are drained, resumed and repaired."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import (
    ASKED,
    DRAINED,
    OURS,
    QUERY,
    RESUMED,
    Desired,
    Job,
    SlurmNode,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.result import result

IDLE = SlurmNode("a", "10.0.0.1", "idle")
OURS_DRAINED = SlurmNode("b", "10.0.0.2", "draining", f"{OURS}disk")
OF_OTHERS = SlurmNode("c", "10.0.0.3", "drained", "cooling")
DOWN = SlurmNode("d", "10.0.0.4", "down", f"{OURS}disk")
ALL = State((IDLE, OURS_DRAINED, OF_OTHERS, DOWN), (Job("7", "alice", "RUNNING"),), ("10.0.0.9",))


def test_nodes_that_take_jobs_are_drained_and_drained_ones_stay() -> None:
    made = plan(Desired(DRAINED, (), "disk"), ALL)
    (step,) = made.steps
    assert step.arguments == {"names": ["a", "d"], "values": ["state=drain", "reason=mlfleet.hyperpod: disk"]}
    assert [(each.resource, each.after) for each in made.changes] == [("Slurm node a", "drained: disk"), ("Slurm node d", "drained: disk")]
    after = made.after(ALL)
    assert [(node.name, node.state, node.ours) for node in after.nodes] == [
        ("a", "draining", True),
        ("b", "draining", True),
        ("c", "drained", False),
        ("d", "draining", True),
    ]
    assert plan(Desired(DRAINED, (), "disk"), after).steps == ()


@pytest.mark.parametrize("words", ["Action:Reboot", "Action:Replace"])
@pytest.mark.parametrize("state", ["fail", "failing", "down", "idle"])
def test_a_node_with_a_requested_repair_is_not_drained(state: str, words: str) -> None:
    requested = SlurmNode("e", "10.0.0.5", state, words)
    made = plan(Desired(DRAINED, (), "disk"), State((IDLE, requested)))
    assert made.steps[0].arguments["names"] == ["a"] and made.after(State((IDLE, requested))).nodes[1] == requested
    assert plan(Desired(DRAINED, (), "disk"), State((requested,))).steps == ()
    near = SlurmNode("e", "10.0.0.5", state, f"{words} please")
    assert plan(Desired(DRAINED, (), "disk"), State((near,))).steps


def test_only_nodes_that_we_drained_are_resumed() -> None:
    made = plan(Desired(RESUMED, ()), ALL)
    (step,) = made.steps
    assert step.arguments == {"names": ["b"], "values": ["state=resume"]}
    assert plan(Desired(RESUMED, ()), made.after(ALL)).steps == ()


def test_nodes_drained_for_another_reason_stay_drained() -> None:
    assert plan(Desired(RESUMED, (), "di"), ALL).steps and not plan(Desired(RESUMED, (), "new software"), ALL).steps


def test_nodes_drained_by_the_health_check_are_resumed_only_for_its_purpose() -> None:
    state = State((OURS_DRAINED, SlurmNode("e", "10.0.0.5", "drained", f"{OURS}accelerators: unfit-reboot: gpu-xid")))
    assert plan(Desired(RESUMED, (), "accelerators: "), state).steps[0].arguments["names"] == ["e"]
    assert plan(Desired(RESUMED, (), "repair: "), state).steps == ()


def test_a_query_changes_nothing() -> None:
    assert plan(Desired(QUERY, (), jobs="refuse"), ALL).steps == ()


@pytest.mark.parametrize(("asks_for", "words"), [("reboot", "Action:Reboot"), ("replace", "Action:Replace")])
def test_a_repair_is_requested_once_with_the_reason_of_hyperpod(asks_for: str, words: str) -> None:
    state = State((IDLE, OURS_DRAINED), ALL.jobs)
    made = plan(Desired(ASKED, (), "di", asks_for=asks_for), state)
    (step,) = made.steps
    assert step.arguments == {"names": ["a", "b"], "values": ["state=fail", f"reason={words}"]}
    assert [(each.before, each.after) for each in made.changes] == [(None, words), (f"{OURS}disk", words)]
    after = made.after(state)
    assert [(node.state, node.reason) for node in after.nodes] == [("fail", words), ("draining", words)]
    assert plan(Desired(ASKED, (), "di", asks_for=asks_for), after).steps == ()


def test_a_reason_of_the_health_check_may_be_overwritten() -> None:
    node = SlurmNode("e", "10.0.0.5", "drained", f"{OURS}accelerators: unfit-reboot: gpu-xid")
    assert plan(Desired(ASKED, (), "repair: ", asks_for="reboot"), State((node,))).changes[0].before == node.reason


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (OF_OTHERS, ""),
        (OURS_DRAINED, "new software"),
        (SlurmNode("e", "10.0.0.5", "down", "Not responding"), ""),
        (SlurmNode("e", "10.0.0.5", "drained", "Action:Replace"), ""),
        (SlurmNode("e", "10.0.0.5", "drained", "Action:Reboot please"), ""),
    ],
)
def test_a_reason_of_others_is_never_overwritten(node: SlurmNode, reason: str) -> None:
    with pytest.raises(Refused, match=f"addresses: '{node.address}' is not allowed: Slurm node {node.name} has the reason"):
        plan(Desired(ASKED, (), reason, asks_for="reboot"), State((IDLE, node)))


def test_nodes_with_jobs_are_refused_on_request() -> None:
    wanted = Desired(DRAINED, (), "disk", jobs="refuse")
    with pytest.raises(Refused) as refused:
        plan(wanted, ALL)
    assert str(refused.value) == "There are jobs on the nodes, and jobs=refuse is set: 7 of alice. Nothing was changed."
    assert refused.value.finding().code == "jobs-running"
    assert plan(wanted, State((IDLE,))).steps


def test_the_result_has_nodes_jobs_and_unknown_addresses() -> None:
    found = result(State((OURS_DRAINED,), ALL.jobs, ALL.unknown))["slurm_nodes"]
    node: dict[str, t.Any] = {"name": "b", "address": "10.0.0.2", "state": "draining", "reason": f"{OURS}disk", "ours": True}
    node |= {"features": [], "partitions": [], "reservations": [], "gres": []}
    assert found == {"nodes": [node], "jobs": [{"id": "7", "user": "alice", "state": "RUNNING", "nodes": []}], "unknown": ["10.0.0.9"]}


PARAMS: dict[str, t.Any] = {
    "state": "drained",
    "addresses": ["10.0.0.1", "10.0.0.1"],
    "reason": "disk",
    "jobs": "wait",
    "asks_for": None,
    "wait_timeout": 0,
    "poll_interval": 10,
}


def test_valid_options_are_accepted() -> None:
    assert desired(PARAMS) == Desired("drained", ("10.0.0.1",), "disk", "wait")
    assert desired({**PARAMS, "state": "asked", "asks_for": "reboot"}).asks_for == "reboot"
    assert desired({**PARAMS, "state": "resumed", "reason": ""}) == Desired("resumed", ("10.0.0.1",), "", "wait")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"reason": ""}, "reason: missing; Slurm shows users the reason why a node accepts no jobs."),
        ({"reason": 'a "b"'}, "reason: 'a \"b\"' is not allowed. Allowed: 1 to 200 printable"),
        ({"reason": "a\nb"}, "reason: 'a\\nb' is not allowed."),
        ({"reason": "a" * 201}, "reason: '"),
        ({"addresses": ["ml-1"]}, "addresses: 'ml-1' is not allowed."),
        ({"wait_timeout": 86401}, "wait_timeout: 86401 is not allowed. Allowed: seconds from 0 to 86400."),
        ({"state": "asked"}, "asks_for: missing; state=asked requires it."),
        ({"asks_for": "reboot"}, "asks_for: 'reboot' is not allowed: state is drained. Allowed: no value."),
        ({"poll_interval": -1}, "poll_interval: -1 is not allowed."),
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**PARAMS, **wrong})
    assert str(refused.value).startswith(message)
