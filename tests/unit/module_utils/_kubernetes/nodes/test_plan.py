# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes are cordoned and uncordoned, and which are left alone."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import HEALTH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import Desired, KubernetesNode, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.observe import CORDONED_FOR
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.plan import (
    at_work,
    nodes_of,
    not_ready,
    plan,
    unheard,
)

WHY = "repair: unfit for work"


def desired(*numbers: int, state: str = "cordoned", **more: t.Any) -> Desired:
    given = {"reason": WHY, "refuses_pods": False, "until_ready": False, **more}
    return Desired(state=state, instance_ids=tuple(f"i-{number}" for number in numbers), **given)


def there(*nodes: KubernetesNode, pods_seen: bool = True) -> State:
    return State({each.name: each for each in nodes}, pods_seen=pods_seen)


def node(number: int, **more: t.Any) -> KubernetesNode:
    return KubernetesNode(f"hyperpod-i-{number}", **more)


def done(desired: Desired, state: State) -> list[tuple[str, str | None]]:
    steps = plan(desired, state).steps
    return [(step.arguments["node"], step.arguments["patch"]["metadata"]["annotations"][CORDONED_FOR]) for step in steps]


def test_nodes_cordoned_by_others_are_left_alone() -> None:
    others = node(2, unschedulable=True)
    state = there(node(1), others, node(4), node(5, cordoned_for=WHY))
    made = plan(desired(1, 2, 3, 5), state)
    assert [step.arguments["node"] for step in made.steps] == ["hyperpod-i-1", "hyperpod-i-5"]
    after = made.after(state)
    assert after.nodes["hyperpod-i-1"] == node(1, unschedulable=True, cordoned_for=WHY) and after.nodes["hyperpod-i-2"] == others
    assert not plan(desired(1, 2, 3, 5), after)
    assert done(desired(1, 2, 5, state="uncordoned"), after) == [("hyperpod-i-1", None), ("hyperpod-i-5", None)]


def test_a_reason_is_matched_by_its_prefix() -> None:
    state = there(node(1, unschedulable=True, cordoned_for=WHY), node(2, unschedulable=True, cordoned_for="ticket 4711"))
    given = desired(1, 2, state="uncordoned", reason="repair: ")
    assert done(given, state) == [("hyperpod-i-1", None)]
    assert plan(given, state).after(state).nodes["hyperpod-i-1"] == node(1)


def test_running_pods_are_refused_before_any_change() -> None:
    state = there(node(1), node(2, pods=("a/b", "c/d")), node(3, pods=("e/f",)))
    assert len(done(desired(1, 2), state)) == 2
    with pytest.raises(Refused, match="nodes to cordon: a/b, c/d. Wait"):
        plan(desired(1, 2, refuses_pods=True), state)
    assert done(desired(1, refuses_pods=True), state) == [("hyperpod-i-1", WHY)]
    assert at_work(nodes_of(desired(2, 3), state)) == "a/b, c/d, e/f"


def test_without_access_to_pods_nothing_is_cordoned() -> None:
    state = there(node(1, unschedulable=True, cordoned_for=WHY), pods_seen=False)
    with pytest.raises(Refused, match="so it is unknown whether the nodes are idle"):
        plan(desired(1), state)
    assert done(desired(1, state="uncordoned"), state) == [("hyperpod-i-1", None)]


def test_nodes_that_cannot_start_pods_are_reported() -> None:
    state = there(node(1), node(2, not_ready="it is being deleted"))
    assert not_ready(desired(1), state) == ""
    expected = "hyperpod-i-3: the node does not exist in Kubernetes; hyperpod-i-2: it is being deleted"
    assert not_ready(desired(1, 2, 3), state) == expected


@pytest.mark.parametrize(("what", "label"), [("reboot", "UnschedulablePendingReboot"), ("replace", "UnschedulablePendingReplacement")])
def test_a_repair_is_requested_once(what: str, label: str) -> None:
    state = there(node(1, health_status="Schedulable"), node(2), node(3, health_status=label))
    given = desired(1, 2, 3, 4, state="asked", asks_for=what)
    made = plan(given, state)
    assert [(step.arguments["node"], step.arguments["patch"]) for step in made.steps] == [
        (f"hyperpod-i-{number}", {"metadata": {"labels": {HEALTH: label}}}) for number in (1, 2)
    ]
    after = made.after(state)
    assert not plan(given, after) and unheard(nodes_of(given, after)).count(label) == 3
    assert unheard([node(1, health_status="Unschedulable"), node(2)]) == ""


FIRST = "node hyperpod-i-1"


def patch(reason: str | None, unschedulable: bool | None) -> dict[str, t.Any]:
    return {"metadata": {"annotations": {CORDONED_FOR: reason}}, "spec": {"unschedulable": unschedulable}}


@pytest.mark.parametrize(
    ("given", "found", "sent", "change"),
    [
        (desired(1), node(1), patch(WHY, True), Change("update", FIRST, "cordoned", None, WHY)),
        (
            desired(1, state="uncordoned"),
            node(1, unschedulable=True, cordoned_for=WHY),
            patch(None, None),
            Change("update", FIRST, "cordoned", WHY, None),
        ),
        (
            desired(1, state="asked", asks_for="reboot"),
            node(1),
            {"metadata": {"labels": {HEALTH: "UnschedulablePendingReboot"}}},
            Change("update", FIRST, HEALTH, None, "UnschedulablePendingReboot"),
        ),
        (
            desired(1, state="asked", asks_for="replace"),
            node(1, health_status="Schedulable"),
            {"metadata": {"labels": {HEALTH: "UnschedulablePendingReplacement"}}},
            Change("update", FIRST, HEALTH, "Schedulable", "UnschedulablePendingReplacement"),
        ),
    ],
    ids=["cordoned", "uncordoned", "reboot", "replace"],
)
def test_patches_and_changes_are_as_expected(given: Desired, found: KubernetesNode, sent: dict[str, t.Any], change: Change) -> None:
    assert plan(given, there(found)).steps == (Step("PATCH", {"node": "hyperpod-i-1", "patch": sent}, (change,)),)
