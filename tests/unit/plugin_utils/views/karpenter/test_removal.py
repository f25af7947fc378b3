# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes, what holds it, and whether Karpenter goes with it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.removal import autoscaler, emptied, held, removal

OURS = {"name": "gpus", "ours": True, "node_class": "gpus"}
THEIRS = {"name": "theirs", "ours": False, "node_class": "gpus"}
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


def test_all_that_is_ours_goes_and_it_is_told_what_goes_with_it() -> None:
    found = removal(variables(__karpenter_seen=seen(claim(), pools=[OURS, THEIRS])))
    assert (names(found.pools), names(found.classes), names(found.scaled)) == (["gpus"], [], ["w"])
    assert "spec" not in found.scaled[0]
    (told,) = found.findings
    assert "their nodes (hyperpod-i-1, ml.g5.8xlarge) and the pods on them: a/train." in told["text"]


def test_also_what_is_declared_by_another_name_by_now() -> None:
    renamed = [{"name": "renamed", "instance_groups": ["a"]}]
    found = removal(variables(karpenter_node_classes=renamed, __karpenter_seen=seen()))
    assert (names(found.pools), names(found.classes)) == (["gpus"], ["gpus"])


def test_a_node_class_goes_with_the_last_pool_that_uses_it() -> None:
    assert names(removal(variables(__karpenter_seen=seen())).classes) == ["gpus"]
    later = variables(__karpenter_seen=seen(pools=[OURS, THEIRS]), __karpenter_left=seen(pools=[]))
    assert names(removal(later).classes) == ["gpus"]


def test_one_that_is_declared_as_absent() -> None:
    given = {
        "karpenter_node_pools": [{"name": "old", "state": "absent"}],
        "karpenter_node_classes": [{"name": "old", "state": "absent"}],
    }
    found = removal(variables("present", __karpenter_seen=seen(), **given))
    assert (found.any, names(found.pools), names(found.classes), found.scaled) == (True, ["old"], ["old"], [])
    assert (found.pool_names, found.findings, found.kept) == (["old"], [], [])
    assert removal(variables("present")).any is False


def test_all_that_goes_is_asked_for_before_whatever_uses_it_still() -> None:
    mine = {"name": "gpus", "ours": True, "node_class": "old"}
    given = {
        "karpenter_node_pools": [{"name": "old", "state": "absent"}],
        "karpenter_node_classes": [{"name": "old", "state": "absent"}],
        "karpenter_scaled_objects": [{**SCALED, "state": "absent"}],
    }
    found = removal(variables("present", __karpenter_seen=seen(pools=[mine]), **given))
    assert (names(found.everything), found.classes) == (["w", "old", "old"], [])
    assert [each["kind"] for each in found.everything] == ["ScaledObject", "NodePool", "HyperpodNodeClass"]
    assert names(removal(variables(__karpenter_seen=seen(pools=[THEIRS, OURS]))).everything) == ["w", "gpus", "gpus"]


def test_what_goes_with_one_that_is_declared_as_absent_is_told() -> None:
    old = {"name": "old", "ours": True, "node_class": "gpus"}
    there = seen(claim("old"), claim(), pools=[OURS, old])
    (told,) = removal(variables("present", __karpenter_seen=there, karpenter_node_pools=[{"name": "old", "state": "absent"}])).findings
    assert "NodePools old and NodeClasses none, their nodes (hyperpod-i-1, ml.g5.8xlarge)" in told["text"], told
    assert "a/train" in told["text"]


def test_a_node_class_that_a_pool_uses_stays_and_is_pending() -> None:
    there = seen(pools=[{"name": "pool", "ours": True, "node_class": "gpus"}])
    given = {"karpenter_node_classes": [{"name": "gpus", "state": "absent"}], "__karpenter_left": there}
    found = removal(variables("present", __karpenter_seen=there, **given))
    assert found.classes == []
    (kept,) = found.kept
    assert kept["kind"] == "pending" and "NodeClass gpus stays because NodePools use it: pool." in kept["text"]
    gone = {**given, "__karpenter_left": seen(pools=[])}
    assert names(removal(variables("present", __karpenter_seen=there, **gone)).classes) == ["gpus"]


