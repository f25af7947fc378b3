# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of Karpenter, and the quota for its nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.model import Quota
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.quotas import Planned, uses
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


def result(*rows: t.Any, groups: t.Sequence[t.Any] = ()) -> dict[str, t.Any]:
    return {"requirements": list(rows), "instance_groups": list(groups), "cluster_nodes": 3}


def codes(found: t.Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["code"]) for each in found.findings]


def test_unmet_requirements_are_failures_and_unknown_ones_notes() -> None:
    found = requirements(variables(result(MET, RECOVERY, AGENT), result(MET, RECOVERY)))
    assert codes(found) == [("failure", "karpenter-requirement"), ("note", "karpenter-requirement")]
    assert found.findings[0]["text"] == "node recovery: None. Karpenter requires: Automatic. Set it."


def test_topology_aware_scheduling_is_switched_off_only_on_request() -> None:
    on = {"name": "topology-aware scheduling", "met": False, "found": "Kueue v0.19.2 has it on", "needed": "off", "remedy": "Do."}
    refused = requirements(variables(result(on)))
    assert codes(refused) == [("failure", "karpenter-requirement")] and not refused.topology_scheduling
    done = requirements(variables(result(on), result(on), karpenter_disables_topology_scheduling=True))
    assert codes(done) == [("note", "karpenter-topology-scheduling")] and done.topology_scheduling
    assert "(Kueue v0.19.2 has it on)" in done.findings[0]["text"]
    assert not requirements(variables(result(on), karpenter_disables_topology_scheduling="false")).topology_scheduling, "as a string from -e"
    off = requirements(variables(result({**on, "met": True}), karpenter_disables_topology_scheduling=True))
    assert codes(off) == [] and not off.topology_scheduling


def test_nodes_are_terminated_only_on_request() -> None:
    full = result(FULL, groups=[group(nodes=2)])
    assert codes(requirements(variables(full))) == [("failure", "karpenter-ends-nodes")]
    assert codes(requirements(variables(full, karpenter_ended_groups=["b"]))) == [("failure", "karpenter-ends-nodes")]
    assert codes(requirements(variables(full, karpenter_ended_groups=["a"]))) == [("note", "karpenter-ends-nodes")]


def test_nodes_of_a_node_class_are_terminated_too_while_the_autoscaler_is_off() -> None:
    full = result(FULL, groups=[group(nodes=2, node_class="gpus", new=True)])
    assert codes(requirements(variables(full))) == [("failure", "karpenter-ends-nodes")]
    assert codes(requirements(variables(full, karpenter_ended_groups=["a"]))) == [("note", "karpenter-ends-nodes")]
    assert [each["instance_type"] for each in requirements(variables(full)).nodes] == ["ml.g5.8xlarge"]


def test_a_group_of_another_node_class_is_refused() -> None:
    (found,) = requirements(variables(result(groups=[group(node_class="other")]))).findings
    assert "Instance group a already belongs to NodeClass other" in found["text"]
    assert "If other is the only NodeClass, use karpenter_state=absent." in found["text"]
    assert requirements(variables(result(groups=[group(node_class="gpus")]))).findings == []
    keeps = [{"name": "gpus", "instance_groups": ["a"]}, {"name": "other", "instance_groups": ["b"]}]
    moved = variables(result(groups=[group(node_class="other")]), karpenter_node_classes=keeps)
    assert requirements(moved).findings == []


G5, P5, P4, M5 = "ml.g5.8xlarge", "ml.p5.48xlarge", "ml.p4d.24xlarge", "ml.m5.large"
FLEXIBLE = group("b", types=[P5, G5])


def test_one_node_of_each_type_of_new_groups_is_planned() -> None:
    groups = [group("a"), group("b"), group("c", types=[P5, P4], spot=True), group("d", node_class="gpus", types=["x"])]
    found = requirements(variables(result(groups=groups)))
    assert found.nodes == [
        {"instance_type": G5, "spot": False, "count": 1},
        {"instance_type": P4, "spot": True, "count": 1},
        {"instance_type": P5, "spot": True, "count": 1},
    ]
    assert found.cluster_nodes == 3 + 2 and requirements(variables()).cluster_nodes == 0


def taking(kind: str, operator: str = "In", **more: t.Any) -> dict[str, t.Any]:
    """A NodePool."""
    requirement = {"key": "node.kubernetes.io/instance-type", "operator": operator, "values": [kind]}
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2a"]}
    return {"name": "pool", "node_class": "gpus", "requirements": [requirement, zone], **more}


def test_only_types_of_a_flexible_group_that_node_pools_use_are_planned() -> None:
    classes = [{"name": "gpus", "instance_groups": ["a", "b"]}, {"name": "other", "instance_groups": ["c"]}]

    def types_for(*pools: t.Any) -> list[str]:
        given = variables(result(groups=[FLEXIBLE]), karpenter_node_classes=classes, karpenter_node_pools=list(pools))
        return [each["instance_type"] for each in requirements(given).nodes]

    assert types_for() == [G5, P5] and types_for({"name": "pool", "node_class": "gpus"}) == [G5, P5]
    assert types_for(taking(G5)) == [G5] and types_for(taking(G5, "NotIn")) == [P5] and types_for(taking(G5), taking(P5, name="more")) == [G5, P5]
    assert types_for(taking(G5, node_class="other")) == types_for(taking(M5)) == [G5, P5]
    assert types_for({"name": "pool", "state": "absent"}) == [G5, P5]


