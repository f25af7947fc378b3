# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL tests by pods: their results, and that no object is left, however a test ends."""

from __future__ import annotations

import os
import signal
import typing as t
from dataclasses import replace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.apply import Runner
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Outcome, Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import Interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Share

from ...._karpenter.proof.api_server import Server
from .tested import JOBS, LABEL, PODS, RUNNING, SERVICES, WAITING, WELL, Measured, desired, ended, name, old_job


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def runner(kubernetes: t.Any, time: Time | None = None, **more: t.Any) -> Runner:
    time = time or Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return Runner(kubernetes, desired(**more), run="0a1b2c3d", progress=Progress(None), interval=5, clock=clock)


def run(world: Measured, **more: t.Any) -> Ran | Outcome:
    with Server(world) as kubernetes:
        test = runner(kubernetes, **more)
        found = test(Share(32, huge_pages=True))
    assert test.runner.made.left == [] and world.there == {}
    return found


def test_logs_are_in_the_order_of_the_nodes_and_nothing_is_left() -> None:
    world = Measured()
    world.logs[2] = "of the second"
    assert run(world) == Ran(f"{WELL}of the second\n", 0)
    assert [path for method, path in world.asked if method == "POST"] == [JOBS, SERVICES, JOBS]
    assert [each["metadata"]["name"] for each in world.made] == ["nccl-0a1b2c3d-0", "nccl-0a1b2c3d", "nccl-0a1b2c3d-1"]


DELETING = f"Kubernetes is deleting the Pods with {LABEL}=0a1b2c3d, but they may not all have ended (last count: "
PULL = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no\nway"}}}]}
CREATING = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}


@pytest.mark.parametrize(
    ("status", "failure", "why"),
    [
        (WAITING, "allocation", "did not schedule the test within 60 s: 0/3 nodes are available:?1 Insufficient nvidia.com/gpu."),
        (None, "allocation", "within 60 s: there is no Pod for 1 of 2 Jobs."),
        (PULL, "image", "A Pod can't be started (ImagePullBackOff: no?way). Use an image that the nodes can pull."),
        (CREATING, "timeout", "Not all Pods had started after 900 s (ContainerCreating)."),
        ({"phase": "Failed", "reason": "OutOfnvidia.com/gpu"}, "allocation", "A node refused its Pod (OutOfnvidia.com/gpu)."),
    ],
)
def test_a_test_that_does_not_start_has_a_reason(status: t.Any, failure: str, why: str) -> None:
    found = run(Measured(n2=status))
    assert isinstance(found, Outcome) and (found.verdict, found.failure) == ("not_run", failure), found
    assert found.text.endswith(why) and found.nodes == (name(1), name(2)), found


@pytest.mark.parametrize(
    ("pods", "status", "end"),
    [
        ({"n1": RUNNING}, None, ""),
        ({"n1": ended(127), "n2": RUNNING}, 127, f"error: {name(1)}: Error\n"),
        ({"n1": RUNNING, "n2": ended(3)}, 3, f"error: {name(2)}: Error\n"),
        ({"n2": {**ended(137), "reason": "Evicted", "message": "no\nroom"}}, 137, f"error: {name(2)}: Evicted: no?room\n"),
        ({"n2": {**ended(1), "containerStatuses": [{"state": {"terminated": {"exitCode": "\x1b"}}}]}}, 1, f"error: {name(2)}: no reason was returned\n"),
    ],
)
def test_the_status_is_that_of_the_failed_pod(pods: dict[str, t.Any], status: int | None, end: str) -> None:
    assert run(Measured(**pods)) == Ran(f"{WELL}\n{end}", status)


@pytest.mark.parametrize("second", [CREATING, RUNNING])
def test_a_pod_that_is_removed_while_others_run_ends_the_test(second: dict[str, t.Any]) -> None:
    """Its node was replaced, or it was evicted. Its Job creates no other pod."""
    world, time = Measured(n1=RUNNING, n2=second), Time()

    class Removes(Time):
        def sleep(self, seconds: float) -> None:
            time.now += seconds
            if time.now > 20:
                world.said[2] = None

    with Server(world) as kubernetes:
        clock = Clock(now=lambda: time.now, sleep=Removes().sleep, jitter=lambda: 0.0)
        found = Runner(kubernetes, desired(), run="0a1b2c3d", progress=Progress(None), interval=5, clock=clock)(Share())
    assert isinstance(found, Outcome) and found.failure == "allocation" and time.now < 60, found
    assert found.text == "Kubernetes removed Pods of the test: there is no Pod for 1 of 2 Jobs." and world.there == {}


