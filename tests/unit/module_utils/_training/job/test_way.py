# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job ends for Pods that need its nodes, and for no others."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun, Ran

from ..._karpenter.proof.api_server import Server
from .applied import Time, run, runner
from .trained import LABEL, RUNNING, Trained, ended

UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def pod(*, gpus: int = 1, labels: t.Any = None, condition: t.Any = UNSCHEDULABLE, **spec: t.Any) -> dict[str, t.Any]:
    containers = [{"resources": {"limits": {"nvidia.com/gpu": str(gpus)} if gpus else {}}}]
    meta = {"name": "train", "namespace": "research", "uid": "u", "labels": labels or {}}
    return {"metadata": meta, "spec": {"containers": containers, **spec}, "status": {"phase": "Pending", "conditions": [condition]}}


class Waiting(Trained):
    """Its jobs run until another Pod waits."""

    def __init__(self, waiting: dict[str, t.Any], *, from_the_begin: bool = False) -> None:
        super().__init__(RUNNING, RUNNING)
        self.turns = [lambda _world: None] * 4 + [lambda world: world.read.update({"/api/v1/pods": {"items": [waiting]}})]
        if from_the_begin:
            self.read["/api/v1/pods"] = {"items": [waiting]}


def test_the_job_gives_way_to_a_pod_that_needs_its_nodes() -> None:
    world, time = Waiting(pod(gpus=8)), Time()
    with Server(world) as kubernetes:
        found = runner(kubernetes, time=time)()
    assert isinstance(found, NotRun) and found.failure == "gave-way" and world.left == [], found
    assert time.now < 100  # seconds of the run's clock; the job's deadline is at 630
    why = "Pod research/train waits for accelerators, and its rules allow a node of the job"
    assert found.text == f"The job gave way: {why}. Run again when the nodes are idle."


@pytest.mark.parametrize(
    ("waiting", "given"),
    [
        (pod(gpus=0), {}),
        (pod(gpus=16), {}),
        (pod(labels={LABEL: "x"}), {}),
        (pod(nodeSelector={"type": "other"}), {}),
        (pod(condition={**UNSCHEDULABLE, "reason": "SchedulingGated"}), {}),
        (pod(), {"queue": "q", "namespace": "mlfleet-training"}),
    ],
)
def test_other_pods_do_not_end_the_job(waiting: dict[str, t.Any], given: dict[str, t.Any]) -> None:
    found = run(Waiting(waiting), **given)
    assert isinstance(found, Ran) and found.late, found


def test_a_pod_that_waited_before_the_job_waits_for_something_else() -> None:
    found = run(Waiting(pod(), from_the_begin=True))
    assert isinstance(found, Ran) and found.late, found


def test_waiting_pods_that_cannot_be_listed_do_not_end_the_job() -> None:
    world = Waiting(pod())
    world.refused["GET", "status.phase%3DPending&limit=500"] = [403] * 99
    assert isinstance(run(world), Ran)


@pytest.mark.parametrize("reason", ["PreemptionByScheduler", "PreemptionByKubeScheduler"])
def test_a_preempted_pod_is_reported(reason: str) -> None:
    preempted = {**ended(137), "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]}
    world = Trained(RUNNING, preempted)
    found = run(world)
    assert isinstance(found, NotRun) and found.failure == "gave-way" and "preempted Pod training-0a1b2c3d-worker-1 on b for" in found.text, found
