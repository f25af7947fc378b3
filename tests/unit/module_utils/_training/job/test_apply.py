# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training jobs: their outcome, and that nothing of them is left. test_gone.py covers Pods that are deleted."""

from __future__ import annotations

import contextlib
import os
import signal
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import Interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import logs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, NotRun, PodLog, Ran

from ..._karpenter.proof.api_server import Server
from .applied import NAME, PULL, STARTING, Time, run, runner
from .described import RUN
from .trained import (
    CLASSES,
    JOBS,
    LEASE,
    LEASES,
    MAPS,
    NAMESPACE,
    PODS,
    PYTORCH,
    RUNNING,
    SECRETS,
    SERVICES,
    STEP,
    WAITING,
    Trained,
    ended,
)


def test_logs_are_returned_in_the_order_of_the_pods() -> None:
    world = Trained()
    logs = tuple(PodLog(f"{NAME}-worker-{number}", "ab"[number], text, 0, reasons=("Completed",)) for number, text in enumerate(world.logs))
    assert run(world) == Ran(logs)
    posts = [target for method, target in world.requests if method == "POST"]
    assert posts == [LEASES, MAPS, CLASSES, f"{PYTORCH}?dryRun=All", PYTORCH]


@pytest.mark.parametrize(("kind", "jobs", "before"), [("PyTorchJob", PYTORCH, []), ("Job", JOBS, [SERVICES])])
def test_the_secret_with_the_token_precedes_the_job(kind: str, jobs: str, before: list[str]) -> None:
    world = Trained()
    assert isinstance(run(world, kind, hugging_face_token="hf_secret_value"), Ran)
    assert [target for method, target in world.requests if method == "POST"] == [LEASES, MAPS, CLASSES, f"{jobs}?dryRun=All", *before, SECRETS, jobs]


def test_a_job_has_a_service_for_the_names_of_its_pods() -> None:
    world = Trained()
    assert isinstance(run(world, "Job"), Ran)
    assert [target for method, target in world.requests if method == "POST"] == [LEASES, MAPS, CLASSES, f"{JOBS}?dryRun=All", SERVICES, JOBS]


@pytest.mark.parametrize(
    ("second", "failure", "why"),
    [
        (WAITING, "allocation", "did not place all Pods within 60 s: 0/3 nodes are available:?1 Insufficient nvidia.com/gpu. Check which Pods run on"),
        (None, "allocation", "within 60 s: there is no Pod for 1 of 2 nodes."),
        (PULL, "image", "Pod training-0a1b2c3d-worker-1 cannot start (ImagePullBackOff: no?way). Name an image that the nodes can pull."),
        (STARTING, "timeout", "Not all Pods had started after 900 s (ContainerCreating). Check the events of Pod training-0a1b2c3d-worker-1 on b"),
        ({"phase": "Failed", "reason": "OutOfnvidia.com/gpu"}, "allocation", "Node b refused Pod training-0a1b2c3d-worker-1 (OutOf"),
    ],
)
def test_jobs_that_do_not_start_are_reported(second: t.Any, failure: str, why: str) -> None:
    found = run(Trained(ended(), second))
    assert isinstance(found, NotRun) and found.failure == failure, found
    assert why in found.text, found


@pytest.mark.parametrize(("queue", "who"), [({}, "that its operator runs."), ({"queue": "q"}, "that Kueue admits the job, and that its operator runs.")])
def test_an_operator_that_creates_no_pods_is_reported(queue: dict[str, t.Any], who: str) -> None:
    found = run(Trained(None, None), **queue)
    assert isinstance(found, NotRun) and found.failure == "allocation"
    assert found.text == f"No Pod of the PyTorchJob was created within 60 s. Check {who}"


@pytest.mark.parametrize(
    ("first", "second", "late", "statuses", "trouble"),
    [
        (RUNNING, RUNNING, True, (None, None), ""),
        (ended(), ended(1), False, (0, 1), "Error"),
        (RUNNING, ended(3), False, (None, 3), "Error"),
        (ended(), {**ended(137), "reason": "Evicted", "message": "no\nroom"}, False, (0, 137), "Evicted: no?room"),
    ],
)
def test_the_end_of_each_pod_is_returned(first: t.Any, second: t.Any, late: bool, statuses: tuple[t.Any, ...], trouble: str) -> None:
    found = run(Trained(first, second))
    assert isinstance(found, Ran) and found.late is late, found
    assert tuple(pod.status for pod in found.pods) == statuses and found.pods[1].trouble == trouble


