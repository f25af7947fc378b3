# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared NodePools."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.node_pools import PROFILES, node_pools

POOL = {"name": "gpus", "node_class": "gpus"}
TYPE, ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"


def spec(**more: t.Any) -> t.Any:
    return node_pools("x", [{**POOL, **more}])[0]["definition"]["spec"]


def test_a_pool_needs_a_name_and_a_class_only() -> None:
    found = spec()
    assert found["template"]["spec"] == {
        "nodeClassRef": {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"},
        "requirements": [{"key": TYPE, "operator": "Exists"}],
        "expireAfter": "720h",
    }
    assert found["disruption"] == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "2m",
        "budgets": [{"nodes": "10%"}],
    }


def test_the_training_profile_does_not_disrupt_busy_nodes() -> None:
    found = spec(disruption="training")
    assert found["template"]["spec"]["expireAfter"] == "Never"
    assert found["disruption"]["consolidationPolicy"] == "WhenEmpty"
    assert {"nodes": "0", "reasons": ["Drifted", "Underutilized"]} in found["disruption"]["budgets"]


def test_settings_override_a_profile() -> None:
    found = spec(disruption={"profile": "training", "consolidate_after": "30m"}, expire_after="48h")
    assert (found["disruption"]["consolidateAfter"], found["disruption"]["consolidationPolicy"]) == ("30m", "WhenEmpty")
    assert found["template"]["spec"]["expireAfter"] == "48h"
    assert PROFILES["training"]["consolidate_after"] == "10m"


def test_all_other_fields_are_built() -> None:
    zone = {"key": ZONE, "operator": "In", "values": ["us-gov-west-1a"]}
    taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
    found = spec(
        requirements=[zone],
        limits={"nvidia.com/gpu": 16, "cpu": "500m"},
        labels={"team": "a"},
        taints=[taint],
        startup_taints=[taint],
        weight=10,
    )
    assert found["template"]["spec"]["requirements"] == [zone]
    assert found["template"]["spec"]["taints"] == found["template"]["spec"]["startupTaints"] == [taint]
    assert found["template"]["metadata"] == {"labels": {"team": "a"}}
    assert (found["limits"], found["weight"]) == ({"nvidia.com/gpu": "16", "cpu": "500m"}, 10)


def test_empty_fields_that_karpenter_refuses_are_left_out() -> None:
    found = spec(labels={}, taints=[{"key": "a", "value": "", "effect": "NoSchedule"}])
    assert "metadata" not in found["template"]
    assert found["template"]["spec"]["taints"] == [{"key": "a", "effect": "NoSchedule"}]


@pytest.mark.parametrize(("schedule", "duration"), [("0 9 * * mon-fri", "8h"), ("@daily", "30m"), ("@weekly", "1h30m")])
def test_a_budget_may_have_a_schedule(schedule: str, duration: str) -> None:
    budget = {"nodes": "0", "schedule": schedule, "duration": duration, "reasons": ["Drifted"]}
    assert spec(**disrupted(budgets=[budget]))["disruption"]["budgets"] == [budget]


def needed(**requirement: t.Any) -> dict[str, t.Any]:
    return {"requirements": [{"key": TYPE, "operator": "In", "values": ["ml.g5.8xlarge"], **requirement}]}


def tainted(**taint: t.Any) -> dict[str, t.Any]:
    return {"taints": [{"key": "a", "effect": "NoSchedule", **taint}]}


def disrupted(**given: t.Any) -> dict[str, t.Any]:
    return {"disruption": given}


