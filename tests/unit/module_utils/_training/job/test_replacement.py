# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs whose first Pod is deleted as a test: only the planned restart is tolerated."""

from __future__ import annotations

import dataclasses
import os
import signal
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import Interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun, Outcome, Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.result import judged

from ..._karpenter.proof.api_server import Server
from .applied import NAME, PULL, Time, run, runner
from .described import desired
from .held import GIVEN, RECOVERS, Held, again, nothing, over, recreated, rejoined, restarted
from .trained import PODS, RUNNING, UNSCHEDULED, Object, ended

FIRST = f"{NAME}-worker-0"
DELETED = f"Pod {FIRST} on a was deleted as planned"


def followed(world: Held, **given: t.Any) -> tuple[Outcome, float]:
    """What happened to the job, and after how many seconds."""
    time = Time()
    return run(world, time=time, **{**GIVEN, **given}), time.now


def codes(found: Outcome) -> list[str]:
    assert isinstance(found, Ran), found
    return [each.code for each in judged(desired(**GIVEN, gpus=1), found).problems]


def test_the_pod_is_deleted_once_and_no_step_is_missing() -> None:
    world = Held(*RECOVERS)
    found, _seconds = followed(world)
    uid = f"uid-{FIRST}-0"
    assert world.deleted == [(0, {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}})]
    assert codes(found) == [] and isinstance(found, Ran) and not found.late
    verdict = judged(desired(**GIVEN, gpus=1), found)
    assert [step for step, _loss in verdict.figures.losses] == [*range(1, 21)]
    assert (verdict.figures.restarts, verdict.figures.first_step, [step for step, _loss in verdict.figures.checkpoints]) == (1, 0, [15, 20])
    assert [(pod.name, pod.before, pod.restarts, pod.planned_restarts) for pod in found.pods] == [(FIRST, "", 0, 0), (f"{NAME}-worker-1", "", 1, 1)]


def test_the_log_before_the_deletion_comes_first() -> None:
    found, _seconds = followed(Held(*RECOVERS))
    world = Held()
    assert isinstance(found, Ran) and found.pods[0].text == f"{world.first[0]}\n{world.second[0]}"
    assert found.pods[1].text == f"{world.first[1]}\n{world.second[1]}"


@pytest.mark.parametrize("waiting", [nothing, lambda world: world.logs.__setitem__(0, world.first[0].partition('{"mlfleet_training": "held"')[0])])
@pytest.mark.parametrize("given", [{}, {"replace_pod": False}])
def test_no_pod_is_deleted_unless_its_processes_wait_for_that(waiting: t.Any, given: dict[str, t.Any]) -> None:
    world = Held()
    world.turns = [waiting, nothing, nothing, lambda here: here.statuses.__setitem__(slice(None), [ended(), ended()])]
    found, _seconds = followed(world, **given)
    if waiting is nothing and not given:
        assert [number for number, _options in world.deleted] == [0]
    else:
        assert world.deleted == [] and isinstance(found, Ran)


def test_a_log_that_cannot_be_read_is_read_again() -> None:
    world = Held(*RECOVERS)
    world.refused["GET", "worker-0/log?container=pytorch&limitBytes=8388608"] = [503] * 4
    found, _seconds = followed(world)
    assert len(world.deleted) == 1 and codes(found) == []


def pod_1(status: Object) -> t.Callable[[Held], None]:
    return lambda world: world.statuses.__setitem__(1, status)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ((rejoined(), recreated(), rejoined(2)), "restarted"),
        ((rejoined(), recreated(), rejoined(3)), "restarted"),
        ((rejoined(), recreated(), recreated(restarted())), "pod-recreated"),
        ((rejoined(), recreated(), lambda world: world.statuses.__setitem__(0, restarted())), "restarted"),
        ((rejoined(), recreated(), recreated(), over), "pod-recreated"),
        ((rejoined(), recreated(), pod_1({**ended(137), "reason": "Evicted"})), "pod-evicted"),
        ((rejoined(), recreated(), pod_1(restarted()), lambda world: world.statuses.__setitem__(1, None)), "pod-gone"),
    ],
)
def test_unplanned_disturbances_are_found(turns: t.Any, expected: str) -> None:
    found, seconds = followed(Held(*turns))
    assert expected in codes(found) and seconds < 90, codes(found)


@pytest.mark.parametrize("restarts", [1, 2])
def test_a_restart_before_the_deletion_is_not_planned(restarts: int) -> None:
    world = Held()
    world.logs[0] = "still training\n"
    world.turns = [nothing, nothing, nothing, rejoined(restarts)]
    found, seconds = followed(world)
    assert isinstance(found, Ran) and world.deleted == [] and seconds < 20
    assert (found.pods[1].restarts, found.pods[1].planned_restarts) == (restarts, 0) and "restarted" in codes(found)


def test_the_deleted_pod_may_fail_while_it_ends() -> None:
    """Kubelets report a deleted Pod as failed before they remove it."""

    def ends(world: Held) -> None:
        world.statuses[0] = ended(143)

    found, _seconds = followed(Held(ends, ends, *RECOVERS))
    assert codes(found) == []


