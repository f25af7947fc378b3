# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removed objects, their blockers, and whether Karpenter is removed with them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.removal import autoscaler, emptied, held, removal

OURS = {"name": "gpus", "ours": True, "node_class": "gpus"}
FOREIGN = {"name": "foreign", "ours": False, "node_class": "gpus"}
SCALED = {
    "name": "w",
    "namespace": "a",
    "target": {"name": "w"},
    "triggers": [{"type": "prometheus", "metadata": {"serverAddress": "s", "query": "q", "threshold": 1}}],
}


def claim(pool: str = "gpus", **more: t.Any) -> dict[str, t.Any]:
    return {
        "name": f"{pool}-1",
        "node_pool": pool,
        "node": "hyperpod-i-1",
        "instance_type": "ml.g5.8xlarge",
        "pods": ["a/train"],
        "holding": [],
        **more,
    }


def seen(*claims: t.Any, pools: t.Sequence[t.Any] = (OURS,), classes: t.Sequence[t.Any] = (OURS,)) -> dict[str, t.Any]:
    return {"node_pools": list(pools), "node_classes": list(classes), "node_claims": list(claims)}


def variables(state: str = "absent", **more: t.Any) -> dict[str, t.Any]:
    return {
        "ansible_check_mode": False,
        "karpenter_force": False,
        "karpenter_state": state,
        "karpenter_node_classes": [],
        "karpenter_node_pools": [],
        "karpenter_scaled_objects": [SCALED],
        **more,
    }


def names(objects: t.Sequence[t.Any]) -> list[str]:
    return [each["metadata"]["name"] for each in objects]


def test_all_our_objects_are_removed_and_their_nodes_reported() -> None:
    found = removal(variables(__karpenter_seen=seen(claim(), pools=[OURS, FOREIGN])))
    assert (names(found.pools), names(found.classes), names(found.scaled)) == (["gpus"], [], ["w"])
    assert "spec" not in found.scaled[0]
    (finding,) = found.findings
    assert "their nodes (hyperpod-i-1, ml.g5.8xlarge) and the pods on them: a/train." in finding["text"]


def test_renamed_objects_are_removed_too() -> None:
    renamed = [{"name": "renamed", "instance_groups": ["a"]}]
    found = removal(variables(karpenter_node_classes=renamed, __karpenter_seen=seen()))
    assert (names(found.pools), names(found.classes)) == (["gpus"], ["gpus"])


def test_a_node_class_is_removed_with_the_last_pool_that_uses_it() -> None:
    assert names(removal(variables(__karpenter_seen=seen())).classes) == ["gpus"]
    later = variables(__karpenter_seen=seen(pools=[OURS, FOREIGN]), __karpenter_left=seen(pools=[]))
    assert names(removal(later).classes) == ["gpus"]


def test_an_object_declared_as_absent_is_removed() -> None:
    given = {
        "karpenter_node_pools": [{"name": "old", "state": "absent"}],
        "karpenter_node_classes": [{"name": "old", "state": "absent"}],
    }
    found = removal(variables("present", __karpenter_seen=seen(), **given))
    assert (found.any, names(found.pools), names(found.classes), found.scaled) == (True, ["old"], ["old"], [])
    assert (found.pool_names, found.findings, found.kept) == (["old"], [], [])
    assert removal(variables("present")).any is False


def test_users_of_an_object_are_removed_before_it() -> None:
    mine = {"name": "gpus", "ours": True, "node_class": "old"}
    given = {
        "karpenter_node_pools": [{"name": "old", "state": "absent"}],
        "karpenter_node_classes": [{"name": "old", "state": "absent"}],
        "karpenter_scaled_objects": [{**SCALED, "state": "absent"}],
    }
    found = removal(variables("present", __karpenter_seen=seen(pools=[mine]), **given))
    assert (names(found.everything), found.classes) == (["w", "old", "old"], [])
    assert [each["kind"] for each in found.everything] == ["ScaledObject", "NodePool", "HyperpodNodeClass"]
    assert names(removal(variables(__karpenter_seen=seen(pools=[FOREIGN, OURS]))).everything) == ["w", "gpus", "gpus"]


def test_nodes_of_an_object_declared_as_absent_are_reported() -> None:
    old = {"name": "old", "ours": True, "node_class": "gpus"}
    there = seen(claim("old"), claim(), pools=[OURS, old])
    (finding,) = removal(variables("present", __karpenter_seen=there, karpenter_node_pools=[{"name": "old", "state": "absent"}])).findings
    assert "NodePools old and NodeClasses none, their nodes (hyperpod-i-1, ml.g5.8xlarge)" in finding["text"], finding
    assert "a/train" in finding["text"]


