# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From readings to steps: each step once, in the order of events."""

from __future__ import annotations

import itertools
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.timeline import (
    Seen,
    Smoke,
    Timeline,
    instance_of,
    steps,
)
from unit.module_utils._karpenter.proof.proof_states import claim, node, pod

NODE, ID = "hyperpod-i-0123456789abcdef0", "i-0123456789abcdef0"
LEAVING = {"deletionTimestamp": "x"}
WHOLE = claim("gpus-1", "Launched", "Registered", node=NODE)
ON = Smoke(pod(node=NODE))


def seen(*claims: t.Any, smoke: Smoke | None = None, nodes: tuple[str, ...] = (), instances: t.Any = None) -> Seen:
    return Seen(smoke, claims, nodes={name: node(name) for name in nodes}, instances=instances or {})


@pytest.fixture
def timeline() -> Timeline:
    seconds = itertools.count()
    return Timeline(now=lambda: float(next(seconds)), date=lambda: "2026-11-24T00:00:00Z")


def moments(timeline: Timeline) -> list[tuple[str, str]]:
    return [(each.step, each.name) for each in timeline.moments]


def test_steps_seen_in_one_reading_are_ordered() -> None:
    assert list(steps(seen(WHOLE, smoke=ON, nodes=(NODE,)))) == [
        ("NodeClaim made", "gpus-1"),
        ("NodeClaim launched", "gpus-1"),
        ("node registered", NODE),
        ("node ready", NODE),
        ("pod running", NODE),
    ]


def test_creation_and_removal_have_each_step_once(timeline: Timeline) -> None:
    timeline.record("pod created", "default/a")
    for reading in (
        seen(claim("gpus-1"), smoke=Smoke(pod(phase="Pending"))),
        seen(claim("gpus-1", "Launched", node=NODE), instances={ID: "Pending", "i-1": "Running"}),
        seen(WHOLE, smoke=ON, nodes=(NODE,), instances={ID: "Running", "i-1": "Running"}),
        seen(WHOLE, nodes=(NODE,), instances={ID: "Running"}),
        seen(claim("gpus-1", "Launched", "Registered", node=NODE, meta=LEAVING), nodes=(NODE,), instances={ID: "ShuttingDown"}),
        seen(claim("gpus-1", "Launched", "Registered", node=NODE, meta=LEAVING), nodes=(NODE,)),
        seen(),
        seen(),
    ):
        timeline.see(reading)
    assert moments(timeline) == [
        ("pod created", "default/a"),
        ("NodeClaim made", "gpus-1"),
        ("NodeClaim launched", "gpus-1"),
        ("node registered", NODE),
        ("node ready", NODE),
        ("pod running", NODE),
        ("node being ended", "gpus-1"),
        ("node gone from HyperPod", ID),
        ("node gone from Kubernetes", NODE),
        ("NodeClaim gone", "gpus-1"),
    ]
    assert [each.seconds for each in timeline.moments] == sorted(each.seconds for each in timeline.moments)
    assert timeline.described.startswith("pod created (default/a) after 0 s; NodeClaim made (gpus-1) after 1 s")


def test_a_second_claim_after_a_failed_one_is_recorded(timeline: Timeline) -> None:
    for reading in (seen(claim("gpus-1")), seen(claim("gpus-2")), seen(claim("gpus-2", "Launched"))):
        timeline.see(reading)
    assert moments(timeline) == [
        ("NodeClaim made", "gpus-1"),
        ("NodeClaim made", "gpus-2"),
        ("NodeClaim gone", "gpus-1"),
        ("NodeClaim launched", "gpus-2"),
    ]


def test_a_claim_that_gets_another_type_does_not_count_as_gone(timeline: Timeline) -> None:
    timeline.see(seen(claim("gpus-1", instance_type="")))
    timeline.see(Seen(others=frozenset({"gpus-1"})))
    assert moments(timeline) == [("NodeClaim made", "gpus-1")]
    assert timeline.tracked.left(Seen(others=frozenset({"gpus-1"}))) == []


def test_remaining_objects_are_listed_until_all_are_gone(timeline: Timeline) -> None:
    timeline.see(seen(WHOLE, nodes=(NODE,), instances={ID: "Running"}))
    assert timeline.tracked.left(seen(nodes=(NODE,), instances={ID: "ShuttingDown", "i-1": "Running"})) == [
        f"Node {NODE}",
        f"{ID} ShuttingDown in HyperPod",
    ]
    assert timeline.tracked.left(seen(instances={"i-1": "Running"})) == []


def test_a_node_that_was_never_seen_is_not_reported_as_gone(timeline: Timeline) -> None:
    timeline.see(seen(claim("gpus-1", "Launched", node=NODE)))
    timeline.see(seen())
    assert moments(timeline)[2:] == [("NodeClaim gone", "gpus-1")]


@pytest.mark.parametrize(
    ("smoke", "ran", "lost"),
    [
        (Smoke(pod(phase="Pending")), False, False),
        (Smoke(pod(phase="Running")), True, False),
        (Smoke(pod(phase="Succeeded")), True, False),
        (Smoke(pod(phase="Failed"), "Evicted"), False, True),
        (Smoke(pod(phase="Failed"), "DeadlineExceeded"), False, False),
        (Smoke(pod(phase="Failed")), False, False),
    ],
)
def test_the_outcome_of_a_pod_is_recognised(smoke: Smoke, ran: bool, lost: bool) -> None:
    assert (smoke.ran, smoke.lost) == (ran, lost)


def test_the_instance_id_is_read_from_the_node_name() -> None:
    assert (instance_of(NODE), instance_of("i-1")) == (ID, "i-1")