@pytest.mark.parametrize(
    ("turns", "why", "longest"),
    [
        ((rejoined(),), f"{DELETED}, and its operator did not create it again", 60),
        ((rejoined(), recreated({"phase": "Pending", "conditions": [UNSCHEDULED]})),
         f"{DELETED} and created again, but did not start: 0/3 nodes are available:?1 Insufficient nvidia.com/gpu", 700),
        ((rejoined(), recreated(PULL)), f"{DELETED} and created again, but did not start: ImagePullBackOff: no?way", 60),
        ((lambda world: world.statuses.__setitem__(0, RUNNING),), f"{DELETED}, but did not end", 700),
    ],
)  # fmt: skip
def test_a_pod_that_is_not_replaced_is_reported(turns: t.Any, why: str, longest: float) -> None:
    found, seconds = followed(Held(*turns))
    assert isinstance(found, Ran) and found.unreplaced == why and seconds < longest, (found, seconds)
    verdict = judged(desired(**GIVEN, gpus=1), found)
    assert [each.code for each in verdict.problems] == ["pod-not-recreated"] and verdict.status == "failed"
    assert verdict.problems[0].text == f"{why}. Check the operator, and the events of the namespace."


def test_a_pod_that_replaced_it_and_is_gone_was_recreated() -> None:
    found, _seconds = followed(Held(rejoined(), recreated(), nothing, lambda world: world.statuses.__setitem__(0, None)))
    assert isinstance(found, Ran) and found.unreplaced == "" and "pod-gone" in codes(found)
    assert [pod.name for pod in found.pods if pod.gone] == [FIRST]


def test_an_older_checkpoint_is_found() -> None:
    found, _seconds = followed(Held(*RECOVERS, second=again(10)))
    assert "checkpoint-not-loaded" in codes(found)


def test_a_restart_counts_only_if_the_training_was_interrupted() -> None:
    found, _seconds = followed(Held(*RECOVERS))
    assert isinstance(found, Ran)
    silent = tuple(dataclasses.replace(pod, text="\n".join(line for line in pod.text.split("\n") if '"held"' not in line)) for pod in found.pods)
    assert codes(dataclasses.replace(found, pods=silent)) == ["not-restarted"]


def test_the_same_pods_are_not_tolerated_without_the_option() -> None:
    found, _seconds = followed(Held(*RECOVERS))
    assert isinstance(found, Ran)
    strict = judged(desired(**{**GIVEN, "replace_pod": False}, gpus=1), found)
    assert [each.code for each in strict.problems] == ["restarted"]
    world = Held()
    world.turns = [nothing, nothing, nothing, recreated(), over]
    other, _seconds = followed(world, replace_pod=False)
    assert "pod-recreated" in codes(other) and "restarted" in codes(other) and world.deleted == []


@pytest.mark.parametrize(("status", "message"), [(403, 'User "u" cannot delete resource "pods"'), (422, "no")])
def test_a_refused_deletion_is_reported(status: int, message: str) -> None:
    world = Held()
    world.refused["DELETE", "-worker-0"], world.message = [status] * 9, message
    found, seconds = followed(world)
    step = "Allow the caller to delete Pods in namespace mlfleet-training" if status == 403 else "Change the setting that the message names"
    assert isinstance(found, NotRun) and found.failure == "refused" and seconds < 30
    assert found.text.startswith(f"The API server refuses to delete Pod {FIRST}: {message}. {step}")


@pytest.mark.parametrize("statuses", [[503, 503, 0], [503, 404], [503, 409], [404], [409]])
def test_a_deletion_whose_answer_was_lost_may_have_happened(statuses: list[int]) -> None:
    """A Pod that no longer exists, or whose name another one has, was deleted."""
    world = Held(*RECOVERS)
    world.refused["DELETE", "-worker-0"] = list(statuses)
    if 0 not in statuses:
        world.turns = [nothing, nothing, nothing, lambda here: here.statuses.__setitem__(0, None), *RECOVERS]
    found, _seconds = followed(world)
    assert codes(found) == []
    assert sum(method == "DELETE" and target.startswith(PODS) for method, target in world.requests) == len(statuses)


def test_an_unanswered_deletion_is_reported() -> None:
    world = Held()
    world.refused["DELETE", "-worker-0"] = [503] * 9
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="503"):
        runner(kubernetes, **GIVEN)()
    assert world.left == []


def test_nothing_is_left_after_a_signal_that_follows_the_deletion() -> None:
    class Stopping(Time):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if world.deleted:
                os.kill(os.getpid(), signal.SIGTERM)

    world = Held(rejoined())
    with Server(world) as kubernetes, pytest.raises(Interrupted, match="SIGTERM"):
        runner(kubernetes, time=Stopping(), **GIVEN)()
    assert world.left == [] and len(world.deleted) == 1


def test_progress_names_the_pod(tmp_path: t.Any) -> None:
    with Server(Held(*RECOVERS)) as kubernetes:
        runner(kubernetes, progress=tmp_path / "progress", **GIVEN)()
    assert f"Pod {FIRST} is deleted, as planned\n" in (tmp_path / "progress").read_text()
