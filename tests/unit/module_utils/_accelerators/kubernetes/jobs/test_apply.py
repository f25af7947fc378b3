# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks by Jobs: their results, and that no object is left, however a run ends."""

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
from .looked_at import FIT, JOBS, MAPS, PODS, LookedAt, config_map, desired, ended, iid, targets


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def checks(kubernetes: t.Any, wanted: Desired, time: Time | None = None) -> Looks:
    time = time or Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return Looks(kubernetes, wanted, run="0a1b2c3d", progress=Progress(None), interval=5, clock=clock)


def check(world: LookedAt, *batches: t.Sequence[int], **more: t.Any) -> dict[str, Answer]:
    with Server(world) as kubernetes:
        done = checks(kubernetes, desired(*(number for batch in batches for number in batch), **more))
        found = done([targets(*batch) for batch in batches])
    assert done.runner.made.left == []
    return found


def test_nodes_are_checked_batch_by_batch_and_nothing_is_left() -> None:
    world = LookedAt(1, 2, 3)
    assert check(world, (1, 2), (3,)) == {iid(number): Answer(FIT, ran=True) for number in (1, 2, 3)}
    assert world.there == {} and world.at_once == 2
    assert [path for method, path in world.asked if method == "POST"] == [MAPS, JOBS, JOBS, JOBS]


def young(settles_in: t.Any) -> str:
    return text_of({"health": {"verdict": "unknown", "problems": [], "settles_in": settles_in}})


def test_only_a_node_that_has_just_booted_is_checked_again() -> None:
    world, time = LookedAt(1, 2, 3, n1=young(100), n3=young(30)), Time()

    class Recovers(Time):
        def sleep(self, seconds: float) -> None:
            time.sleep(seconds)
            self.now = time.now
            if self.now > 70:
                world.said.pop(1, None)

    with Server(world) as kubernetes:
        found = checks(kubernetes, desired(1, 2, 3), Recovers())([targets(1, 2), targets(3)])
    assert [found[iid(number)].health["verdict"] for number in (1, 2, 3)] == ["fit", "fit", "unknown"], found
    checked = [path[-len(iid(1)) :] for method, path in world.asked if method == "DELETE" and path.startswith(JOBS)]
    assert {number: checked.count(iid(number)) for number in (1, 2, 3)} == {1: 3, 2: 1, 3: 3}
    assert world.there == {} and 100 <= time.now < 130


@pytest.mark.parametrize("settles_in", [10**9, True, "100", -1, None, 1.5])
def test_waiting_for_a_node_to_settle_is_bounded(settles_in: t.Any) -> None:
    world, time = LookedAt(1, n1=young(settles_in)), Time()
    wanted = desired(1, settings={"profile": {"settle_seconds": 90}, "dcgm": True, "timeout": 30})
    with Server(world) as kubernetes:
        found = checks(kubernetes, wanted, time)([targets(1)])
    assert found[iid(1)].health["verdict"] == "unknown" and world.there == {}
    assert (90 <= time.now < 120) if settles_in == 10**9 else time.now < 10, time.now


def test_a_second_check_without_a_result_keeps_the_first_result() -> None:
    world = LookedAt(1, n1=young(30))

    class Breaks(Time):
        def sleep(self, seconds: float) -> None:
            self.now += seconds
            world.said[1] = "SyntaxError\n"

    with Server(world) as kubernetes:
        found = checks(kubernetes, desired(1), Breaks())([targets(1)])
    assert found[iid(1)].health["verdict"] == "unknown" and found[iid(1)].why == ""


def test_a_check_whose_job_cannot_be_removed_is_not_repeated() -> None:
    world = LookedAt(1, n1=young(30))
    world.refused["DELETE", f"-{iid(1)}"] = [403] * 99
    with Server(world) as kubernetes:
        assert checks(kubernetes, desired(1))([targets(1)])[iid(1)].health["settles_in"] == 30


UNPULLED = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no\nway"}}}]}


RUNNING = {"containerStatuses": [{"state": {"running": {}}}]}


@pytest.mark.parametrize(
    ("outcome", "why", "ran"),
    [
        ({"phase": "Failed", "reason": "DeadlineExceeded"}, "did not end within 60 s. A tool may hang in the driver.", False),
        ({"phase": "Failed", "reason": "DeadlineExceeded", **RUNNING}, "A tool may hang in the driver. The check printed no result.", True),
        ({"phase": "Failed", "reason": "OutOfcpu", "message": "no\ncpu"}, "ended without a result (OutOfcpu: no?cpu).", False),
        ({"phase": "Failed", "containerStatuses": [{"state": ended("Error")}], "log": "SyntaxError\n"}, "The last line of its output: SyntaxError", True),
        ({"phase": "Running", **RUNNING}, "The Pod is still Running after 60 s.", True),
        (UNPULLED, "can't be started (ImagePullBackOff: no?way). Use an image", False),
        ({"phase": "Pending"}, "The Pod is still Pending after 60 s.", False),
        (None, "Kubernetes created no Pod for Job look-0a1b2c3d-i-00000000000000001 within 90 s (no reason was returned).", False),
        ("hello\n", "The check printed no result. The last line of its output: hello", True),
    ],
)
def test_pods_without_a_result_are_reported_with_the_reason(outcome: t.Any, why: str, ran: bool) -> None:
    world = LookedAt(1, 2, n1=outcome)
    found = check(world, (1, 2))
    assert found[iid(2)].health == FIT and world.there == {}
    assert found[iid(1)].health is None and why in found[iid(1)].why and found[iid(1)].ran is ran, found