def quotas(**applied: float | None) -> list[dict[str, t.Any]]:
    """As returned by ``service_quota_info``: of these types, of all, and of one cluster; ``enough`` refers to its own plan."""
    names = {"g5": G5, "p5": P5, "m5": M5}
    types = [(f"{names[name]} for cluster usage", value) for name, value in applied.items() if name in names]
    everything = "Total number of instances allowed across SageMaker HyperPod clusters"
    one = "Maximum number instances allowed per SageMaker HyperPod cluster"
    rows = [*types, (everything, applied.get("all", 100.0)), (one, applied.get("one", 100.0))]
    return [{"name": name, "applied": value, "used": 0, "planned": 1, "pending": None} for name, value in rows]


def roomy(*groups: t.Any, rows: t.Sequence[t.Any], **more: t.Any) -> list[tuple[str, str, str]]:
    given = {"karpenter_require_quota": True, "__karpenter_quotas": {"quotas": list(rows)}, **more}
    return [(each["kind"], each["code"], each["subject"]) for each in room(variables(result(groups=groups), **given))]


def test_low_quotas_are_reported() -> None:
    low = {**quotas(g5=0.0)[0], "pending": 4.0}
    given = {"karpenter_require_quota": True, "__karpenter_quotas": {"quotas": [low, *quotas()]}}
    (found,) = room(variables(result(groups=[group()]), **given))
    assert (found["kind"], found["code"]) == ("failure", "quota-too-low")
    sentence = f"The quota '{G5} for cluster usage' is 0, so Karpenter could not add a node of a new group; an increase to 4 was requested."
    assert found["text"].startswith(sentence)
    some = {**low, "applied": 2.0, "used": 2, "pending": None}
    (one,) = room(variables(result(groups=[group()]), **{**given, "__karpenter_quotas": {"quotas": [some, *quotas()]}}))
    assert "is 2, with 2 in use, so Karpenter could not add a node of a new group. Request" in one["text"]
    for no in (False, "false"):
        assert roomy(group(), rows=quotas(g5=0.0), karpenter_require_quota=no) == [("note", "quota-too-low", low["name"])]
    assert roomy(group(), rows=quotas(g5=None)) == [("note", "quota-unknown", "")] and roomy(group(), rows=quotas(g5=1.0)) == []


def test_one_type_with_quota_is_sufficient_for_a_flexible_group() -> None:
    assert roomy(FLEXIBLE, rows=quotas(p5=0.0, g5=1.0)) == roomy(FLEXIBLE, rows=quotas(p5=None, g5=1.0)) == []
    assert roomy(FLEXIBLE, rows=quotas(p5=0.0, g5=None)) == [("note", "quota-unknown", "")]
    low = ("failure", "quota-too-low", f"{P5} for cluster usage")
    assert roomy(FLEXIBLE, rows=quotas(p5=0.0, g5=0.0)) == [low]
    only = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": ["b"]}], "karpenter_node_pools": [taking(P5)]}
    assert roomy(FLEXIBLE, rows=quotas(p5=0.0, g5=1.0), **only) == [low]
    given = {"karpenter_require_quota": True, "__karpenter_quotas": {"quotas": quotas(p5=0.0, g5=0.0)}}
    (found,) = room(variables(result(groups=[FLEXIBLE]), **given))
    assert f"not add a node of a new group (the quotas of its other types are also too low: {G5} for cluster usage). Request" in found["text"]


def test_exceeded_quotas_of_other_types_do_not_count() -> None:
    others = {**quotas(m5=1.0)[0], "used": 2, "planned": 0, "enough": False}
    assert roomy(group(), rows=[others, *quotas(g5=1.0)]) == []
    unknown = {**others, "applied": None, "enough": None}
    assert roomy(group(), rows=[unknown, *quotas(g5=1.0)]) == []


def test_the_total_quota_counts_one_node_per_choice_of_types() -> None:
    groups = (group(), FLEXIBLE, group("c"))
    assert roomy(*groups, rows=quotas(g5=9.0, p5=9.0, all=2.0, one=5.0)) == []
    found = roomy(*groups, rows=quotas(g5=9.0, p5=9.0, all=1.0, one=4.0))
    assert [subject.split()[0] for _kind, _code, subject in found] == ["Total", "Maximum"]


@pytest.mark.parametrize(
    ("applied", "subjects"),
    [({}, []), ({G5: 0, P5: 0}, [P5]), ({G5: 0}, []), ({M5: 1}, []), ({"Total": 5}, ["Total"]), ({"Maximum": 3}, ["Maximum"])],
)
def test_the_plan_is_accepted_by_the_quota_module(applied: dict[str, float], subjects: list[str]) -> None:
    given = variables(result(groups=[FLEXIBLE]), karpenter_require_quota=True)
    wanted = requirements(given)
    planned = Planned.from_options({"planned": wanted.nodes, "cluster_nodes": wanted.cluster_nodes, "volume_size_in_gb": 0})
    rows = [
        use.to_result(Quota("sagemaker", "L-1", use.name, float(applied.get(use.name.split()[0], 9)), adjustable=True), pending=None)
        for use in uses(planned, {(M5, False): 5})
    ]
    found = room({**given, "__karpenter_quotas": {"quotas": rows}})
    assert [each["subject"].split()[0] for each in found] == subjects and all(each["kind"] == "failure" for each in found)
