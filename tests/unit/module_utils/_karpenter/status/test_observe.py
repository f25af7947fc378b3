# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for Karpenter, including an API server that does not answer for a moment."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.observe import CLASSES
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.model import GONE, NONE, READY, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from unit.module_utils._karpenter.proof.api_server import CLASS, Aws, Server, World
from unit.module_utils._karpenter.proof.proof_states import ARN, READY as IS_READY

Turn = t.Callable[["Scripted"], int]
"""An event before a reading, and the status with which the reading is refused; 0 for an answer."""


class Scripted(World):
    """``readings``: the status or event of each reading; the last one repeats."""

    def __init__(self, *readings: int | Turn) -> None:
        super().__init__()
        self.readings = list(readings)
        self.seconds = 0.0
        self.claim("Launched", node="n")

    def answer(self, method: str, path: str, body: t.Any) -> tuple[int, t.Any]:
        if path.partition("?")[0] == CLASSES:  # is read first
            turn = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
            status = turn if isinstance(turn, int) else turn(self)
            if status:
                return status, {"message": "etcd has no leader"}
        return super().answer(method, path, body)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def gone(world: Scripted) -> int:
    world.no_node()
    return 0


def not_ready(world: Scripted) -> int:
    world.objects[f"{CLASSES}/gpus"] = {**CLASS, "status": {}}
    return 0


def ready(world: Scripted) -> int:
    world.objects[f"{CLASSES}/gpus"] = {**CLASS, "status": IS_READY}
    return 0


def waited(world: Scripted, until: str = GONE, *, timeout: float = 60, progress_file: Path | None = None, aws: Aws | None = None) -> State:
    clock = Clock(lambda: world.seconds, world.sleep, lambda: 0.0)
    progress = Progress(str(progress_file) if progress_file else None, now=clock.now)
    waits = Waits(timeout=timeout, interval=4, progress=progress, clock=clock)
    client = aws or Aws(world)
    with Server(world) as kubernetes:
        return Observer(
            HyperPod(client), Network(client), lambda arn: kubernetes, lambda: pytest.fail("no quota matters"), Desired(ARN, until), waits=waits
        )()


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_wait_for_a_removal_tolerates_missing_answers(status: int, tmp_path: Path) -> None:
    progress_file = tmp_path / "progress"
    assert waited(Scripted(status, 0, status, status, status, status, gone), progress_file=progress_file).inside.claims == ()
    waiting = "waiting for the removal of NodeClaim gpus-1 (launched) at the last successful read; a later read failed"
    assert f"{waiting} (GET {CLASSES}?limit=500 was answered with {status}: " in progress_file.read_text()


def test_remaining_claims_are_read_once_more_at_the_end() -> None:
    world = Scripted(0, 0, 0, 0, 0, 500, 0)
    assert [each.meta.name for each in waited(world, timeout=5).inside.claims] == ["gpus-1"] and world.readings == [0]


@pytest.mark.parametrize("until", [GONE, READY])
def test_a_long_silence_or_a_refusal_ends_the_wait(until: str) -> None:
    with pytest.raises(KubernetesError, match="was answered with 503"):
        waited(Scripted(not_ready, 503), until)
    refused = Scripted(not_ready, 403, 0)
    with pytest.raises(KubernetesError, match="was answered with 403"):
        waited(refused, until)
    assert refused.readings == [0], "at once"


def test_without_a_wait_no_failure_is_tolerated() -> None:
    with pytest.raises(KubernetesError):
        waited(Scripted(503, 0), NONE)


def test_a_wait_for_readiness_tolerates_missing_answers() -> None:
    assert waited(Scripted(503, not_ready, 503, 503, ready), READY).inside.classes[0].status.ready
    with pytest.raises(Failure, match="is still not ready: HyperpodNodeClass gpus .*at the last successful read; a later read failed .*503.* Fix the"):
        waited(Scripted(not_ready, 503), READY, timeout=1)


def test_a_failed_autoscaler_must_be_read_repeatedly() -> None:
    class Failing(Aws):
        def describe_cluster(self, **arguments: t.Any) -> dict[str, t.Any]:
            return {**super().describe_cluster(**arguments), "AutoScaling": {"Mode": "Enable", "Status": "Failed"}}

    world = Scripted(not_ready, 503, 503, 0, 503, 0, 0)
    with pytest.raises(WaitFailed, match="the autoscaler is Failed: fix the reported problem"):
        waited(world, READY, aws=Failing(world))
    assert world.readings == [0]
