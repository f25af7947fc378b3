# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned cluster or nodes, quotas, price, and the next steps."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.hyperpod_cluster import planned

from .conftest import VARIABLES


def observed(exists: bool, *changes: dict[str, t.Any]) -> dict[str, t.Any]:
    group = {"name": "head", "instance_type": "ml.m5.large", "instance_count": 2}
    cluster = {"exists": exists, "cluster_arn": "arn:ml", "definition": {"instance_groups": [group]}}
    return {**VARIABLES, "__hyperpod_cluster_plan": {"changes": list(changes), "cluster": cluster}}


CREATE = {"action": "create", "resource": "cluster ml", "field": None, "before": None, "after": {}}


def test_a_new_cluster_has_no_lock() -> None:
    new, there = planned.plan(observed(True, CREATE)), planned.plan(observed(True))
    assert (new.creates, new.exists, new.arn, new.adds) == (True, False, None, True)
    assert (there.creates, there.exists, there.arn, there.adds) == (False, True, "arn:ml", False)
    grown = planned.plan(observed(True, {**CREATE, "resource": "cluster ml group head"}))
    assert (grown.creates, grown.exists, grown.adds) == (False, True, True)
    assert grown.prices == [{"instance_type": "ml.m5.large", "count": 2}]


SCRIPT = {"source_s3_uri": "s3://sagemaker-x", "on_create": "on_create.sh"}


@pytest.mark.parametrize(
    ("changes", "check", "orchestrator", "without"),
    [
        ([CREATE], True, "eks", "head, system"),
        ([{**CREATE, "resource": "cluster ml group system"}], True, "eks", "system"),
        ([{**CREATE, "resource": "cluster ml group gpus"}], True, "eks", ""),
        ([{**CREATE, "action": "update", "resource": "cluster ml group head"}], True, "eks", ""),
        ([CREATE], False, "eks", ""),
        ([CREATE], True, "slurm", ""),
    ],
)
def test_new_groups_of_eks_need_a_lifecycle_script(changes: list[t.Any], check: bool, orchestrator: str, without: str) -> None:
    found = observed(True, *changes)
    groups = [{"name": "head"}, {"name": "system"}, {"name": "gpus", "life_cycle_config": SCRIPT}]
    found["__hyperpod_cluster_plan"]["cluster"]["definition"] = {"instance_groups": groups, "orchestrator": {orchestrator: {}}}
    findings = planned.unscripted({**found, "ansible_check_mode": check})
    assert [(each["kind"], each["code"]) for each in findings] == [("pending", "cluster-group-without-scripts")] * bool(without)
    assert all(f"groups {without} have no life_cycle_config" in each["text"] for each in findings)


def scaled(on: str = "Enable", *changes: dict[str, t.Any], **seen: t.Any) -> dict[str, t.Any]:
    known = observed(True, *changes)
    known["__hyperpod_cluster_plan"]["cluster"]["definition"]["auto_scaling"] = {"mode": on}
    return {**known, "__hyperpod_cluster_karpenter": seen}


GONE = {"action": "delete", "resource": "cluster ml group auto", "field": None, "before": {"nodes": 0}, "after": None}
CLASSES = {"node_classes": [{"name": "gpus", "groups": ["auto", "other"]}]}


def test_a_removed_group_must_not_belong_to_a_node_class() -> None:
    (refusal,) = planned.scaled(scaled("Enable", GONE, **CLASSES))
    assert (refusal["kind"], refusal["subject"]) == ("failure", "auto")
    assert "belongs to NodeClass gpus" in refusal["text"] and "run karpenter first" in refusal["text"]
    assert planned.scaled(scaled("Enable", GONE, node_classes=[])) == []
    assert planned.plan(scaled("Disable", GONE)).groups_that_go == []
    assert planned.plan(scaled("Enable", {**GONE, "resource": "cluster ml"})).groups_that_go == []


def test_groups_with_unknown_node_classes_are_not_removed() -> None:
    (refusal,) = planned.scaled(scaled("Enable", GONE, msg="no entry\x1b."))
    assert (refusal["kind"], refusal["code"]) == ("failure", "cluster-group-scaled")
    assert "whether the instance groups to delete (auto) belong to a NodeClass of Karpenter: no entry?." in refusal["text"]
    assert "Set hyperpod_cluster_kubeconfig to a kubeconfig" in refusal["text"]