@pytest.mark.parametrize("field", ["elasticPolicy", "nprocPerNode"])
def test_fields_that_the_api_server_drops_are_reported(field: str) -> None:
    world = Trained()
    world.drops = (field,)
    found = run(world)
    assert isinstance(found, NotRun) and found.failure == "fields" and f"discards fields of a PyTorchJob: {field}." in found.text, found
    assert ("POST", PYTORCH) not in world.requests


@pytest.mark.parametrize(("nodes", "owner"), [(["a", "c"], ""), (["a", "b"], "uid-of-others")])
def test_pods_of_others_with_the_label_do_not_count(nodes: list[str], owner: str) -> None:
    world = Trained()
    world.nodes, world.owner = nodes, owner
    found = run(world)
    assert isinstance(found, NotRun) and found.failure == "allocation", found


def test_a_log_that_cannot_be_read_hides_no_other() -> None:
    world = Trained()
    world.refused["GET", "worker-0/log?container=pytorch&limitBytes=8388608"] = [404]
    found = run(world)
    assert isinstance(found, Ran) and "404" in found.pods[0].unread and found.pods[0].text == "" and found.pods[1].text == "second\n"


def test_progress_contains_the_step(tmp_path: Path) -> None:
    world, time = Trained(RUNNING, RUNNING), Time()
    world.logs = ["NCCL INFO\n", f"NCCL INFO\n{STEP}"]
    with Server(world) as kubernetes:
        runner(kubernetes, time=time, progress=tmp_path / "progress")()
    shown = (tmp_path / "progress").read_text()
    assert f"PyTorchJob {NAME} is running (0 of 2 Pods have ended, limit 630 s), step 7, loss 3.25 after" in shown, shown


@pytest.mark.parametrize(
    ("statuses", "line"),
    [
        ((RUNNING, WAITING), f"PyTorchJob {NAME} is queued (1 of 2 Pods have a node, limit 60 s) after 8 s"),
        ((RUNNING, STARTING), f"PyTorchJob {NAME} is pulling the image (1 of 2 Pods run, limit 900 s) after 8 s"),
    ],
)
def test_progress_contains_the_phase_and_its_limit(statuses: tuple[t.Any, ...], line: str, tmp_path: Path) -> None:
    world = Trained(*statuses)
    world.logs = ["", ""]
    with Server(world) as kubernetes:
        runner(kubernetes, time=Time(), progress=tmp_path / "progress")()
    assert line in (tmp_path / "progress").read_text().split("\n")


@pytest.mark.parametrize(("labels", "made"), [({}, False), (None, True)])
def test_a_missing_namespace_is_created_and_a_foreign_one_refused(labels: t.Any, made: bool) -> None:
    world = Trained()
    if made:
        del world.there[f"/api/v1/namespaces/{NAMESPACE}"]
    else:
        world.there[f"/api/v1/namespaces/{NAMESPACE}"] = {"metadata": {"name": NAMESPACE, "labels": labels}}
    with Server(world) as kubernetes:
        if made:
            runner(kubernetes)()
            assert [each["resource"] for each in APPLIED] == [f"Namespace {NAMESPACE}"]
        else:
            with pytest.raises(Refused, match="so it has another owner"):
                runner(kubernetes)()
    assert not [path for path in world.left if path.startswith((LEASE, MAPS, PYTORCH))]


@pytest.mark.parametrize(("end", "status"), [("/configmaps", 500), ("/pytorchjobs", 409), ("?dryRun=All", 500), ("/services", 500), ("/secrets", 500)])
def test_nothing_is_left_after_an_error(end: str, status: int) -> None:
    world = Trained()
    world.refused["POST", end] = [status] * 3
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match=str(status)):
        runner(kubernetes, "Job" if end == "/services" else "PyTorchJob", hugging_face_token="hf_secret_value")()
    assert world.left == []


def test_nothing_is_left_if_pods_may_not_be_listed() -> None:
    world = Trained()
    world.refused["GET", f"{RUN}&limit=500"] = [403]
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="403"):
        runner(kubernetes)()
    assert world.left == []


