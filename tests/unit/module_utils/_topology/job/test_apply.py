# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.apply import Applier

from ..._karpenter.proof.api_server import Server
from .api_server import World
from .jobs import UID, desired, job, live

SUBMIT, DELETE = Step("Submit", {}, ()), Step("Delete", {"uid": UID}, ())
SAME, OTHER = live(desired(job(2))), live(desired(job(8)))


class Lingering(World):
    """A deleted job remains for some reads, and a different job with its name may follow."""

    def __init__(self, reads: int, after: dict[str, t.Any] | None = None) -> None:
        super().__init__()
        self.put(self.job_path, SAME)
        self.reads = reads
        self.after = after
        self.seen = 0

    def answer(self, method: str, target: str, body: dict[str, t.Any] | None) -> tuple[int, dict[str, t.Any]]:
        if method == "DELETE":
            self.changes.append((method, target))
            return 200, {}
        if target == self.job_path and method == "GET" and self.changes:
            self.seen += 1
            if self.seen > self.reads:
                return (404, {"message": "not found"}) if self.after is None else (200, self.after)
        return super().answer(method, target, body)


def do(world: World, step: Step, **given: t.Any) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    clock = Clock(now=lambda: now[0], sleep=sleep, jitter=lambda: 0.0)
    with Server(world) as kubernetes:
        Applier(kubernetes, desired(job(2), **given), waits=Waits(timeout=30, interval=1, clock=clock))(step)


@pytest.mark.parametrize("status", [429, 500])
def test_a_lost_reply_is_no_failure_if_the_job_exists(status):
    world = World()
    world.put(world.job_path, SAME)
    world.refusing["POST"] = [status]
    do(world, SUBMIT)
    del world.objects[world.job_path]
    world.refusing["POST"] = [status]
    with pytest.raises(KubernetesError):
        do(world, SUBMIT)


def test_a_refused_creation_is_a_failure_in_any_case():
    world = World()
    world.put(world.job_path, SAME)
    world.refusing["POST"] = [403]
    with pytest.raises(KubernetesError):
        do(world, SUBMIT)


def test_a_job_created_concurrently_is_refused():
    world = World()
    world.put(world.job_path, SAME)
    do(world, SUBMIT)
    world.put(world.job_path, OTHER)
    with pytest.raises(Refused) as refused:
        do(world, SUBMIT)
    assert "a different job with this name was created concurrently" in str(refused.value)


@pytest.mark.parametrize("after", [None, {"metadata": {"uid": "another"}}])
def test_a_deletion_is_waited_for(after):
    world = Lingering(3, after)
    do(world, DELETE, present=False)
    assert world.seen == 4


@pytest.mark.parametrize(("present", "stage", "waits"), [(False, "none", False), (True, "none", True), (False, "running", True)])
def test_a_replacement_always_waits_for_the_deletion(present, stage, waits):
    world = Lingering(3)
    do(world, DELETE, present=present, stage=stage)
    assert bool(world.seen) is waits


def test_a_deletion_removes_the_pods_and_no_other_job():
    world = World()
    world.put(world.job_path, SAME)
    do(world, DELETE, present=False)
    assert world.changes == [("DELETE", world.job_path)]
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
    assert world.deleting == {**options, "preconditions": {"uid": UID}}


def test_pods_that_do_not_end_are_reported():
    with pytest.raises(Failure) as failed:
        do(Lingering(1000), DELETE)
    assert "Job hyperpod-ns-a/mnist is still being deleted after 30 s. Check why the job's Pods do not end" in str(failed.value)
