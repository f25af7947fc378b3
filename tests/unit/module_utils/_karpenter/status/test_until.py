# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of conditions that a wait is still waiting for."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.until import (
    failed,
    left,
    left_text,
    unready,
    unready_text,
)
from karpenter_objects import ARN, LATE, claim, inside, node_class, outside, pod, pool


def desired(pools: t.Any = None, classes: t.Any = None) -> Desired:
    return Desired(ARN, "ready", pools, classes)


WRONG = State(
    inside(classes=(node_class(ready="no \x1b group"), node_class(name="b")), pools=[pool(), pool("x", ready="bad"), pool("y", ready=False)]),
    outside(status="Creating"),
)


@pytest.mark.parametrize(
    ("pools", "classes", "expected"),
    [
        (None, None, ["HyperpodNodeClass gpus (no ? group)", "NodePool x (bad)", "NodePool y (Some)"]),
        (("gpus",), ("b",), []),
        ((), (), []),
        (("gone", "x"), (), ["NodePool gone (does not exist)", "NodePool x (bad)"]),
        ((), ("gone",), ["HyperpodNodeClass gone (does not exist)"]),
    ],
)
def test_objects_that_are_not_ready_are_named(pools: t.Any, classes: t.Any, expected: list[str]) -> None:
    assert unready(desired(pools, classes), WRONG) == expected


def test_an_object_without_a_status_is_not_ready() -> None:
    assert unready(desired(()), State(inside(classes=(node_class(ready=None),)), outside())) == ["HyperpodNodeClass gpus (no reason yet)"]


def test_outdated_statuses_and_deleted_objects_are_waited_for() -> None:
    changed = pool(meta={"generation": 2}, observed=1)
    gone = pool("x", meta={"deletionTimestamp": LATE})
    pools, classes = [changed, gone, pool("y", meta={"generation": 2}, observed=2)], (node_class(meta={"deletionTimestamp": LATE}),)
    state = State(inside(pools=pools, classes=classes), outside())
    assert unready(desired(), state) == [
        "HyperpodNodeClass gpus (it is being deleted)",
        "NodePool gpus (its last change was not processed yet)",
        "NodePool x (it is being deleted)",
    ]
    assert [each["ready"] for each in result(desired(), state)["node_pools"]] == [False, False, True]
    assert [each["ready"] for each in result(desired(), state)["node_classes"]] == [False]


def test_an_autoscaler_that_is_not_in_service_is_reported() -> None:
    assert unready_text(desired(("x",), ()), WRONG) == "not ready: NodePool x (bad); the autoscaler is Creating"
    failing = State(WRONG.inside, outside(status="Failed", failure="No role."))
    assert unready_text(desired(("x",), ()), failing) == "not ready: NodePool x (bad); the autoscaler is Failed: No role"
    off = State(inside(pools=[], classes=(), defined=False), outside(mode="Disable", status=""))
    without_kinds = "the API server does not have Karpenter's custom resource definitions yet"
    assert unready_text(desired(("x",)), off).endswith(f"(does not exist); the autoscaler is off; {without_kinds}")
    works = State(WRONG.inside, outside())
    assert unready_text(desired(("x",), ()), works) == "not ready: NodePool x (bad)"


def test_a_failed_autoscaler_ends_the_wait() -> None:
    assert failed(State(inside(), outside(status="Failed", failure="No role."))) == "fix the reported problem of the autoscaler, then run again"
    assert failed(State(inside(), outside(status="Creating"))) is None and failed(WRONG) is None


def test_remaining_objects_of_pools_are_listed() -> None:
    state = State(inside(claims=(claim("a"), claim("b", of="other"))), outside())
    assert [each.meta.name for each in left(desired(), state)] == ["a", "b"]
    assert [each.meta.name for each in left(desired(("other", "more")), state)] == ["b"]
    assert left(desired(("more",)), state) == [] and left(desired(()), state) == []


def test_remaining_objects_are_reported_with_their_blockers() -> None:
    kept = pod("a", nodeName="n", meta={"annotations": {"karpenter.sh/do-not-disrupt": "true"}})
    claims = (claim("x", node="n", meta={"deletionTimestamp": LATE}), claim("y", Launched=True))
    text = left_text(desired(), State(inside(kept, claims=claims), outside()))
    assert text == "waiting for the removal of NodeClaim x (leaving; Pod ns/a has karpenter.sh/do-not-disrupt), NodeClaim y (launched)"


def test_a_line_names_a_limited_number_of_objects() -> None:
    state = State(inside(claims=tuple(claim(f"c{turn}") for turn in range(8))), outside())
    assert left_text(desired(), state).endswith("NodeClaim c4 (waiting) and 3 more")