def test_the_api_server_is_reached_as_configured() -> None:
    assert planned.login(VARIABLES) == planned.Login(None, None)
    mine = {"hyperpod_cluster_kubeconfig": "~/.kube/tunnel", "hyperpod_cluster_context": "tunnel"}
    assert planned.login({**VARIABLES, **mine}) == planned.Login("~/.kube/tunnel", "tunnel")


def quota(name: str, enough: bool | None, pending: float | None = None) -> dict[str, t.Any]:
    applied = None if enough is None else 4.0
    return {"name": name, "used": 3, "planned": 2, "applied": applied, "pending": pending, "enough": enough}


@pytest.mark.parametrize(("required", "kind"), [(True, "failure"), (False, "note"), ("false", "note")])
def test_a_low_quota_is_reported(required: object, kind: str) -> None:
    others = {**quota("of other clusters", True), "planned": 0}
    quotas = [quota("p5", False, 8.0), quota("m5", True), others, quota("g5", None), quota("g6", None)]
    known = {**VARIABLES, "hyperpod_cluster_require_quota": required, "__hyperpod_cluster_quotas": {"quotas": quotas}}
    low, room, unknown, price = planned.room({**known, "__hyperpod_cluster_prices": {"told": "about 3.00 USD an hour"}})
    assert (low["kind"], low["code"]) == (kind, "quota-too-low")
    assert low["text"].startswith("The quota 'p5' is 4, and 5 are needed; an increase to 8 was requested.")
    assert room["text"] == "Quotas with the new nodes (used + planned of the limit): p5 3 + 2 of 4; m5 3 + 2 of 4."
    assert room["kind"] == unknown["kind"] == price["kind"] == "note" and "g5, g6" in unknown["text"]
    assert price["text"] == "Price of the new nodes: about 3.00 USD an hour."


def test_unlisted_quotas_are_unknown() -> None:
    known = {**VARIABLES, "__hyperpod_cluster_quotas": {"quotas": [quota("g5", None)]}, "__hyperpod_cluster_prices": {"told": "none"}}
    assert [each["code"] for each in planned.room(known)] == ["quota-unknown", "price"]


def test_the_next_step_is_reported_once() -> None:
    done = {"__hyperpod_cluster_done": {"cluster": {"name": "ml", "cluster_arn": "arn:ml"}}}
    (finding,) = planned.outcome({**observed(True, CREATE), **done})
    assert finding["text"] == "Cluster ml was created: arn:ml. Once it is in the inventory, run login_access to let users log in."
    assert planned.outcome({**observed(True, CREATE), **done, "ansible_check_mode": True}) == []
    assert planned.outcome({**observed(True), **done}) == []


def test_unmet_and_unknown_eks_requirements_are_distinguished() -> None:
    rows = [("version", True), ("VPC CNI", None), ("addresses", False)]
    requirements = [{"name": name, "met": met, "found": "a", "needed": "b", "note": ""} for name, met in rows]
    found = planned.eks_findings({**VARIABLES, "__hyperpod_cluster_eks": {"requirements": requirements}})
    assert [(each["kind"], each["subject"]) for each in found] == [("failure", "addresses"), ("note", "VPC CNI")]
    assert [each["text"] for each in found] == [
        "The EKS cluster or its subnets do not meet a requirement of HyperPod: addresses. Result of the check: a. Required: b.",
        "It is unknown whether the EKS cluster and its subnets meet a requirement of HyperPod: VPC CNI. Result of the check: a. Required: b.",
    ]


def test_requirements_that_are_met_temporarily_are_a_note() -> None:
    text = "A requirement of HyperPod needs attention: version. Result of the check: 1.31."
    requirements = [{"name": "version", "met": True, "found": "1.31", "needed": "1.30 to 1.35", "note": "EKS upgrades it soon"}]
    (found,) = planned.eks_findings({**VARIABLES, "__hyperpod_cluster_eks": {"requirements": requirements}})
    assert (found["kind"], found["code"], found["text"]) == ("note", "eks-requirement", f"{text} EKS upgrades it soon.")
