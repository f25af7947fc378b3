# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_job: options that it refuses without an API server, and jobs on nodes of an API server in memory."""

from __future__ import annotations

import json

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import CLASSES, LEASES, MAPS, NAMESPACE, PYTORCH, SECRETS, Trained, ended
from unit.module_utils._training.logged import trained

GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": ["A b"]}, "nodes: 'A b' is not allowed"),
        ({"gpus": 17}, "gpus: 17 is not allowed. Allowed: 1 to 16."),
        ({"claim": "fsx"}, "checkpoint: missing; claim requires it."),
        ({"kill": True}, "claim: missing; kill requires shared storage with a checkpoint."),
        ({"environment": {"RANK": "1"}}, "environment: 'RANK' is not allowed: the launcher of the processes sets this variable"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
@pytest.mark.slow
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("training_job", **{**GIVEN, **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world():
    world = Trained()
    world.logs = ["\n".join(lines) + "\n" for lines in trained().without('"saved"').pods]
    return world


@pytest.fixture
def options(world, tmp_path):
    with Server(world) as kubernetes:
        yield {**GIVEN, "kubeconfig": kubeconfig(kubernetes, tmp_path), "poll_interval": 1}


def test_two_nodes_train_and_nothing_is_left(simulator, world, options):
    done = simulator.run("training_job", **options)
    assert not done.get("failed") and done["changed"] is False and done["changes"] == [] and world.left == [], done
    job = done["training_job"]
    assert (job["verdict"], job["kind"], job["last_loss"]) == ("passed", "PyTorchJob", pytest.approx(0.503, rel=1e-2)), job
    posts = [target for method, target in world.requests if method == "POST"]
    assert posts == [LEASES, MAPS, CLASSES, f"{PYTORCH}?dryRun=All", PYTORCH]


def test_a_token_is_in_a_secret_and_in_no_result(simulator, world, options):
    given = {**options, "program": None, "arguments": ["/opt/train.py"], "hugging_face_token": "hf_secret_value"}
    done = simulator.run("training_job", **given)
    job = done["training_job"]
    assert (job["verdict"], job["weights"]) == ("passed", "not_assessed") and world.left == [], done
    assert [target for method, target in world.requests if method == "POST"] == [LEASES, MAPS, CLASSES, f"{PYTORCH}?dryRun=All", SECRETS, PYTORCH]
    shown = json.dumps({name: value for name, value in done.items() if name != "invocation"})
    assert "hf_secret_value" not in shown and "HF_TOKEN_PATH" in shown


def test_check_mode_creates_nothing(simulator, world, options):
    done = simulator.run("training_job", check=True, **options)
    assert {method for method, _target in world.requests} == {"GET"} and done["changed"] is False, world.requests
    job = done["training_job"]
    assert (job["verdict"], job["failure"], job["manifest"]["kind"]) == ("not_run", "check-mode", "PyTorchJob"), job


@pytest.mark.parametrize("check", [True, False])
def test_a_foreign_namespace_is_refused_before_anything_is_created(simulator, world, options, check):
    world.there[f"/api/v1/namespaces/{NAMESPACE}"] = {"metadata": {"name": NAMESPACE}}
    refused = simulator.run("training_job", check=check, **options)
    assert refused["failed"] and f"namespace: '{NAMESPACE}' is not allowed: it exists without the label" in refused["msg"], refused
    assert {method for method, _target in world.requests} == {"GET"}


@pytest.mark.slow
def test_a_pod_that_fails(simulator, world, options):
    world.statuses[1] = ended(137, reason="Evicted", message="\x1b[2J no room")
    done = simulator.run("training_job", **options)
    job = done["training_job"]
    assert job["verdict"] == "failed" and job["problems"][0]["code"] == "pod-evicted" and world.left == [], job
    assert all(each["text"].isprintable() for each in job["problems"])