def test_the_result_of_a_pod_that_does_not_end_counts() -> None:
    world = LookedAt(1, n1={"phase": "Running", **RUNNING, "log": text_of({"health": FIT})})
    assert check(world, (1,)) == {iid(1): Answer(FIT, ran=True)}


@pytest.mark.parametrize("status", [404, 503])
def test_a_log_that_cannot_be_read_is_tried_once(status: int) -> None:
    """Retries for a kubelet that does not answer would delay the whole batch."""
    world = LookedAt(1, 2)
    world.refused["GET", f"-{iid(1)}-x/log"] = [status]
    found = check(world, (1, 2))
    assert found[iid(1)].ran and "The Pod's log could not be read: " in found[iid(1)].why and found[iid(2)].health == FIT


def test_no_further_batch_starts_if_no_pod_of_a_batch_ran() -> None:
    world = LookedAt(1, 2, 3, n1=UNPULLED, n2=None)
    found = check(world, (1, 2), (3,))
    assert "no Pod of the previous batch ran." in found[iid(3)].why and "ImagePullBackOff" in found[iid(3)].why
    assert sum(1 for method, path in world.asked if (method, path) == ("POST", JOBS)) == 2 and world.there == {}


def test_pods_without_the_job_as_owner_or_on_another_node_do_not_count() -> None:
    world = LookedAt(1)
    ownerless = {"metadata": {"name": "x", "labels": {"mlfleet.hyperpod/look": "0a1b2c3d"}, "ownerReferences": []}, "spec": {"nodeName": f"hyperpod-{iid(1)}"}}
    owners = [{"uid": f"uid-look-0a1b2c3d-{iid(1)}", "controller": True}]
    owned = {**ownerless, "metadata": {**ownerless["metadata"], "ownerReferences": owners}, "spec": {"nodeName": "b"}}
    world.said[1] = None
    world.there |= {f"{PODS}/{name}": {**each, "status": {"phase": "Succeeded"}} for name, each in (("a", ownerless), ("b", owned))}
    assert "created no Pod" in check(world, (1,))[iid(1)].why


def test_a_missing_namespace_is_created() -> None:
    world = LookedAt(1)
    world.refused["POST", "/configmaps"] = [404]
    assert check(world, (1,))[iid(1)].health == FIT
    assert [(each["action"], each["resource"]) for each in APPLIED] == [("create", "Namespace looks")]
    assert list(world.there) == ["/api/v1/namespaces/looks"]


@pytest.mark.parametrize(("method", "end"), [("POST", "/configmaps"), ("POST", "/jobs"), ("GET", "/pods")])
def test_a_refused_request_is_an_error_and_nothing_is_left(method: str, end: str) -> None:
    world = LookedAt(1, 2)
    world.refused[method, end] = [403] * 9
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="is refused"):
        checks(kubernetes, desired(1, 2))([targets(1, 2)])
    assert world.there == {}


def test_an_api_server_that_fails_for_a_while_is_retried() -> None:
    world = LookedAt(1, 2)
    world.refused |= {("POST", "/jobs"): [503], ("DELETE", f"-{iid(2)}"): [500, 429]}
    found = check(world, (1, 2))
    assert "The Job for the check could not be created: POST" in found[iid(1)].why and found[iid(2)].health == FIT and world.there == {}
    world.refused["GET", "/pods"] = [0, 503, 503, 503, 503]
    assert check(world, (2,))[iid(2)].health == FIT


def test_objects_that_cannot_be_removed_are_reported() -> None:
    world = LookedAt(1)
    world.refused["DELETE", f"-{iid(1)}"] = [403] * 99
    with Server(world) as kubernetes:
        done = checks(kubernetes, desired(1))
        assert done([targets(1)])[iid(1)].health == FIT
    assert done.runner.made.left[0].startswith(f"look-0a1b2c3d-{iid(1)} could not be removed (DELETE") and len(world.there) == 1


def test_expired_objects_of_an_earlier_run_are_removed() -> None:
    world = LookedAt(1)
    world.there |= dict([config_map("old", "2026-11-25T02:58:00Z"), config_map("young", "2026-11-25T02:59:00Z")])
    check(world, (1,))
    assert list(world.there) == [f"{MAPS}/young"]


def test_a_node_with_a_stuck_pod_of_an_earlier_check_is_not_checked() -> None:
    world = LookedAt(1, 2)
    meta = {"name": "stuck", "labels": {"mlfleet.hyperpod/look": "old"}, "deletionTimestamp": "2026-11-25T02:00:00Z"}
    world.there[f"{PODS}/stuck"] = {"metadata": meta, "spec": {"nodeName": f"hyperpod-{iid(1)}"}}
    found = check(world, (1, 2))
    assert found[iid(1)].why.startswith("Pod stuck of an earlier check does not end on the node") and found[iid(2)].health == FIT
    assert list(world.there) == [f"{PODS}/stuck"]


def test_an_interrupted_run_leaves_nothing() -> None:
    world = LookedAt(1, n1={"phase": "Running"})

    class Interrupting(Time):
        def sleep(self, seconds: float) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    with Server(world) as kubernetes, pytest.raises(Interrupted, match="SIGTERM"):
        checks(kubernetes, desired(1), Interrupting())([targets(1)])
    assert world.there == {} and ("POST", JOBS) in world.asked
