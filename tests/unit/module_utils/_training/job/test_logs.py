# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of Pods, including those that are gone."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.mark import Mark
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.runner import PodRunner
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import logs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.lives import Lives
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.logs import GONE, Logs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import PodLog

from ..._karpenter.proof.api_server import Server

IMAGE = f"a@sha256:{'0' * 64}"
RUNNING = Pod("w-0", job="j", node="a", phase="Running", trouble="", hopeless=False, started=True, uid="1", images={"pytorch": IMAGE})
PENDING = Pod("w-1", job="j", node="b", phase="Pending", trouble="ContainerCreating", hopeless=False, started=False, uid="2")


class World:
    """An API server with a log, and a log from before a restart; None for a log that it refuses."""

    def __init__(self, previous: str | None = None, last: str | None = "last\n") -> None:
        self.previous, self.last = previous, last
        self.requests: list[str] = []

    def answer(self, _method: str, target: str, _body: object) -> tuple[int, t.Any]:
        self.requests.append(target)
        found = self.previous if "previous=true" in target else self.last
        return (400, {"message": "no"}) if found is None else (200, found)


def read(world: World, *pods: Pod, lives: Lives | None = None) -> tuple[PodLog, ...]:
    with Server(world) as kubernetes:
        runner = PodRunner(kubernetes, "ml", Mark("x/y", "1"), progress=Progress(None), interval=5)
        return Logs(runner, "pytorch")({each.name: each for each in pods}, lives or Lives(lambda: 0.0))


def test_a_pod_that_has_not_run_has_an_empty_log() -> None:
    world = World()
    assert read(world, PENDING) == (PodLog("w-1", "b", "", None),) and world.requests == []


@pytest.mark.parametrize(
    ("restarts", "previous", "text"), [(0, "before\n", "last\n"), (1, "before", "before\nlast\n"), (2, None, "last\n")]
)
def test_the_log_before_a_restart_comes_first(restarts: int, previous: str | None, text: str) -> None:
    (found,) = read(World(previous), dataclasses.replace(RUNNING, restarts=restarts))
    assert (found.text, found.restarts, found.unread) == (text, restarts, "")


def test_the_log_is_that_of_the_container_that_trains() -> None:
    world = World()
    read(world, RUNNING)
    assert world.requests == ["/api/v1/namespaces/ml/pods/w-0/log?container=pytorch&limitBytes=8388608"]


def test_a_log_that_is_refused_is_unread() -> None:
    (found,) = read(World(last=None), RUNNING)
    assert found.text == "" and "400: no" in found.unread and found.image == IMAGE


def test_the_end_of_a_long_log_is_read_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST", 3)
    world = World(last="abc")
    assert read(world, RUNNING)[0].text == "abc\nabc" and world.requests[1].endswith("&tailLines=500")


@pytest.mark.parametrize(
    ("failed", "trouble"), [({"phase": "Failed", "trouble": "Error"}, "Error"), ({"phase": "Running", "trouble": "Odd"}, "")]
)
def test_only_failed_pods_have_trouble(failed: dict[str, t.Any], trouble: str) -> None:
    assert read(World(), dataclasses.replace(RUNNING, **failed))[0].trouble == trouble


def test_pods_that_are_gone_come_last_and_are_unread() -> None:
    lives = Lives(lambda: 0.0)
    lives.see({"w-0": RUNNING})
    lives.see({})
    pending, gone = read(World(), PENDING, lives=lives)
    assert pending.name == "w-1" and gone == PodLog("w-0", "a", "", None, unread=GONE, image=IMAGE, gone=True)


def test_a_kept_log_precedes_that_of_the_replacement() -> None:
    lives, again = Lives(lambda: 0.0), dataclasses.replace(RUNNING, uid="3")
    with Server(World(last="kept\n")) as kubernetes:
        runner = PodRunner(kubernetes, "ml", Mark("x/y", "1"), progress=Progress(None), interval=5)
        reader = Logs(runner, "pytorch")
        reader.keep(RUNNING, 2)
        lives.planned = RUNNING
        lives.see({"w-0": again})
        first, second = reader({"w-0": again, "w-1": PENDING}, lives)
    assert (first.text, first.before, second.text) == ("kept\n\nkept\n", "", "")
    assert (first.planned_restarts, second.planned_restarts) == (0, 1)


def test_a_replacement_names_the_pod_before_it() -> None:
    lives = Lives(lambda: 0.0)
    again = dataclasses.replace(RUNNING, uid="3")
    lives.see({"w-0": RUNNING})
    lives.see({"w-0": again})
    assert [each.before for each in read(World(), again, lives=lives)] == ["w-0"]
