# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks by Jobs: what comes of them, and that nothing of them stays, however it ends."""

from __future__ import annotations

import os
import signal
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.apply import Looks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Answer, Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.answer import text_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import Interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError

from ...._karpenter.proof.api_server import Server
from .looked_at import FIT, JOBS, MAPS, PODS, LookedAt, asked, config_map, desired, ended, iid


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def looks(kubernetes: t.Any, wanted: Desired, time: Time | None = None) -> Looks:
    time = time or Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return Looks(kubernetes, wanted, run="0a1b2c3d", progress=Progress(None), interval=5, clock=clock)


def look(world: LookedAt, *batches: t.Sequence[int], **more: t.Any) -> dict[str, Answer]:
    with Server(world) as kubernetes:
        done = looks(kubernetes, desired(*(number for batch in batches for number in batch), **more))
        found = done([asked(*batch) for batch in batches])
    assert done.runner.made.left == []
    return found


def test_batch_by_batch_and_nothing_stays() -> None:
    world = LookedAt(1, 2, 3)
    assert look(world, (1, 2), (3,)) == {iid(number): Answer(FIT, ran=True) for number in (1, 2, 3)}
    assert world.there == {} and world.at_once == 2
    assert [path for method, path in world.asked if method == "POST"] == [MAPS, JOBS, JOBS, JOBS]


def young(settles_in: t.Any) -> str:
    return text_of({"health": {"verdict": "unknown", "problems": [], "settles_in": settles_in}})


def test_a_node_that_has_just_booted_is_looked_at_again_and_the_others_are_not() -> None:
    world, time = LookedAt(1, 2, 3, n1=young(100), n3=young(30)), Time()

    class Comes(Time):
        def sleep(self, seconds: float) -> None:
            time.sleep(seconds)
            self.now = time.now
            if self.now > 70:
                world.said.pop(1, None)

    with Server(world) as kubernetes:
        found = looks(kubernetes, desired(1, 2, 3), Comes())([asked(1, 2), asked(3)])
    assert [found[iid(number)].health["verdict"] for number in (1, 2, 3)] == ["fit", "fit", "unknown"], found
    looked = [path[-len(iid(1)) :] for method, path in world.asked if method == "DELETE" and path.startswith(JOBS)]
    assert {number: looked.count(iid(number)) for number in (1, 2, 3)} == {1: 3, 2: 1, 3: 3}
    assert world.there == {} and 100 <= time.now < 130


@pytest.mark.parametrize("told", [10**9, True, "100", -1, None, 1.5])
def test_who_never_settles_is_not_waited_for_without_end(told: t.Any) -> None:
    world, time = LookedAt(1, n1=young(told)), Time()
    wanted = desired(1, settings={"profile": {"settle_seconds": 90}, "dcgm": True, "timeout": 30})
    with Server(world) as kubernetes:
        found = looks(kubernetes, wanted, time)([asked(1)])
    assert found[iid(1)].health["verdict"] == "unknown" and world.there == {}
    assert (90 <= time.now < 120) if told == 10**9 else time.now < 10, time.now


def test_a_second_look_without_an_answer_changes_nothing() -> None:
    world = LookedAt(1, n1=young(30))

    class Breaks(Time):
        def sleep(self, seconds: float) -> None:
            self.now += seconds
            world.said[1] = "SyntaxError\n"

    with Server(world) as kubernetes:
        found = looks(kubernetes, desired(1), Breaks())([asked(1)])
    assert found[iid(1)].health["verdict"] == "unknown" and found[iid(1)].why == ""


def test_a_look_whose_job_can_not_be_removed_is_not_repeated() -> None:
    world = LookedAt(1, n1=young(30))
    world.refused["DELETE", f"-{iid(1)}"] = [403] * 99
    with Server(world) as kubernetes:
        assert looks(kubernetes, desired(1))([asked(1)])[iid(1)].health["settles_in"] == 30


UNPULLED = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no\nway"}}}]}


RUNNING = {"containerStatuses": [{"state": {"running": {}}}]}


@pytest.mark.parametrize(
    ("said", "why", "ran"),
    [
        ({"phase": "Failed", "reason": "DeadlineExceeded"}, "did not end within 60 s: a tool may hang in the driver.", False),
        ({"phase": "Failed", "reason": "DeadlineExceeded", **RUNNING}, "a tool may hang in the driver. It printed no answer.", True),
        ({"phase": "Failed", "reason": "OutOfcpu", "message": "no\ncpu"}, "ended without an answer (OutOfcpu: no?cpu).", False),
        ({"phase": "Failed", "containerStatuses": [{"state": ended("Error")}], "log": "SyntaxError\n"}, "Its last line: SyntaxError", True),
        ({"phase": "Running", **RUNNING}, "Its pod is still Running after 60 s.", True),
        (UNPULLED, "can't be started (ImagePullBackOff: no?way). Use an image", False),
        ({"phase": "Pending"}, "Its pod is still Pending after 60 s.", False),
        (None, "Kubernetes created no pod for Job look-0a1b2c3d-i-00000000000000001 within 90 s (no reason was returned).", False),
        ("hello\n", "It printed no answer. Its last line: hello", True),
    ],
)
def test_what_brings_no_answer(said: t.Any, why: str, ran: bool) -> None:
    world = LookedAt(1, 2, n1=said)
    found = look(world, (1, 2))
    assert found[iid(2)].health == FIT and world.there == {}
    assert found[iid(1)].health is None and why in found[iid(1)].why and found[iid(1)].ran is ran, found


