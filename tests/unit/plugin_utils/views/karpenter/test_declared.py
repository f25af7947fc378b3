# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared Karpenter objects, and unresolved names."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.declared import declared, proof

GPUS = {"name": "gpus", "instance_groups": ["g5-a"]}
POOL = {"name": "gpus", "node_class": "gpus"}
QUEUE = {"type": "aws-sqs-queue", "metadata": {"queueURL": "q", "queueLength": 5, "awsRegion": "us-west-2"}}


def variables(**more: t.Any) -> dict[str, t.Any]:
    return {
        "karpenter_state": "present",
        "karpenter_node_classes": [GPUS],
        "karpenter_node_pools": [POOL],
        "karpenter_scaled_objects": [],
        "karpenter_prove": [],
        "karpenter_proof_instance_type": "",
        "karpenter_proof_namespace": "default",
        "karpenter_proof_image": "registry.k8s.io/pause:3.10",
        "karpenter_cluster_role": "",
        "karpenter_role_name": "",
        **{f"karpenter_{name}_timeout": 60 for name in ("wait", "ready", "drain", "proof_up", "proof_down")},
        "ansible_check_mode": False,
        "__karpenter_ready": {"node_pools": [{"name": "gpus", "ready": True}]},
        **more,
    }


def test_objects_are_in_the_order_of_their_creation() -> None:
    found = declared(variables(karpenter_node_pools=[POOL, {"name": "old", "state": "absent"}]))
    assert [(each["kind"], each["metadata"]["name"]) for each in found.objects] == [
        ("HyperpodNodeClass", "gpus"),
        ("NodePool", "gpus"),
    ]
    assert (found.class_names, found.pool_names, found.refusals) == (["gpus"], ["gpus"], [])
    assert found.classes == [{"name": "gpus", "groups": ["g5-a"]}]


def test_settings_that_keep_a_node_permanently_are_noted() -> None:
    scaled = {"name": "w", "namespace": "a", "target": {"name": "w"}, "triggers": [QUEUE]}
    found = declared(variables(karpenter_scaled_objects=[scaled, {**scaled, "name": "v", "min_replicas": 2}]))
    assert found.triggers == [{"type": "aws-sqs-queue", "authenticated": False}] and len(found.scaled) == 2
    (note,) = found.notes
    assert note["code"] == "karpenter-replicas" and "ScaledObject v never has fewer pods than its min_replicas (2)" in note["text"]


def test_a_trigger_with_its_own_authentication_is_distinguished() -> None:
    scaled = {"name": "w", "namespace": "a", "target": {"name": "w"}, "triggers": [QUEUE, {**QUEUE, "authentication": "own"}, QUEUE]}
    found = declared(variables(karpenter_scaled_objects=[scaled]))
    assert [(each["type"], each["authenticated"]) for each in found.triggers] == [("aws-sqs-queue", False), ("aws-sqs-queue", True)]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"karpenter_node_classes": []}, "karpenter_node_classes: missing; "),
        ({"karpenter_node_pools": [{**POOL, "node_class": "cpus"}]}, "karpenter_node_pools[0].node_class: 'cpus' is not allowed"),
        (
            {"karpenter_node_classes": [{"name": "gpus", "state": "absent"}, {"name": "cpus", "instance_groups": ["a"]}]},
            "karpenter_node_pools[0].node_class: 'gpus' is not allowed: karpenter_node_classes does not have this NodeClass. Allowed: cpus.",
        ),
        (
            {"karpenter_node_classes": [{"name": "gpus", "state": "absent"}], "karpenter_node_pools": []},
            "karpenter_node_classes: a list with only state: absent is not allowed: to stop scaling the cluster, "
            "set karpenter_state=absent. Allowed: at least one NodeClass with state: present.",
        ),
        (
            {"karpenter_prove": ["cpus"]},
            "karpenter_prove: 'cpus' is not allowed: karpenter_node_pools does not have this NodePool. Allowed: gpus.",
        ),
        ({"karpenter_node_pools": "gpus"}, "karpenter_node_pools: 'gpus' is not allowed"),
        ({"karpenter_scaled_objects": [{"name": "w"}]}, "karpenter_scaled_objects[0].namespace: missing."),
        ({"karpenter_wait_timeout": 0}, "karpenter_wait_timeout: 0 is not allowed. Allowed: 1 to 86400."),
        ({"karpenter_drain_timeout": 3600}, "karpenter_drain_timeout: 3600 is not allowed. Allowed: 1 to 1800."),
        ({"karpenter_ready_timeout": 0}, "karpenter_ready_timeout: 0 is not allowed."),
        ({"karpenter_proof_up_timeout": 0}, "karpenter_proof_up_timeout: 0 is not allowed."),
        ({"karpenter_proof_down_timeout": -1}, "karpenter_proof_down_timeout: -1 is not allowed."),
        ({"karpenter_cluster_role": "hyperpod"}, "karpenter_cluster_role: hyperpod is not allowed. Allowed: the ARN of an IAM role"),
        ({"karpenter_role_name": "a b"}, "karpenter_role_name: a b is not allowed."),
        ({"karpenter_proof_instance_type": "g5.8xlarge"}, "karpenter_proof_instance_type: g5.8xlarge is not allowed."),
        ({"karpenter_proof_namespace": "hyperpod-ns-a"}, "karpenter_proof_namespace: hyperpod-ns-a is not allowed."),
        ({"karpenter_proof_namespace": "Default"}, "karpenter_proof_namespace: Default is not allowed."),
        ({"karpenter_proof_image": "Pause"}, "karpenter_proof_image: Pause is not allowed."),
    ],
)
def test_invalid_declarations_are_refused(more: dict[str, t.Any], message: str) -> None:
    (refusal,) = declared(variables(**more)).refusals
    assert message in refusal["text"], refusal


def test_a_removal_needs_no_other_declaration() -> None:
    assert declared(variables(karpenter_state="absent", karpenter_node_classes=[], karpenter_node_pools=[])).refusals == []
    gone = [{"name": "gpus", "state": "absent"}]
    assert declared(variables(karpenter_state="absent", karpenter_node_classes=gone)).refusals == []


def test_one_of_two_node_classes_can_be_removed() -> None:
    found = declared(variables(karpenter_node_classes=[GPUS, {"name": "old", "state": "absent"}]))
    assert (found.refusals, found.class_names) == ([], ["gpus"])


def test_errors_of_numbers_texts_and_objects_are_reported_together() -> None:
    found = declared(variables(karpenter_wait_timeout=0, karpenter_role_name="a b", karpenter_node_classes=[]))
    assert [each["text"].split(":")[0] for each in found.refusals] == [
        "karpenter_wait_timeout",
        "karpenter_role_name",
        "karpenter_node_classes",
    ]


def test_check_mode_skips_proofs_of_missing_pools() -> None:
    given = {"karpenter_prove": ["gpus", "new"], "__karpenter_ready": {"node_pools": [{"name": "gpus", "ready": True}]}}
    would = proof(variables(ansible_check_mode=True, **given))
    assert would.pools == ["gpus"]
    (note,) = would.notes
    assert (note["kind"], note["subject"]) == ("note", "new")
    assert proof(variables(**given)).pools == ["gpus", "new"] and proof(variables(**given)).notes == []


def test_the_cheapest_type_is_proven_unless_one_is_named() -> None:
    assert proof(variables(karpenter_prove=["gpus"])).instance_type is None
    assert proof(variables(karpenter_proof_instance_type="ml.g5.8xlarge")).instance_type == "ml.g5.8xlarge"