@pytest.mark.parametrize(
    ("kind", "end", "what"),
    [
        *((kind, "/configmaps", "ConfigMap") for kind in ("PyTorchJob", "Job")),
        ("Job", "/services", "Service"),
        ("Job", "/jobs", "Job"),
        ("PyTorchJob", "/pytorchjobs", "PyTorchJob"),
        ("PyTorchJob", "?dryRun=All", "PyTorchJob"),
    ],
)
@pytest.mark.parametrize("status", [400, 403, 422])
def test_objects_that_the_api_server_refuses_are_reported(kind: str, end: str, what: str, status: int) -> None:
    world = Trained()
    world.refused["POST", end] = [status]
    found = run(world, kind)
    assert isinstance(found, NotRun) and found.failure == "refused", found
    assert found.text.startswith(f"The API server refuses the {what}: admission webhook: no. "), found


LATER = "2026-11-29T03:02:00Z"
"""The time at which the Lease of a run that made its last request at ``NOW`` has expired."""
TOKEN = {"hugging_face_token": "hf_secret_value"}


def changes(kind: str, given: dict[str, t.Any]) -> int:
    """The number of changing requests of an undisturbed run."""
    world = Trained()
    run(world, kind, **given)
    return world.changes


CUTS = [(kind, given, cut) for kind in KINDS for given in ({}, TOKEN) for cut in range(1, changes(kind, given) + 1)]


@pytest.mark.parametrize(("kind", "given", "cut"), CUTS, ids=lambda each: "token" if each == TOKEN else str(each or "plain"))
@pytest.mark.parametrize("after", [False, True])
def test_a_run_that_lost_the_api_server_leaves_nothing_after_the_next_one(kind: str, given: t.Any, cut: int, after: bool) -> None:
    """The next run may be of another kind, and lacks the permission to list Secrets."""
    world = Trained()
    world.cut, world.cut_after, world.dead = cut, after, True
    with Server(world) as kubernetes, contextlib.suppress(KubernetesError):
        runner(kubernetes, kind, **given)()
    assert world.changes >= cut
    world.dead, world.now = False, LATER
    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes, run="4e5f6a7b")(), Ran)
    assert world.left == []
    assert not [target for method, target in world.requests if method == "GET" and "secrets" in target]


def test_nothing_is_left_after_a_signal() -> None:
    class Stopping(Time):
        def sleep(self, seconds: float) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    world = Trained(RUNNING, RUNNING)
    with Server(world) as kubernetes, pytest.raises(Interrupted, match="SIGTERM"):
        runner(kubernetes, time=Stopping())()
    assert world.left == [] and any(target.startswith(PODS) for _method, target in world.requests)


def test_the_end_of_a_long_log_is_read_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST", 6)
    world = Trained()
    found = run(world)
    assert isinstance(found, Ran) and [pod.text for pod in found.pods] == ["first\n\nfirst\n", "second\nsecond"], found
    assert sum("tailLines=500" in target for _method, target in world.requests) == 2


CLAIMED: dict[str, t.Any] = {"claim": "fsx", "checkpoint": "c", "namespace": NAMESPACE}


def test_a_claim_that_cannot_be_mounted_is_reported() -> None:
    world = Trained(ended(), STARTING)
    world.event("uid-{job}-worker-1-0", "FailedMount", 'MountVolume.SetUp failed for volume "pvc-1" : timeout')
    found = run(world, **CLAIMED)
    assert isinstance(found, NotRun) and found.failure == "storage" and f"PersistentVolumeClaim {NAMESPACE}/fsx" in found.text, found


def test_the_cause_of_a_failed_pull_is_reported() -> None:
    world = Trained(ended(), PULL)
    world.event("uid-{job}-worker-1-0", "Failed", 'Failed to pull image "train:1": 401 Unauthorized')
    found = run(world)
    assert isinstance(found, NotRun) and "(ImagePullBackOff: 401 Unauthorized). Name an image" in found.text, found


def test_pods_that_a_quota_refuses_are_reported() -> None:
    world = Trained(ended(), None)
    world.event("uid-{job}", "FailedCreatePod", 'Error creating: pods "x" is forbidden: exceeded quota: gpus')
    found = run(world)
    assert isinstance(found, NotRun) and found.failure == "refused" and "exceeded quota: gpus. Wait until other Pods" in found.text, found
