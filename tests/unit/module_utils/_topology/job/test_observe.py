# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for a job: how it ends, and which errors of the API server it survives."""

from __future__ import annotations

import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import State, Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.observe import (
    NEXT,
    PASSING,
    UNTIL_THEN,
    GivenUp,
    Misplaced,
    Observer,
    StillWaits,
)

from .api_server import World
from .jobs import LAYER, SPACE, condition, desired, job, live

REQUIRED = Wish("required", f"{LAYER}3")
WANTED = desired(job(2), REQUIRED)
NO_QUOTA = condition("QuotaReserved", "False", "Pending", "insufficient unused quota for nvidia.com/gpu in flavor gpus")
PODS = f"GET /api/v1/namespaces/{SPACE}/pods"
Turn = t.Callable[[World], object]


class Direct:
    """A world without a network."""

    def __init__(self, world: World) -> None:
        self.world = world

    def find(self, path: str) -> t.Any:
        status, body = self.world.answer("GET", path, None)
        if status not in (200, 404):
            raise KubernetesError(f"GET {path} was answered with {status}", status)
        return body if status == 200 else None

    def get(self, path: str) -> t.Any:
        found = self.find(path.partition("?")[0])
        if found is None:
            raise KubernetesError(f"GET {path} was answered with 404", 404)
        return found

    def items(self, path: str, **query: str) -> t.Any:
        return self.get(f"{path}?{'&'.join(f'{name}={value}' for name, value in query.items())}")["items"]


class Seconds:
    """A clock that only sleeping advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.now, sleep=self._sleep, jitter=lambda: 0.0)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


def world_of(*turns: Turn) -> World:
    world = World()
    world.put(world.job_path, live(WANTED))
    world.turns = list(turns)
    return world


def observe(world: World, *, waiting: bool = True, timeout: float = 20, **given: t.Any) -> State:
    wanted = desired(job(2), REQUIRED, **given)
    waits = Waits(timeout=timeout, interval=5, clock=Seconds().clock())
    return Observer(t.cast(t.Any, Direct(world)), wanted, waits=waits, waiting=waiting)()


def nothing(_world: World) -> None:
    pass


def waits_for_quota(world: World) -> None:
    world.workload(NO_QUOTA)


def runs(*nodes: str) -> Turn:
    def turn(world: World) -> None:
        world.admit(*nodes)
        world.run(*nodes)

    return turn


def fails(world: World) -> None:
    world.end("Failed", "BackoffLimitExceeded")


def is_denied(world: World) -> None:
    world.admit("n1", "n2")
    world.event('Error creating: pods "mnist-" is forbidden: exceeded quota: gpus, requested: nvidia.com/gpu=8')


@pytest.mark.parametrize(
    ("turns", "error", "message", "code"),
    [
        ([waits_for_quota], StillWaits, r"is still waiting \(insufficient unused quota .*\) after 20 s\. ", "topology-job-waits"),
        (
            [runs("n1", "n3")],
            Misplaced,
            r"it is not placed as requested: .* The job continues to run; state=absent removes the job\.\n",
            "topology-job-misplaced",
        ),
        ([fails], GivenUp, r"it has failed \(BackoffLimitExceeded\)", "topology-job-failed"),
        ([waits_for_quota, lambda here: here.objects.pop(here.job_path)], GivenUp, "it or its namespace was deleted", "topology-job-failed"),
    ],
    ids=["waits", "misplaced", "failed", "deleted"],
)
def test_a_failed_wait_has_an_error_with_its_code(turns: list[Turn], error: type[Failure], message: str, code: str) -> None:
    with pytest.raises(error, match=re.compile(message, re.DOTALL)) as raised:
        observe(world_of(nothing, *turns))
    assert raised.value.code == code


@pytest.mark.parametrize(("turn", "step"), [(waits_for_quota, NEXT), (is_denied, UNTIL_THEN)], ids=["quota", "denied pods"])
def test_a_wait_that_times_out_names_the_next_step(turn: Turn, step: str) -> None:
    with pytest.raises(StillWaits) as raised:
        observe(world_of(turn))
    assert str(raised.value).endswith(step)


def test_a_wait_ends_once_the_job_runs_as_requested() -> None:
    state = observe(world_of(nothing, waits_for_quota, runs("n1", "n2")))
    assert [(each.name, each.node) for each in state.pods] == [("mnist-0", "n1"), ("mnist-1", "n2")]
    assert state.workload is not None and state.levels


@pytest.mark.parametrize(("waiting", "given"), [(False, {}), (True, {"stage": "none"})])
def test_without_a_wait_the_job_is_read_once(waiting: bool, given: dict[str, t.Any]) -> None:
    state = observe(world_of(waits_for_quota), waiting=waiting, timeout=0, **given)
    assert state.job is not None and state.pods == ()


def test_a_misplaced_job_is_accepted_without_verification() -> None:
    assert observe(world_of(runs("n1", "n3")), verify=False).job is not None


@pytest.mark.parametrize(
    ("statuses", "survives"),
    [
        ([503] * (PASSING - 1), True),
        ([503] * PASSING, False),
        ([429, 500], True),
        ([403], False),
    ],
)
def test_errors_during_a_wait_are_tolerated_for_a_while(statuses: list[int], survives: bool) -> None:
    def refuse(world: World) -> None:
        world.refusing[PODS] = list(statuses)

    world = world_of(nothing, refuse, *[nothing] * PASSING, runs("n1", "n2"))
    if survives:
        assert len(observe(world, timeout=600).pods) == 2
    else:
        with pytest.raises(KubernetesError, match=str(statuses[-1])):
            observe(world, timeout=600)


def test_only_consecutive_errors_count() -> None:
    def refuse(world: World) -> None:
        world.refusing[PODS] = [503] * (PASSING - 1)

    world = world_of(nothing, refuse, *[nothing] * (PASSING - 1), refuse, *[nothing] * (PASSING - 1), runs("n1", "n2"))
    assert len(observe(world, timeout=600).pods) == 2


def test_without_permission_to_read_nodes_they_are_unknown() -> None:
    world = world_of(runs("n1", "n2"))
    world.refusing["GET /api/v1/nodes"] = [403] * 20
    assert observe(world, verify=False).nodes is None
    world.refusing["GET /api/v1/nodes"] = [500] * 20
    with pytest.raises(KubernetesError, match="500"):
        observe(world, waiting=False, verify=False)


def test_a_job_in_deletion_is_waited_for_before_its_replacement() -> None:
    world = world_of()
    world.objects[world.job_path]["metadata"]["deletionTimestamp"] = "2026-11-26T10:00:00Z"
    world.turns = [nothing, nothing, lambda here: here.objects.pop(here.job_path, None)]
    assert observe(world, replace=True).job is None
    world = world_of(nothing)
    world.objects[world.job_path]["metadata"]["deletionTimestamp"] = "2026-11-26T10:00:00Z"
    assert observe(world, replace=True, waiting=False).leaving