def test_a_node_class_in_use_is_kept_and_pending() -> None:
    there = seen(pools=[{"name": "pool", "ours": True, "node_class": "gpus"}])
    given = {"karpenter_node_classes": [{"name": "gpus", "state": "absent"}], "__karpenter_left": there}
    found = removal(variables("present", __karpenter_seen=there, **given))
    assert found.classes == []
    (kept,) = found.kept
    assert kept["kind"] == "pending" and "NodeClass gpus stays because NodePools use it: pool." in kept["text"]
    gone = {**given, "__karpenter_left": seen(pools=[])}
    assert names(removal(variables("present", __karpenter_seen=there, **gone)).classes) == ["gpus"]


def test_a_group_that_leaves_its_class_is_reported_with_its_nodes() -> None:
    there = seen(claim(instance_group="b"), claim(instance_group="a"), classes=[{**OURS, "groups": ["a", "b"]}])
    given = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": ["a"]}]}
    (finding,) = removal(variables("present", __karpenter_seen=there, **given)).findings
    assert finding["subject"] == "b" and "leaves NodeClass gpus: Karpenter replaces its nodes (hyperpod-i-1)" in finding["text"]
    both = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": ["a", "b"]}]}
    assert removal(variables("present", __karpenter_seen=there, **both)).findings == []


def test_nodes_that_could_not_be_drained_are_reported_unless_they_are_gone() -> None:
    results = [
        {"item": "a", "result": "drained", "msg": ""},
        {"item": "b", "msg": "Node b not found."},
        {"item": "c", "msg": "Forbidden\x1b"},
    ]
    (finding,) = emptied(variables(__karpenter_emptied={"results": results}))
    assert "Node c could not be drained: Forbidden?" in finding["text"]


def test_nodes_of_a_pool_that_an_earlier_run_removed_are_waited_for() -> None:
    found = removal(variables(__karpenter_seen=seen(claim("earlier"), claim("foreign"), pools=[OURS, FOREIGN])))
    assert found.pool_names == ["gpus", "earlier"] and names(found.pools) == ["gpus"]


def left(*claims: t.Any, **more: t.Any) -> dict[str, t.Any]:
    return variables(__karpenter_seen=seen(), __karpenter_left=seen(*claims, pools=[]), **more)


def test_a_blocker_of_a_node_is_pending_with_the_next_step() -> None:
    found = held(left(claim(holding=[{"text": "Pod a/train has karpenter.sh/do-not-disrupt"}]), claim("foreign")))
    assert (found.gone, found.nodes) == (False, ["hyperpod-i-1"])
    assert [(each["kind"], each["code"]) for each in found.findings] == [("pending", "karpenter-held")] * 2
    assert "Pod a/train has karpenter.sh/do-not-disrupt" in found.findings[0]["text"]
    assert "karpenter_force=true" in found.findings[1]["text"]


@pytest.mark.parametrize(("given", "forced"), [(True, True), ("true", True), (False, False), ("false", False)])
def test_pods_are_deleted_only_on_request(given: object, forced: bool) -> None:
    """Also with -e, which passes strings."""
    assert held(left(claim(), karpenter_force=given)).forced is forced
    assert not held(left(claim(node=""), karpenter_force=given)).forced
    assert not held(left(claim(), karpenter_force=given, ansible_check_mode=True)).forced


def test_check_mode_counts_objects_as_gone() -> None:
    assert held(left()).gone
    assert held(left(claim(), ansible_check_mode=True)).gone


def test_karpenter_is_kept_if_others_use_it_or_nodes_remain() -> None:
    assert autoscaler(left()).unused
    assert not autoscaler(left(claim())).unused
    used = autoscaler(variables(__karpenter_seen=seen(pools=[OURS, FOREIGN]), __karpenter_left=seen(pools=[FOREIGN])))
    assert not used.unused and "foreign" in used.findings[0]["text"]


def test_changes_by_others_during_the_wait_count() -> None:
    made = autoscaler(variables(__karpenter_seen=seen(), __karpenter_left=seen(pools=[FOREIGN])))
    assert not made.unused and "foreign" in made.findings[0]["text"]
    removed = autoscaler(variables(__karpenter_seen=seen(pools=[OURS, FOREIGN]), __karpenter_left=seen(pools=[])))
    assert removed.unused and removed.findings == []
    classes = autoscaler(variables(__karpenter_seen=seen(), __karpenter_left=seen(pools=[], classes=[OURS, {**FOREIGN, "name": "b"}])))
    assert not classes.unused and "did not create: b." in classes.findings[0]["text"]
