# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that the cluster does not take: each with its cause and a next step in at most two sentences, and nothing is left."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import CLAIM, NAMESPACE, RUNNING, Trained, ended

GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1}
SHORT = {"queue_timeout": 1, "start_timeout": 10, "timeout": 30}
CLAIMED = {"claim": "fsx", "checkpoint": "c"}
FORBIDDEN = 'pods "training-worker-0" is forbidden: '
WEBHOOK = 'admission webhook "policy.example" denied the request: images of public registries are not allowed.'
LEAVING = f'configmaps "training" is forbidden: unable to create new content in namespace {NAMESPACE} because it is being terminated'
QUEUE = "ValidatingAdmissionPolicy 'governance' denied request: label kueue.x-k8s.io/queue-name is required"
NO_QUOTA = "couldn't assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor gpus, 16 more needed"
WAITS = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}
SUBPATH = 'failed to create subPath directory for volumeMount "checkpoints"'
CONFIG = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "CreateContainerConfigError", "message": SUBPATH}}}]}


def run(simulator, tmp_path, world, **given):
    world.there[CLAIM] = {"spec": {"accessModes": ["ReadWriteMany"]}}
    with Server(world) as kubernetes:
        options = {**GIVEN, **SHORT, **given, "kubeconfig": kubeconfig(kubernetes, tmp_path)}
        done = simulator.run("training_job", **options)
    assert not done.get("failed") and done["changed"] is False and world.left == [], done
    assert "could not be removed" not in str(done.get("warnings")), done
    return done["training_job"]


def not_run(job, failure, *texts):
    assert (job["verdict"], job["failure"], job["problems"]) == ("not_run", failure, []), job
    text = job["text"]
    assert text.endswith(".") and text.count(". ") <= 1 and text.isprintable() and all(each in text for each in texts), text


@pytest.mark.parametrize(
    ("end", "message", "step"),
    [
        ("?dryRun=All", WEBHOOK, "Change the setting that the message names, or choose a different namespace."),
        ("?dryRun=All", QUEUE, f"Set the option queue to a queue of namespace {NAMESPACE}."),
        ("/pytorchjobs", f"{FORBIDDEN}exceeded quota: jobs", "or raise its ResourceQuota."),
        ("/configmaps", LEAVING, f"Wait until namespace {NAMESPACE} no longer exists, or choose a different namespace."),
        ("/configmaps", 'User "u" cannot create resource "configmaps"', f"Allow the caller to create the object in namespace {NAMESPACE}."),
    ],
)
def test_objects_that_are_refused(simulator, tmp_path, end, message, step):
    world = Trained()
    world.refused["POST", end], world.message = [403], message
    not_run(run(simulator, tmp_path, world), "refused", "The API server refuses the ", message.rstrip("."), step)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "step"),
    [
        (f"{FORBIDDEN}exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: 8, limited: 8", "or raise its ResourceQuota."),
        (f"{FORBIDDEN}[maximum memory usage per Container is 1Gi, but limit is 16Gi]", f"Raise the LimitRange of namespace {NAMESPACE},"),
        (f"{FORBIDDEN}violates PodSecurity \"restricted:latest\": runAsNonRoot != true", "enforces Pod Security level baseline or"),
        (WEBHOOK, "Change the setting that the message names"),
    ],
)
@pytest.mark.parametrize("second", [None, RUNNING])
def test_pods_that_are_refused(simulator, tmp_path, message, step, second):
    world = Trained(second, None)
    world.event("uid-{job}", "FailedCreatePod", f"Error creating: {message}")
    not_run(run(simulator, tmp_path, world), "refused", "The API server refuses Pods of the PyTorchJob: ", step)


def test_a_job_that_kueue_does_not_admit(simulator, tmp_path):
    world = Trained(None, None)
    world.queued = NO_QUOTA
    job = run(simulator, tmp_path, world, queue="gpus")
    not_run(job, "allocation", f"Kueue did not admit the PyTorchJob within 1 s: {NO_QUOTA}. Raise queue_timeout, or run again")


def test_a_namespace_that_does_not_exist(simulator, tmp_path):
    world = Trained()
    world.refused["POST", "/configmaps"], world.message = [404], 'namespaces "mlfleet-training" not found'
    not_run(run(simulator, tmp_path, world, queue="gpus"), "refused", "Name a namespace that exists.")


@pytest.mark.slow
@pytest.mark.parametrize("message", ['MountVolume.SetUp failed for volume "pvc-1" : rpc error: timeout', "Unable to attach or mount volumes"])
def test_a_claim_that_cannot_be_mounted(simulator, tmp_path, message):
    world = Trained(ended(), WAITS)
    world.event("uid-{job}-worker-1-0", "FailedMount", message)
    job = run(simulator, tmp_path, world, **CLAIMED)
    not_run(job, "storage", message, "on b: ", f"Check PersistentVolumeClaim {NAMESPACE}/fsx, its CSI driver, and the security groups")


def test_a_folder_of_the_claim_that_cannot_be_created(simulator, tmp_path):
    job = run(simulator, tmp_path, Trained(ended(), CONFIG), **CLAIMED)
    not_run(job, "storage", "worker-1 cannot mount its storage on b: CreateContainerConfigError: failed to create subPath", f"{NAMESPACE}/fsx")
