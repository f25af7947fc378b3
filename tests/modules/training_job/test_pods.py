# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that end, vanish or are created again while the module follows the job, and their images."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import CLAIM, RUNNING, Trained, ended, with_image
from unit.module_utils._training.logged import trained

GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1}
CLAIMED = {"claim": "fsx", "checkpoint": "c"}
DIGEST, OTHER = (f"public.ecr.aws/x/pytorch@sha256:{digit * 64}" for digit in "ab")


def run(simulator, tmp_path, world, *, removed=False, **given):
    job = trained(first=given.get("resume_from", 0))
    if removed:
        job.add("removed", 0)
    job = job if given.get("claim") else job.without('"saved"')
    world.logs = ["\n".join(lines) + "\n" for lines in job.pods]
    world.there[CLAIM] = {"spec": {"accessModes": ["ReadWriteMany"]}}
    with Server(world) as kubernetes:
        done = simulator.run("training_job", **GIVEN, **given, kubeconfig=kubeconfig(kubernetes, tmp_path))
    assert not done.get("failed") and world.left == [], done
    return done


def codes(job):
    assert all(each["text"].endswith(".") and each["text"].isprintable() for each in job["problems"]), job["problems"]
    return [each["code"] for each in job["problems"]]


def test_the_digest_of_the_image(simulator, tmp_path):
    job = run(simulator, tmp_path, Trained(*(with_image(ended(), f"docker-pullable://{DIGEST}") for _pod in "ab")))["training_job"]
    assert (job["verdict"], job["image_digests"]) == ("passed", [DIGEST])


def test_different_digests(simulator, tmp_path):
    job = run(simulator, tmp_path, Trained(with_image(ended(), DIGEST), with_image(ended(), OTHER)))["training_job"]
    assert (job["verdict"], codes(job), job["image_digests"]) == ("failed", ["images-differ"], [DIGEST, OTHER])
    assert job["text"].endswith("sha256:aaaaaaaaaaaa on a, sha256:bbbbbbbbbbbb on b. Name the image by its digest.")


def test_an_unknown_digest_is_no_failure(simulator, tmp_path):
    job = run(simulator, tmp_path, Trained(with_image(ended(), "sha256:abc"), ended()))["training_job"]
    assert (job["verdict"], job["image_digests"]) == ("passed", [])


@pytest.mark.slow
@pytest.mark.parametrize(("removed", "warned"), [(False, True), (True, False)])
def test_storage_is_measured_and_checkpoints_are_removed(simulator, tmp_path, removed, warned):
    done = run(simulator, tmp_path, Trained(), removed=removed, resume_from=10, remove_checkpoints=True, **CLAIMED)
    job = done["training_job"]
    assert (job["verdict"], job["checkpoints_removed"]) == ("passed", removed), job
    assert (job["write_mib_per_second"], job["read_mib_per_second"]) == (2048.0, 512.0)
    assert ("The checkpoints stay in mlfleet-training/c of the claim" in str(done.get("warnings"))) is warned


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        (ended(137, reason="Evicted", message="The node was low on resource: memory."), "pod-evicted", "was evicted: Evicted: The node was low"),
        (with_image(ended(137), "", state={"terminated": {"exitCode": 137, "reason": "OOMKilled"}}), "out-of-memory", "ran out of main memory"),
        (ended(137), "pod-failed", "a process was killed (exit status 137). Check the node's kernel log"),
    ],
)
def test_pods_without_memory(simulator, tmp_path, status, code, text):
    job = run(simulator, tmp_path, Trained(ended(), status))["training_job"]
    assert job["verdict"] == "failed" and codes(job) == [code] and text in job["text"] and "on b" in job["text"], job


@pytest.mark.slow
def test_a_pod_that_was_recreated(simulator, tmp_path):
    def recreated(world):
        world.lives[1] += 1
        world.statuses = [ended(), ended()]

    world = Trained(RUNNING, RUNNING)
    world.turns = [lambda world: None, lambda world: None, lambda world: None, recreated]
    job = run(simulator, tmp_path, world)["training_job"]
    assert (job["verdict"], codes(job)) == ("failed", ["pod-recreated"]) and "worker-1 on b replaced it." in job["text"], job
