# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Karpenter asks for, and whether there is room for its nodes."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.requirements import requirements, room

MET = {"name": "orchestrator", "met": True, "found": "eks", "needed": "eks", "remedy": "x."}
RECOVERY = {"name": "node recovery", "met": False, "found": "None", "needed": "Automatic", "remedy": "Set it."}
AGENT = {"name": "health monitoring agent", "met": None, "found": "latest", "needed": "1.0 or newer", "remedy": "Upgrade it."}
FULL = {"name": "nodes of new groups", "met": False, "found": "a has 2", "needed": "0", "remedy": "Scale."}


def group(
    name: str = "a", nodes: int = 0, node_class: str = "", types: t.Sequence[str] = ("ml.g5.8xlarge",), spot: bool = False, **more: t.Any
) -> dict[str, t.Any]:
    made = {"name": name, "nodes": nodes, "node_class": node_class, "instance_types": list(types), "zones": ["z"], "spot": spot}
    return {"new": not node_class, **made, **more}


def variables(*results: t.Any, **more: t.Any) -> dict[str, t.Any]:
    return {
        "karpenter_state": "present",
        "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["a"]}],
        "karpenter_node_pools": [],
        "karpenter_scaled_objects": [],
        "karpenter_prove": [],
        "karpenter_ended_groups": [],
        "karpenter_disables_topology_scheduling": False,
        "__karpenter_requirements": {"results": list(results)},
        **more,
    }


def result(*asked: t.Any, groups: t.Sequence[t.Any] = ()) -> dict[str, t.Any]:
    return {"requirements": list(asked), "instance_groups": list(groups), "cluster_nodes": 3}


def told(found: t.Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["code"]) for each in found.findings]


def test_what_is_missing_is_a_failure_with_its_remedy_and_what_nobody_knows_a_note() -> None:
    found = requirements(variables(result(MET, RECOVERY, AGENT), result(MET, RECOVERY)))
    assert told(found) == [("failure", "karpenter-requirement"), ("note", "karpenter-requirement")]
    assert found.findings[0]["text"] == "node recovery: None. Karpenter asks for: Automatic. Set it."


def test_topology_aware_scheduling_is_switched_off_only_where_somebody_said_so() -> None:
    on = {"name": "topology-aware scheduling", "met": False, "found": "Kueue v0.19.2 has it on", "needed": "off", "remedy": "Do."}
    refused = requirements(variables(result(on)))
    assert told(refused) == [("failure", "karpenter-requirement")] and not refused.topology_scheduling
    done = requirements(variables(result(on), result(on), karpenter_disables_topology_scheduling=True))
    assert told(done) == [("note", "karpenter-topology-scheduling")] and done.topology_scheduling
    assert "(Kueue v0.19.2 has it on)" in done.findings[0]["text"]
    off = requirements(variables(result({**on, "met": True}), karpenter_disables_topology_scheduling=True))
    assert told(off) == [] and not off.topology_scheduling


def test_nodes_are_ended_only_where_somebody_said_so() -> None:
    full = result(FULL, groups=[group(nodes=2)])
    assert told(requirements(variables(full))) == [("failure", "karpenter-ends-nodes")]
    assert told(requirements(variables(full, karpenter_ended_groups=["b"]))) == [("failure", "karpenter-ends-nodes")]
    assert told(requirements(variables(full, karpenter_ended_groups=["a"]))) == [("note", "karpenter-ends-nodes")]


def test_nodes_of_a_node_class_are_ended_too_while_the_autoscaler_is_off() -> None:
    full = result(FULL, groups=[group(nodes=2, node_class="gpus", new=True)])
    assert told(requirements(variables(full))) == [("failure", "karpenter-ends-nodes")]
    assert told(requirements(variables(full, karpenter_ended_groups=["a"]))) == [("note", "karpenter-ends-nodes")]
    assert [each["instance_type"] for each in requirements(variables(full)).nodes] == ["ml.g5.8xlarge"]


def test_a_group_of_another_node_class() -> None:
    (found,) = requirements(variables(result(groups=[group(node_class="other")]))).findings
    assert "Instance group a is under NodeClass other already" in found["text"]
    assert requirements(variables(result(groups=[group(node_class="gpus")]))).findings == []


def test_one_node_of_each_type_of_new_groups() -> None:
    groups = [
        group("a"),
        group("b"),
        group("c", types=["ml.p5.48xlarge", "ml.p4d.24xlarge"], spot=True),
        group("d", node_class="gpus", types=["x"]),
    ]
    found = requirements(variables(result(groups=groups)))
    assert found.nodes == [
        {"instance_type": "ml.g5.8xlarge", "spot": False, "count": 1},
        {"instance_type": "ml.p5.48xlarge", "spot": True, "count": 1},
    ]
    assert found.cluster_nodes == 5 and requirements(variables()).cluster_nodes == 0


def quotas(**more: t.Any) -> dict[str, t.Any]:
    low = {"name": "q", "enough": False, "applied": 0.0, "used": 0, "planned": 1, "pending": 4.0}
    return {
        "karpenter_require_quota": True,
        "__karpenter_quotas": {"quotas": [low, {**low, "enough": True}, {**low, "name": "r", "enough": None}]},
        **more,
    }


def test_quotas() -> None:
    found = room(quotas())
    assert told(found) == [("failure", "quota-too-low"), ("note", "quota-unknown")]
    assert "The quota 'q' is 0, so Karpenter could have no node of a new group, 4 was asked for." in found.findings[0]["text"]
    some = {"name": "q", "enough": False, "applied": 2.0, "used": 2, "planned": 1, "pending": None}
    (one,) = room(quotas(__karpenter_quotas={"quotas": [some]})).findings
    assert one["text"].startswith("The quota 'q' is 2, 2 are in use, so Karpenter could have no node of a new group. Ask")
    assert told(room(quotas(karpenter_require_quota=False)))[0] == ("note", "quota-too-low")
