# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for Karpenter, also while the API server gives no answer for a moment."""

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

Turn = t.Callable[["Looked"], int]
"""What happens before a look, and the status that it is refused with, 0 for one that is answered."""


class Looked(World):
    """``looks``: what becomes of each look, the last again and again."""

    def __init__(self, *looks: int | Turn) -> None:
        super().__init__()
        self.looks = list(looks)
        self.seconds = 0.0
        self.claim("Launched", node="n")

    def answer(self, method: str, path: str, body: t.Any) -> tuple[int, t.Any]:
        if path.partition("?")[0] == CLASSES:  # is asked for first
            turn = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
            status = turn if isinstance(turn, int) else turn(self)
            if status:
                return status, {"message": "etcd has no leader"}
        return super().answer(method, path, body)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def gone(world: Looked) -> int:
    world.no_node()
    return 0


def not_ready(world: Looked) -> int:
    world.objects[f"{CLASSES}/gpus"] = {**CLASS, "status": {}}
    return 0


def ready(world: Looked) -> int:
    world.objects[f"{CLASSES}/gpus"] = {**CLASS, "status": IS_READY}
    return 0


def waited(world: Looked, until: str = GONE, *, timeout: float = 60, told: Path | None = None, aws: Aws | None = None) -> State:
    clock = Clock(lambda: world.seconds, world.sleep, lambda: 0.0)
    progress = Progress(str(told) if told else None, now=clock.now)
    waits = Waits(timeout=timeout, interval=4, progress=progress, clock=clock)
    client = aws or Aws(world)
    with Server(world) as kubernetes:
        return Observer(
            HyperPod(client), Network(client), lambda arn: kubernetes, lambda: pytest.fail("no quota matters"), Desired(ARN, until), waits=waits
        )()


@pytest.mark.parametrize("status", [500, 503, 429])
def test_nodes_go_while_the_api_server_gives_no_answer_for_a_moment(status: int, tmp_path: Path) -> None:
    told = tmp_path / "progress"
    assert waited(Looked(status, 0, status, status, status, status, gone), told=told).inside.claims == ()
    waiting = "waiting for the removal of NodeClaim gpus-1 (launched), when it was last read"
    assert f"{waiting} (GET {CLASSES}?limit=500 was answered with {status}: " in told.read_text()


def test_what_is_left_in_time_is_looked_at_once_more() -> None:
    world = Looked(0, 0, 0, 0, 0, 500, 0)
    assert [each.meta.name for each in waited(world, timeout=5).inside.claims] == ["gpus-1"] and world.looks == [0]


@pytest.mark.parametrize("until", [GONE, READY])
def test_a_silence_that_lasts_and_a_refusal_end_the_wait(until: str) -> None:
    with pytest.raises(KubernetesError, match="was answered with 503"):
        waited(Looked(not_ready, 503), until)
    refused = Looked(not_ready, 403, 0)
    with pytest.raises(KubernetesError, match="was answered with 403"):
        waited(refused, until)
    assert refused.looks == [0], "at once"


def test_without_a_wait_nothing_is_borne() -> None:
    with pytest.raises(KubernetesError):
        waited(Looked(503, 0), NONE)


def test_what_becomes_ready_while_the_api_server_gives_no_answer_for_a_moment() -> None:
    assert waited(Looked(503, not_ready, 503, 503, ready), READY).inside.classes[0].status.ready
    with pytest.raises(Failure, match="is still not ready: HyperpodNodeClass gpus .*when it was last read .*503.* Fix the"):
        waited(Looked(not_ready, 503), READY, timeout=1)


def test_an_autoscaler_that_failed_is_believed_by_what_was_seen_and_not_by_silence() -> None:
    class Failing(Aws):
        def describe_cluster(self, **arguments: t.Any) -> dict[str, t.Any]:
            return {**super().describe_cluster(**arguments), "AutoScaling": {"Mode": "Enable", "Status": "Failed"}}

    world = Looked(not_ready, 503, 503, 0, 503, 0, 0)
    with pytest.raises(WaitFailed, match="the autoscaler failed"):
        waited(world, READY, aws=Failing(world))
    assert world.looks == [0]
