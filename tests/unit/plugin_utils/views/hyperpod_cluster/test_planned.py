# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planned: a cluster or nodes, quotas and price, and what comes next."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.hyperpod_cluster import planned

from .conftest import VARIABLES


def looked(exists: bool, *changes: dict[str, t.Any]) -> dict[str, t.Any]:
    group = {"name": "head", "instance_type": "ml.m5.large", "instance_count": 2}
    cluster = {"exists": exists, "cluster_arn": "arn:ml", "definition": {"instance_groups": [group]}}
    return {**VARIABLES, "__hyperpod_cluster_plan": {"changes": list(changes), "cluster": cluster}}


CREATE = {"action": "create", "resource": "cluster ml", "field": None, "before": None, "after": {}}


def test_a_cluster_that_is_not_there_has_no_lock() -> None:
    new, there = planned.plan(looked(True, CREATE)), planned.plan(looked(True))
    assert (new.creates, new.exists, new.arn, new.adds) == (True, False, None, True)
    assert (there.creates, there.exists, there.arn, there.adds) == (False, True, "arn:ml", False)
    grown = planned.plan(looked(True, {**CREATE, "resource": "cluster ml group head"}))
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
def test_new_groups_with_eks_have_a_lifecycle_script(changes: list[t.Any], check: bool, orchestrator: str, without: str) -> None:
    found = looked(True, *changes)
    groups = [{"name": "head"}, {"name": "system"}, {"name": "gpus", "life_cycle_config": SCRIPT}]
    found["__hyperpod_cluster_plan"]["cluster"]["definition"] = {"instance_groups": groups, "orchestrator": {orchestrator: {}}}
    findings = planned.unscripted({**found, "ansible_check_mode": check})
    assert [(each["kind"], each["code"]) for each in findings] == [("pending", "cluster-group-without-scripts")] * bool(without)
    assert all(f"groups {without} have no life_cycle_config" in each["text"] for each in findings)


def scaled(on: str = "Enable", *changes: dict[str, t.Any], **seen: t.Any) -> dict[str, t.Any]:
    known = looked(True, *changes)
    known["__hyperpod_cluster_plan"]["cluster"]["definition"]["auto_scaling"] = {"mode": on}
    return {**known, "__hyperpod_cluster_karpenter": seen}


GONE = {"action": "delete", "resource": "cluster ml group auto", "field": None, "before": {"nodes": 0}, "after": None}
CLASSES = {"node_classes": [{"name": "gpus", "groups": ["auto", "other"]}]}


def test_a_group_that_goes_is_under_no_node_class() -> None:
    (refusal,) = planned.scaled(scaled("Enable", GONE, **CLASSES))
    assert (refusal["kind"], refusal["subject"]) == ("failure", "auto")
    assert "belongs to NodeClass gpus" in refusal["text"] and "run karpenter first" in refusal["text"]
    assert planned.scaled(scaled("Enable", GONE, node_classes=[])) == []
    assert planned.plan(scaled("Disable", GONE)).groups_that_go == []
    assert planned.plan(scaled("Enable", {**GONE, "resource": "cluster ml"})).groups_that_go == []


def test_groups_of_which_nobody_can_tell_do_not_go() -> None:
    (refusal,) = planned.scaled(scaled("Enable", GONE, msg="no entry\x1b."))
    assert (refusal["kind"], refusal["code"]) == ("failure", "cluster-group-scaled")
    assert "whether the instance groups to delete (auto) belong to a NodeClass of Karpenter: no entry?." in refusal["text"]
    assert "Set hyperpod_cluster_kubeconfig to a kubeconfig" in refusal["text"]


def test_the_api_server_is_reached_as_somebody_says() -> None:
    assert planned.login(VARIABLES) == planned.Login(None, None)
    mine = {"hyperpod_cluster_kubeconfig": "~/.kube/tunnel", "hyperpod_cluster_context": "tunnel"}
    assert planned.login({**VARIABLES, **mine}) == planned.Login("~/.kube/tunnel", "tunnel")


def quota(name: str, enough: bool | None, pending: float | None = None) -> dict[str, t.Any]:
    applied = None if enough is None else 4.0
    return {"name": name, "used": 3, "planned": 2, "applied": applied, "pending": pending, "enough": enough}


@pytest.mark.parametrize(("required", "kind"), [(True, "failure"), (False, "note"), ("false", "note")])
def test_a_quota_that_is_too_low_is_told(required: object, kind: str) -> None:
    others = {**quota("of other clusters", True), "planned": 0}
    quotas = [quota("p5", False, 8.0), quota("m5", True), others, quota("g5", None), quota("g6", None)]
    known = {**VARIABLES, "hyperpod_cluster_require_quota": required, "__hyperpod_cluster_quotas": {"quotas": quotas}}
    low, room, unknown, price = planned.room({**known, "__hyperpod_cluster_prices": {"told": "about 3.00 USD an hour"}})
    assert (low["kind"], low["code"]) == (kind, "quota-too-low")
    assert low["text"].startswith("The quota 'p5' is 4, and 5 are needed, an increase to 8 was requested.")
    assert room["text"] == "Quotas with the new nodes, used + planned of the allowed number: p5 3 + 2 of 4; m5 3 + 2 of 4."
    assert room["kind"] == unknown["kind"] == price["kind"] == "note" and "g5, g6" in unknown["text"]
    assert price["text"] == "Price of the new nodes: about 3.00 USD an hour."


def test_quotas_that_aws_does_not_list_have_no_room_to_tell() -> None:
    known = {**VARIABLES, "__hyperpod_cluster_quotas": {"quotas": [quota("g5", None)]}, "__hyperpod_cluster_prices": {"told": "none"}}
    assert [each["code"] for each in planned.room(known)] == ["quota-unknown", "price"]


def test_what_comes_next_is_told_once() -> None:
    done = {"__hyperpod_cluster_done": {"cluster": {"name": "ml", "cluster_arn": "arn:ml"}}}
    (told,) = planned.outcome({**looked(True, CREATE), **done})
    assert told["text"] == "Cluster ml was created: arn:ml. Once it is in the inventory, run login_access to let users log in."
    assert planned.outcome({**looked(True, CREATE), **done, "ansible_check_mode": True}) == []
    assert planned.outcome({**looked(True), **done}) == []


def test_what_an_eks_cluster_lacks_is_told_apart_from_what_nobody_knows() -> None:
    rows = [("version", True), ("VPC CNI", None), ("addresses", False)]
    asked = [{"name": name, "met": met, "found": "a", "needed": "b", "note": ""} for name, met in rows]
    found = planned.eks_findings({**VARIABLES, "__hyperpod_cluster_eks": {"requirements": asked}})
    assert [(each["kind"], each["subject"]) for each in found] == [("failure", "addresses"), ("note", "VPC CNI")]


def test_what_an_eks_cluster_meets_for_now_is_a_note() -> None:
    asked = [{"name": "version", "met": True, "found": "1.31", "needed": "1.30 to 1.35", "note": "EKS upgrades it soon"}]
    (found,) = planned.eks_findings({**VARIABLES, "__hyperpod_cluster_eks": {"requirements": asked}})
    assert (found["kind"], found["code"], found["text"]) == ("note", "eks-requirement", "version is 1.31. EKS upgrades it soon.")