def test_a_group_that_leaves_its_class_is_told_with_its_nodes() -> None:
    there = seen(claim(instance_group="b"), claim(instance_group="a"), classes=[{**OURS, "groups": ["a", "b"]}])
    given = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": ["a"]}]}
    (told,) = removal(variables("present", __karpenter_seen=there, **given)).findings
    assert told["subject"] == "b" and "leaves NodeClass gpus: Karpenter replaces its nodes (hyperpod-i-1)" in told["text"]
    both = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": ["a", "b"]}]}
    assert removal(variables("present", __karpenter_seen=there, **both)).findings == []


def test_nodes_that_could_not_be_emptied_but_those_that_are_gone() -> None:
    results = [
        {"item": "a", "result": "drained", "msg": ""},
        {"item": "b", "msg": "Node b not found."},
        {"item": "c", "msg": "Forbidden\x1b"},
    ]
    (told,) = emptied(variables(__karpenter_emptied={"results": results}))
    assert "Node c could not be drained: Forbidden?" in told["text"]


def test_nodes_of_a_pool_that_an_earlier_run_removed_are_waited_for() -> None:
    found = removal(variables(__karpenter_seen=seen(claim("earlier"), claim("theirs"), pools=[OURS, THEIRS])))
    assert found.pool_names == ["gpus", "earlier"] and names(found.pools) == ["gpus"]


def left(*claims: t.Any, **more: t.Any) -> dict[str, t.Any]:
    return variables(__karpenter_seen=seen(), __karpenter_left=seen(*claims, pools=[]), **more)


def test_what_holds_a_node_is_pending_with_the_next_step() -> None:
    found = held(left(claim(holding=[{"text": "Pod a/train has karpenter.sh/do-not-disrupt"}]), claim("theirs")))
    assert (found.gone, found.nodes) == (False, ["hyperpod-i-1"])
    assert [(each["kind"], each["code"]) for each in found.findings] == [("pending", "karpenter-held")] * 2
    assert "Pod a/train has karpenter.sh/do-not-disrupt" in found.findings[0]["text"]
    assert "karpenter_force=true" in found.findings[1]["text"]


@pytest.mark.parametrize(("given", "forced"), [(True, True), ("true", True), (False, False), ("false", False)])
def test_pods_are_deleted_only_where_somebody_says_so(given: object, forced: bool) -> None:
    """Also by -e, which makes texts of both."""
    assert held(left(claim(), karpenter_force=given)).forced is forced
    assert not held(left(claim(node=""), karpenter_force=given)).forced
    assert not held(left(claim(), karpenter_force=given, ansible_check_mode=True)).forced


def test_what_is_gone_and_what_only_would_be() -> None:
    assert held(left()).gone
    assert held(left(claim(), ansible_check_mode=True)).gone


def test_karpenter_stays_where_others_use_it_or_nodes_are_left() -> None:
    assert autoscaler(left()).unused
    assert not autoscaler(left(claim())).unused
    used = autoscaler(variables(__karpenter_seen=seen(pools=[OURS, THEIRS]), __karpenter_left=seen(pools=[THEIRS])))
    assert not used.unused and "theirs" in used.findings[0]["text"]


def test_what_others_did_while_nodes_were_waited_for_counts() -> None:
    made = autoscaler(variables(__karpenter_seen=seen(), __karpenter_left=seen(pools=[THEIRS])))
    assert not made.unused and "theirs" in made.findings[0]["text"]
    removed = autoscaler(variables(__karpenter_seen=seen(pools=[OURS, THEIRS]), __karpenter_left=seen(pools=[])))
    assert removed.unused and removed.findings == []
    classes = autoscaler(variables(__karpenter_seen=seen(), __karpenter_left=seen(pools=[], classes=[OURS, {**THEIRS, "name": "b"}])))
    assert not classes.unused and "use it: b." in classes.findings[0]["text"]
