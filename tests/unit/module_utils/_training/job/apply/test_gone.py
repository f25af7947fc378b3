# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that are deleted, recreated or restarted while their job is followed."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import Outcome, Ran

from ..applied import NAME, STARTING, Time, run
from ..trained import RUNNING, Trained, ended, with_image


def nothing(_world: Trained) -> None:
    pass


def gone(*pods: int) -> t.Callable[[Trained], None]:
    def happens(world: Trained) -> None:
        for pod in pods:
            world.statuses[pod] = None

    return happens


def replaced(status: dict[str, t.Any]) -> t.Callable[[Trained], None]:
    """Replace the second Pod by another one of the same name."""

    def happens(world: Trained) -> None:
        world.lives[1] += 1
        world.statuses[1] = status

    return happens


def over(world: Trained) -> None:
    world.statuses = [ended(), ended()]


def followed(*turns: t.Callable[[Trained], None], **given: t.Any) -> tuple[Outcome, float]:
    """What happened to two Pods that run until an event, and after how many seconds."""
    world, time = Trained(RUNNING, RUNNING), Time()
    world.turns = list(turns)
    found = run(world, time=time, **given)
    return found, time.now


@pytest.mark.parametrize("pods", [(1,), (0, 1)])
def test_pods_that_are_gone_end_the_wait(pods: tuple[int, ...]) -> None:
    """Reads are 5 seconds apart: the Pods have 20 seconds to be replaced."""
    found, seconds = followed(nothing, nothing, nothing, gone(*pods))
    assert isinstance(found, Ran) and not found.late and seconds < 40, (found, seconds)
    assert [(pod.name, pod.node) for pod in found.pods if pod.gone] == [(f"{NAME}-worker-{number}", "ab"[number]) for number in pods]
    assert len(found.pods) == 2


def test_a_pod_that_is_gone_before_the_others_run_ends_the_wait() -> None:
    world, time = Trained(RUNNING, STARTING), Time()
    world.turns = [nothing, nothing, gone(0)]
    found = run(world, time=time)
    assert isinstance(found, Ran) and [pod.gone for pod in found.pods] == [False, True] and time.now < 60


@pytest.mark.parametrize("status", [STARTING, RUNNING])
def test_a_pod_that_was_recreated_is_not_the_first_one(status: dict[str, t.Any]) -> None:
    found, _seconds = followed(nothing, nothing, nothing, gone(1), replaced(status), nothing, nothing, nothing, nothing, nothing, over)
    assert isinstance(found, Ran) and [(pod.before, pod.gone, pod.status) for pod in found.pods] == [
        ("", False, 0), (f"{NAME}-worker-1", False, 0)
    ]  # fmt: skip


def test_a_pod_that_was_recreated_before_it_ran_lost_nothing() -> None:
    world = Trained(RUNNING, STARTING)
    world.turns = [nothing, replaced(STARTING), replaced(RUNNING), nothing, over]
    found = run(world)
    assert isinstance(found, Ran) and [pod.before for pod in found.pods] == ["", ""]


def test_a_container_that_restarts_ends_the_wait() -> None:
    """Some runtimes of TrainJobs restart it again and again."""
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    container = {"restartCount": 1, "state": waiting, "lastState": ended(1)["containerStatuses"][0]["state"]}
    again = {"phase": "Running", "containerStatuses": [container]}
    world, time = Trained(RUNNING, RUNNING), Time()
    world.previous[1] = "the first error\n"
    world.turns = [nothing, nothing, nothing, lambda here: here.statuses.__setitem__(1, again)]
    found = run(world, time=time)
    assert isinstance(found, Ran) and not found.late and time.now < 20
    assert (found.pods[1].text, found.pods[1].restarts) == ("the first error\n\nsecond\n", 1)


def test_the_image_digests_of_the_pods_are_returned() -> None:
    digest = f"sha256:{'0a' * 32}"
    world = Trained(with_image(ended(), f"docker-pullable://a@{digest}"), with_image(ended(), digest))
    found = run(world)
    assert isinstance(found, Ran) and [pod.image for pod in found.pods] == [f"a@{digest}", ""]
