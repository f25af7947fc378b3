# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_job with replace_pod: the first Pod is deleted, and the job must resume once."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.held import GIVEN, RECOVERS, Held, nothing, over, recreated, rejoined
from unit.module_utils._training.job.trained import PYTORCH

OPTIONS = {**GIVEN, "nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "poll_interval": 1}


def run(simulator, tmp_path, world, **given):
    with Server(world) as kubernetes:
        done = simulator.run("training_job", **{**OPTIONS, **given}, kubeconfig=kubeconfig(kubernetes, tmp_path))
    assert not done.get("failed") and done["changes"] == [] and world.left == [], done
    return done["training_job"]


def codes(job):
    assert all(each["text"].endswith(".") and each["text"].count(". ") <= 1 for each in job["problems"]), job["problems"]
    return [each["code"] for each in job["problems"]]


def test_a_job_that_recovers(simulator, tmp_path):
    world = Held(*RECOVERS)
    job = run(simulator, tmp_path, world)
    assert (job["verdict"], codes(job), job["restarts"], job["first_step"]) == ("passed", [], 1, 0), job
    assert job["text"].startswith("Trained steps 1 to 20 in 2 processes, with one Pod replaced: loss ")
    assert [step for step, _loss in job["losses"]] == [*range(1, 21)] and [step for step, _loss in job["checkpoints"]] == [15, 20]
    worker = job["manifest"]["spec"]["pytorchReplicaSpecs"]["Worker"]
    assert (worker["restartPolicy"], job["manifest"]["spec"]["runPolicy"]["backoffLimit"]) == ("OnFailure", 4)
    ((number, options),) = world.deleted
    assert (number, options["preconditions"]) == (0, {"uid": f"uid-{job['name']}-worker-0-0"})
    assert [method for method, target in world.requests if target.endswith("-worker-0")] == ["DELETE"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "code"),
    [
        ((rejoined(), recreated(), rejoined(3)), "restarted"),
        ((rejoined(), recreated(), recreated(), over), "pod-recreated"),
    ],
)
def test_unplanned_restarts_fail(simulator, tmp_path, turns, code):
    job = run(simulator, tmp_path, Held(*turns))
    assert job["verdict"] == "failed" and code in codes(job), job


@pytest.mark.slow
def test_an_operator_that_does_not_create_the_pod_again(simulator, tmp_path):
    job = run(simulator, tmp_path, Held(rejoined()))
    assert (job["verdict"], codes(job)) == ("failed", ["pod-not-recreated"]), job
    assert job["text"].startswith(f"Pod {job['name']}-worker-0 on a was deleted as planned, and its operator did not create it again. Check")


@pytest.mark.slow
def test_a_caller_that_must_not_delete_pods(simulator, tmp_path):
    world = Held()
    world.refused["DELETE", "-worker-0"], world.message = [403], 'User "u" cannot delete resource "pods" in API group ""'
    job = run(simulator, tmp_path, world)
    assert (job["verdict"], job["failure"], job["problems"]) == ("not_run", "refused", []) and "Allow the caller to delete Pods" in job["text"]


def test_without_the_option_nothing_is_deleted_or_tolerated(simulator, tmp_path):
    world = Held()
    world.turns = [nothing, nothing, nothing, rejoined(), recreated(), over]
    job = run(simulator, tmp_path, world, replace_pod=False)
    assert job["verdict"] == "failed" and "restarted" in codes(job) and world.deleted == [], job
    assert job["manifest"]["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "Never"


def test_a_cluster_without_the_operator(simulator, tmp_path):
    world = Held()
    world.read["/apis/kubeflow.org/v1"] = {"resources": [{"name": "mpijobs"}]}
    job = run(simulator, tmp_path, world)
    assert (job["failure"], job["text"]) == ("kind", "replace_pod: the Pods of a Job may be created again under different names. Choose PyTorchJob.")
    assert ("POST", PYTORCH) not in world.requests