def test_the_test_ends_when_one_pod_fails() -> None:
    time = Time()
    with Server(Measured(n1=RUNNING, n2=ended(3))) as kubernetes:
        runner(kubernetes, time)(Share())
    assert time.now < 10


def test_pods_without_the_job_as_owner_or_on_another_node_do_not_count() -> None:
    world = Measured(n2=None)
    ownerless = {"name": "x", "labels": {LABEL: "0a1b2c3d"}}
    owned = {**ownerless, "name": "y", "ownerReferences": [{"uid": "uid-nccl-0a1b2c3d-1", "controller": True}]}
    world.leaving = [{"metadata": meta, "spec": {"nodeName": "b"}, "status": ended()} for meta in (ownerless, owned)]
    with Server(world) as kubernetes:
        test = runner(kubernetes)
        found = test(Share())
    assert isinstance(found, Outcome) and "no Pod for 1 of 2 Jobs" in found.text
    assert test.runner.made.left == [f"{DELETING}2)."]


@pytest.mark.parametrize(("method", "end"), [("POST", "/services"), ("POST", "/jobs"), ("GET", "/pods"), ("GET", "/log")])
def test_a_refused_request_is_an_error_and_nothing_is_left(method: str, end: str) -> None:
    world = Measured()
    world.refused[method, end] = [403] * 9
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="is refused"):
        runner(kubernetes)(Share())
    assert world.there == {}


def test_an_api_server_that_fails_for_a_while_is_retried() -> None:
    world = Measured()
    world.refused |= {("GET", "/pods"): [503, 500, 429, 503], ("DELETE", "/nccl-0a1b2c3d-0"): [500, 429], ("GET", "/log"): [429, 503]}
    assert run(world) == Ran(f"{WELL}\n", 0)


@pytest.mark.parametrize(
    ("pods", "found"),
    [
        ({}, Outcome("not_run", "The test succeeded, but its output could not be read: ", "output", (name(1), name(2)))),
        ({"n2": ended(137)}, Ran(f"\nerror: {name(2)}: Error\n", 137)),
        ({"n2": RUNNING}, Ran("\n", None)),
    ],
)
@pytest.mark.parametrize("status", [404, 500])
def test_a_log_that_cannot_be_read_hides_no_other_log(pods: dict[str, t.Any], found: Ran | Outcome, status: int) -> None:
    """The node has died."""
    world = Measured(**pods)
    world.refused["GET", "-0-x/log"] = [status] * 9
    seen = run(world)
    assert seen == (replace(found, text=seen.text) if isinstance(found, Outcome) and isinstance(seen, Outcome) else found)
    assert not isinstance(found, Outcome) or (found.text in seen.text and f"was answered with {status}" in seen.text)


def test_the_result_is_reported_even_if_the_end_of_the_pods_is_unknown() -> None:
    world = Measured()
    world.refused["GET", "/pods"] = [0, 0, 0, *[503] * 9]
    with Server(world) as kubernetes:
        test = runner(kubernetes)
        assert test(Share()) == Ran(f"{WELL}\n", 0)
    assert len(test.runner.made.left) == 1 and test.runner.made.left[0].startswith(f"{DELETING}unknown; ")


def test_expired_objects_of_an_earlier_run_are_removed() -> None:
    world = Measured()
    world.there |= dict([old_job("old", "2026-11-25T02:00:00Z", "1620"), old_job("young", "2026-11-25T02:40:00Z", "1620")])
    with Server(world) as kubernetes:
        runner(kubernetes)(Share())
    assert list(world.there) == [f"{JOBS}/young"]


def test_an_interrupted_run_leaves_nothing() -> None:
    world = Measured(n1=RUNNING)

    class Interrupting(Time):
        def sleep(self, seconds: float) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    with Server(world) as kubernetes, pytest.raises(Interrupted, match="SIGTERM"):
        runner(kubernetes, Interrupting())(Share())
    assert world.there == {} and ("GET", PODS) in world.asked
