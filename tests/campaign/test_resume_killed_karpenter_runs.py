"""A run of karpenter that is killed after any call, to AWS or to Kubernetes, is simply run again: one of each, nothing doubled."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EksWorld, workers
from mishaps import killed_at_each, killed_at_each_change

pytestmark = pytest.mark.slow
DECLARED = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus"}],
}
GIVEN = ("-e", json.dumps(DECLARED))
GONE = (*GIVEN, "-e", "karpenter_state=absent", "-e", "karpenter_confirm=ml")
LOCK = {"PutParameter", "DeleteParameters", "AddTagsToResource"}
MADE: dict[str, tuple[int, dict[str, t.Any]]] = {
    name: (1, {"operation": name}) for name in ("CreateRole", "PutRolePolicy", "UpdateCluster")
}
REMOVED: dict[str, tuple[int, dict[str, t.Any]]] = {
    name: (1, {"operation": name}) for name in ("UpdateCluster", "DeleteRolePolicy", "DeleteRole")
}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        world.karpenter.start()
        yield world


def others(pods: EksWorld, places: t.Collection[str]) -> set[str]:
    """Calls to AWS that changed something, and are no place to die."""
    return {call["operation"] for call in pods.world.calls(mutating=True)} - LOCK - set(places)


def nothing_again(pods: EksWorld, *arguments: str) -> None:
    pods.world.reset_calls()
    pods.reset_changes()
    again = pods.world.playbook("karpenter", *arguments)
    assert (again.rc, again.changed) == (0, 0), again.told
    assert pods.world.calls(mutating=True) == [] and pods.changes() == []


def test_killed_after_each_call_that_makes_it(pods: EksWorld) -> None:
    pods.world.reset_calls()
    assert set(killed_at_each(pods.world, "karpenter", MADE, *GIVEN)) == set(MADE)
    assert others(pods, MADE) == set()
    nothing_again(pods, *GIVEN)


def test_killed_after_each_object_that_is_deleted_and_made(pods: EksWorld) -> None:
    gone = killed_at_each_change(pods.world, pods.front, "karpenter", *GONE)
    assert {(verb, resource) for verb, resource, _name in gone} == {("delete", "nodepools"), ("delete", "hyperpodnodeclasses")}
    nothing_again(pods, *GONE)
    made = killed_at_each_change(pods.world, pods.front, "karpenter", *GIVEN)
    assert {(verb, resource) for verb, resource, _name in made} == {("patch", "nodepools"), ("patch", "hyperpodnodeclasses")}
    nothing_again(pods, *GIVEN)


def test_killed_after_each_call_that_removes_it(pods: EksWorld) -> None:
    pods.world.reset_calls()
    assert set(killed_at_each(pods.world, "karpenter", REMOVED, *GONE)) == set(REMOVED)
    assert others(pods, REMOVED) == set()
    nothing_again(pods, *GONE)