def at(**budget: t.Any) -> dict[str, t.Any]:
    return disrupted(budgets=[{"nodes": 1, "schedule": "0 9 * * 1", "duration": "8h", **budget}])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodeclass": "a"}, "x[0].nodeclass: unknown; did you mean node_class? "),
        ({"name": ""}, "x[0].name: missing."),
        ({"name": "a.b"}, "x[0].name: 'a.b' is not allowed."),
        ({"node_class": "A"}, "x[0].node_class: 'A' is not allowed."),
        ({"state": None}, "x[0].state: None is not allowed."),
        (
            {"requirements": {}} | needed(key="karpenter.sh/capacity-type"),
            "x[0].requirements[0].key: 'karpenter.sh/capacity-type' is not allowed.",
        ),
        (needed(operator="Gt"), "x[0].requirements[0].operator: 'Gt' is not allowed."),
        (needed(values=[]), "x[0].requirements[0].values: missing; operator In requires at least one value."),
        (needed(operator="Exists"), "Allowed: no values with operator Exists."),
        (needed(values=["g5.8xlarge"]), "Allowed: HyperPod instance types such as ml.g5.8xlarge."),
        (needed(values=[8]), "x[0].requirements[0].values: 8 is not allowed. Allowed: texts."),
        (needed(key=ZONE, values=["usw2-az1"]), "Allowed: names of Availability Zones such as us-west-2a."),
        (needed(key="kubernetes.io/arch", values=["arm64"]), "x[0].requirements[0].values: 'arm64' is not allowed."),
        (needed(value="a"), "x[0].requirements[0].value: unknown; did you mean values? "),
        ({"limits": {"cpu": "many"}}, "x[0].limits.cpu: 'many' is not allowed. Allowed: an amount"),
        ({"limits": {"cpu": True}}, "x[0].limits.cpu: True is not allowed."),
        ({"limits": ["cpu"]}, "x[0].limits: ['cpu'] is not allowed."),
        ({"labels": {"a b": "c"}}, "x[0].labels.a b: 'a b' is not allowed."),
        ({"labels": {"a": "b c"}}, "x[0].labels.a: 'b c' is not allowed."),
        ({"labels": {"a": 1}}, "x[0].labels.a: 1 is not allowed."),
        (tainted(effect="Never"), "x[0].taints[0].effect: 'Never' is not allowed."),
        (tainted(key="/a"), "x[0].taints[0].key: '/a' is not allowed."),
        (tainted(value="a b"), "x[0].taints[0].value: 'a b' is not allowed."),
        ({"startup_taints": [{"key": "a"}]}, "x[0].startup_taints[0].effect: missing."),
        ({"weight": 0}, "x[0].weight: 0 is not allowed. Allowed: 1 to 100."),
        ({"weight": "10"}, "x[0].weight: '10' is not allowed."),
        ({"expire_after": "30d"}, "x[0].expire_after: '30d' is not allowed. Allowed: a duration such as"),
        ({"disruption": "serving"}, "x[0].disruption.profile: 'serving' is not allowed. Allowed: inference, training."),
        ({"disruption": []}, "x[0].disruption: [] is not allowed."),
        (disrupted(policy="WhenEmpty"), "x[0].disruption.policy: unknown. Allowed: "),
        (disrupted(consolidation_policy="Never"), "x[0].disruption.consolidation_policy: 'Never' is not allowed."),
        (disrupted(consolidate_after="soon"), "x[0].disruption.consolidate_after: 'soon' is not allowed."),
        (disrupted(budgets=[]), "x[0].disruption.budgets: an empty list is not allowed"),
        (disrupted(budgets=[{"nodes": "101%"}]), "x[0].disruption.budgets[0].nodes: '101%' is not allowed."),
        (
            disrupted(budgets=[{"nodes": 1, "reasons": ["Expired"]}]),
            "x[0].disruption.budgets[0].reasons: 'Expired' is not allowed.",
        ),
        (disrupted(budgets=[{"nodes": 1, "schedule": "0 9 * * 1"}]), "schedule and duration must be set together"),
        (
            disrupted(budgets=[{"nodes": 1, "schedule": "9am", "duration": "8h"}]),
            "x[0].disruption.budgets[0].schedule: '9am' is not allowed.",
        ),
        (at(schedule="@reboot"), "x[0].disruption.budgets[0].schedule: '@reboot' is not allowed."),
        (at(duration="Never"), "x[0].disruption.budgets[0].duration: 'Never' is not allowed."),
        (at(duration="90s"), "Allowed: hours and minutes such as 8h, 30m or 1h30m."),
        (at(duration="30m1h"), "x[0].disruption.budgets[0].duration: '30m1h' is not allowed."),
        (at(reasons=[]), "x[0].disruption.budgets[0].reasons: an empty list is not allowed"),
        (at(reasons=["Empty", "Empty"]), "given more than once"),
        (disrupted(budgets=[{"nodes": 1}] * 51), "x[0].disruption.budgets: a list of 51 is not allowed. Allowed: 50 at most."),
        ({"requirements": [{"key": TYPE, "operator": "Exists"}] * 101}, "x[0].requirements: a list of 101 is not allowed."),
        ({"labels": {f"l{place}": "a" for place in range(101)}}, "x[0].labels: a mapping with 101 labels is not allowed."),
        ({"labels": {"karpenter.sh/nodepool": "a"}}, "x[0].labels.karpenter.sh/nodepool: 'karpenter.sh/nodepool' is not allowed."),
        ({"labels": {"compatibility.karpenter.sh/a": "b"}}, "Allowed: keys other than Karpenter's own and kubernetes.io/hostname."),
        ({"labels": {"kubernetes.io/hostname": "a"}}, "x[0].labels.kubernetes.io/hostname: 'kubernetes.io/hostname' is not allowed."),
    ],
)
def test_invalid_node_pools_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        node_pools("x", [{**POOL, **given}])
    assert message in str(refused.value)


def test_a_pool_to_delete_needs_no_class() -> None:
    (found,) = node_pools("x", [{"name": "gpus", "state": "absent"}])
    assert found["state"] == "absent" and "spec" not in found["definition"]
    with pytest.raises(Refused, match="node_class: missing"):
        node_pools("x", [{"name": "gpus"}])
    with pytest.raises(Refused, match="given more than once"):
        node_pools("x", [POOL, POOL])