def test_an_answer_of_a_pod_that_does_not_end_counts() -> None:
    world = LookedAt(1, n1={"phase": "Running", **RUNNING, "log": text_of({"health": FIT})})
    assert look(world, (1,)) == {iid(1): Answer(FIT, ran=True)}


@pytest.mark.parametrize("status", [404, 503])
def test_a_log_that_can_not_be_read_is_tried_once(status: int) -> None:
    """A kubelet that is silent would hold up all others of the batch."""
    world = LookedAt(1, 2)
    world.refused["GET", f"-{iid(1)}-x/log"] = [status]
    found = look(world, (1, 2))
    assert found[iid(1)].ran and "Its log could not be read: " in found[iid(1)].why and found[iid(2)].health == FIT


def test_no_further_batch_where_no_pod_ran_at_all() -> None:
    world = LookedAt(1, 2, 3, n1=UNPULLED, n2=None)
    found = look(world, (1, 2), (3,))
    assert "no pod of the previous batch ran on its node" in found[iid(3)].why and "ImagePullBackOff" in found[iid(3)].why
    assert sum(1 for method, path in world.asked if (method, path) == ("POST", JOBS)) == 2 and world.there == {}


def test_pods_that_say_that_they_are_of_the_job_and_are_on_another_node() -> None:
    world = LookedAt(1)
    theirs = {"metadata": {"name": "x", "labels": {"mlfleet.hyperpod/look": "0a1b2c3d"}, "ownerReferences": []}, "spec": {"nodeName": f"hyperpod-{iid(1)}"}}
    owners = [{"uid": f"uid-look-0a1b2c3d-{iid(1)}", "controller": True}]
    owned = {**theirs, "metadata": {**theirs["metadata"], "ownerReferences": owners}, "spec": {"nodeName": "b"}}
    world.said[1] = None
    world.there |= {f"{PODS}/{name}": {**each, "status": {"phase": "Succeeded"}} for name, each in (("a", theirs), ("b", owned))}
    assert "created no pod" in look(world, (1,))[iid(1)].why


def test_the_namespace_is_made_where_it_is_not_there() -> None:
    world = LookedAt(1)
    world.refused["POST", "/configmaps"] = [404]
    assert look(world, (1,))[iid(1)].health == FIT
    assert [(each["action"], each["resource"]) for each in APPLIED] == [("create", "Namespace looks")]
    assert list(world.there) == ["/api/v1/namespaces/looks"]


@pytest.mark.parametrize(("method", "end"), [("POST", "/configmaps"), ("POST", "/jobs"), ("GET", "/pods")])
def test_who_may_not_is_told_so_and_nothing_stays(method: str, end: str) -> None:
    world = LookedAt(1, 2)
    world.refused[method, end] = [403] * 9
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="is refused"):
        looks(kubernetes, desired(1, 2))([asked(1, 2)])
    assert world.there == {}


def test_an_api_server_that_is_silent_for_a_while() -> None:
    world = LookedAt(1, 2)
    world.refused |= {("POST", "/jobs"): [503], ("DELETE", f"-{iid(2)}"): [500, 429]}
    found = look(world, (1, 2))
    assert "Its Job could not be created: POST" in found[iid(1)].why and found[iid(2)].health == FIT and world.there == {}
    world.refused["GET", "/pods"] = [0, 503, 503, 503, 503]
    assert look(world, (2,))[iid(2)].health == FIT


def test_what_can_not_be_removed_is_told() -> None:
    world = LookedAt(1)
    world.refused["DELETE", f"-{iid(1)}"] = [403] * 99
    with Server(world) as kubernetes:
        done = looks(kubernetes, desired(1))
        assert done([asked(1)])[iid(1)].health == FIT
    assert done.runner.made.left[0].startswith(f"look-0a1b2c3d-{iid(1)} (DELETE") and len(world.there) == 1


def test_what_was_left_behind_is_removed_and_what_is_needed_is_not() -> None:
    world = LookedAt(1)
    world.there |= dict([config_map("old", "2026-11-25T02:58:00Z"), config_map("young", "2026-11-25T02:59:00Z")])
    look(world, (1,))
    assert list(world.there) == [f"{MAPS}/young"]


def test_a_node_on_which_an_earlier_look_does_not_end() -> None:
    world = LookedAt(1, 2)
    meta = {"name": "stuck", "labels": {"mlfleet.hyperpod/look": "old"}, "deletionTimestamp": "2026-11-25T02:00:00Z"}
    world.there[f"{PODS}/stuck"] = {"metadata": meta, "spec": {"nodeName": f"hyperpod-{iid(1)}"}}
    found = look(world, (1, 2))
    assert found[iid(1)].why.startswith("Pod stuck of an earlier check does not end there") and found[iid(2)].health == FIT
    assert list(world.there) == [f"{PODS}/stuck"]


def test_a_run_that_is_asked_to_end_leaves_nothing() -> None:
    world = LookedAt(1, n1={"phase": "Running"})

    class Asked(Time):
        def sleep(self, seconds: float) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    with Server(world) as kubernetes, pytest.raises(Interrupted, match="SIGTERM"):
        looks(kubernetes, desired(1), Asked())([asked(1)])
    assert world.there == {} and ("POST", JOBS) in world.asked
