# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid variables of verify_training."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.verify_training import offline

TOKEN = "hf_" + "s3cret" * 5
QUEUED = {"queue": "q", "namespace": "hyperpod-ns-ml"}
RIGHT: dict[str, t.Any] = {
    "verify_training_steps": 40, "verify_training_queue_timeout": 60, "verify_training_start_timeout": 900, "verify_training_timeout": 600,
    "verify_training_image": "pytorch:2", "verify_training_nodes": [], "verify_training_namespace": "", "verify_training_claim": "",
    "verify_training_queue": "", "verify_training_priority_class": "", "verify_training_topology": "", "verify_training_level": "",
    "verify_training_kill": False, "verify_training_kind": "auto",
    "verify_training_model": "", "verify_training_model_endpoint": "https://huggingface.co", "verify_training_model_timeout": 7200,
}  # fmt: skip


def wrong(**given: t.Any) -> list[str]:
    return offline({**RIGHT, **{f"verify_training_{name}": value for name, value in given.items()}}, {})


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"training_cluster_name": "a", "hyperpod_region": "us-gov-west-1"}, []),
        ({"training_cluster_name": "a b", "hyperpod_cluster_arn": "arn"}, []),
        ({"training_cluster_name": "a b", "hyperpod_region": "us-west-2"}, ["training_cluster_name: a b is not allowed"]),
        ({"training_cluster_name": "a"}, ["hyperpod_region: missing; set it to the Region of training_cluster_name."]),
    ],
)
def test_a_cluster_without_hyperpod_needs_a_name_and_a_region(known: dict[str, str], expected: list[str]) -> None:
    found = offline(RIGHT, known)
    assert len(found) == len(expected) and all(text.startswith(words) for text, words in zip(found, expected)), found


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"claim": "fsx", "namespace": "ml"},
        {"queue": "q", "priority_class": "low", "namespace": "hyperpod-ns-ml"},
        {"topology": "preferred", "level": "topology.k8s.aws/network-node-layer-3", **QUEUED},
        {"nodes": ["i-0123456789abcdef0"], "steps": 10000},
        {"kill": True, "claim": "fsx", "namespace": "ml"},
        {"kill": "true", "claim": "fsx", "namespace": "ml", "kind": "Job"},
        {"kill": "false", "kind": "TrainJob"},
        {"model": "meta-llama/Llama-2-7b-hf", "model_arguments": ["-m", "tune"], "model_token": TOKEN, "model_image": "own:1"},
        {"model": "a/b", "model_arguments": ["x.py"], "model_endpoint": "http://mirror.internal:8080"},
        {"model": "a/b", "model_arguments": ["x.py"], "model_token": TOKEN, "model_endpoint": "http://127.0.0.1:8080"},
    ],
)
def test_valid_variables_are_accepted(given: dict[str, t.Any]) -> None:
    assert wrong(**given) == []


@pytest.mark.parametrize("environment", [{"PET_NNODES": "3"}, {"a b": "c"}, "NCCL_DEBUG=INFO"])
def test_a_wrong_environment_is_refused_before_any_request(environment: t.Any) -> None:
    (found,) = wrong(environment=environment)
    assert found.startswith("verify_training_environment: ")


def test_variables_without_role_defaults_are_checked() -> None:
    """The first play of a run checks them before any role is loaded."""
    assert offline({}, {}) == []
    assert [each.partition(":")[0] for each in offline({"verify_training_kill": True}, {})] == ["verify_training_claim"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"steps": 9}, "verify_training_steps: 9 is not allowed. Allowed: 10 to 10000."),
        ({"timeout": 29}, "verify_training_timeout: 29 is not allowed. Allowed: 30 to 86400."),
        ({"image": "A b"}, "verify_training_image: A b is not allowed"),
        ({"nodes": ["node-1"]}, "verify_training_nodes: node-1 is not allowed. Allowed: instance IDs"),
        ({"claim": "A", "namespace": "ml"}, "verify_training_claim: A is not allowed"),
        ({"claim": "fsx"}, "verify_training_namespace: missing; set it to the namespace of verify_training_claim."),
        ({"queue": "q"}, "verify_training_namespace: missing; set it to the namespace of verify_training_queue."),
        ({"namespace": "ml"}, "verify_training_namespace: 'ml' is not allowed"),
        ({"namespace": "M L", "claim": "fsx"}, "verify_training_namespace: M L is not allowed"),
        ({"kill": True}, "verify_training_claim: missing; verify_training_kill requires shared storage for checkpoints."),
        ({"kill": "yes"}, "verify_training_claim: missing; verify_training_kill requires"),
        (
            {"kill": True, "claim": "fsx", "namespace": "ml", "kind": "TrainJob"},
            "verify_training_kill: the launcher of a TrainJob restarts no processes. Choose PyTorchJob or Job.",
        ),
        ({"priority_class": "low"}, "verify_training_queue: missing; verify_training_priority_class applies only to jobs in a queue of Kueue."),
        ({"topology": "required", "level": "x"}, "verify_training_queue: missing; verify_training_topology applies only to jobs in a queue of Kueue."),
        ({"topology": "preferred", **QUEUED}, "verify_training_level: missing; verify_training_topology requires it."),
        ({"level": "x", **QUEUED}, "verify_training_topology: missing; verify_training_level requires it."),
        ({"level": "a b", "topology": "required", **QUEUED}, "verify_training_level: a b is not allowed. Allowed: a label of nodes such as"),
        ({"model": "a/b"}, "verify_training_model_arguments: missing; set it to the program in the image that trains"),
        ({"model": "no-owner", "model_arguments": ["x"]}, "verify_training_model: no-owner is not allowed. Allowed: OWNER/NAME of a model"),
        ({"model": "a/../b", "model_arguments": ["x"]}, "verify_training_model: a/../b is not allowed"),
        ({"model_arguments": ["x"]}, "verify_training_model: missing; verify_training_model_arguments requires a model."),
        ({"model_image": "own:1"}, "verify_training_model: missing; verify_training_model_image requires a model."),
        ({"model_token": TOKEN}, "verify_training_model: missing; verify_training_model_token requires a model."),
        ({"model_image": "A b"}, "verify_training_model_image: A b is not allowed"),
        ({"model_timeout": 1}, "verify_training_model_timeout: 1 is not allowed. Allowed: 30 to 86400."),
        ({"model_endpoint": "ftp://x"}, "verify_training_model_endpoint: ftp://x is not allowed. Allowed: an http or https URL of"),
        ({"model_endpoint": "https://x\n"}, "verify_training_model_endpoint: "),
        ({"model_endpoint": "http://hub", "model_token": TOKEN}, "verify_training_model_endpoint: 'http://hub' is not allowed: the token would be sent"),
        ({"model_endpoint": "http://localhost.evil", "model_token": TOKEN}, "verify_training_model_endpoint: 'http://localhost.evil' is not"),
        ({"model_token": "short"}, "verify_training_model_token: a text of 5 characters is not allowed. Allowed: 8 to 512 visible"),
        ({"model_token": TOKEN, "model_arguments": [f"--token={TOKEN}"]}, "verify_training_model_arguments: contains verify_training_model_token"),
        ({"model_token": TOKEN, "environment": {"A": TOKEN}}, "verify_training_environment: contains verify_training_model_token"),
    ],
)
def test_invalid_variables_are_refused(given: dict[str, t.Any], sentence: str) -> None:
    assert any(each.startswith(sentence) for each in wrong(**given)), wrong(**given)
    assert TOKEN not in " ".join(wrong(**given))
