# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods count, and that nothing is left. The tests of health checks and of NCCL cover more of it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.mark import Mark
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.runner import PodRunner, one_per_job

from ..._accelerators.kubernetes.jobs.looked_at import JOBS, NAMESPACE, PODS, LookedAt
from ..._karpenter.proof.api_server import Server

MARK = Mark("mlfleet.hyperpod/look", "0a1b2c3d")
DELETING = f"Kubernetes is deleting the Pods with {MARK.selector}, but they may not all have ended (last count: "
JOB = {"metadata": MARK.metadata("a", needed=1)}


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def runner(kubernetes: Kubernetes) -> PodRunner:
    time = Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return PodRunner(kubernetes, NAMESPACE, MARK, progress=Progress(None), interval=5, clock=clock)


def pod(name: str, job: str, node: str = "", phase: str = "Running") -> tuple[str, dict[str, t.Any]]:
    owner = {"uid": job, "controller": True}
    metadata = {"name": name, "labels": {MARK.label: MARK.run}, "ownerReferences": [owner]}
    return f"{PODS}/{name}", {"metadata": metadata, "spec": {"nodeName": node} if node else {}, "status": {"phase": phase}}


def followed(*pods: tuple[str, dict[str, t.Any]], nodes: t.Mapping[str, str]) -> tuple[list[str], bool]:
    """The names of the pods once every node has one, and whether the wait timed out."""
    world = LookedAt()
    world.there |= dict(pods)
    with Server(world) as kubernetes:
        found, late = runner(kubernetes).follow(
            one_per_job(nodes), seconds=10, done=lambda seen: len(seen) == len(nodes), subject="it", state=lambda seen: str(len(seen))
        )
    assert list(found) == [job for job in nodes if job in found]
    return [each.name for each in found.values()], late


def test_pods_are_returned_in_the_order_of_their_jobs() -> None:
    pods = [pod("b", "2", "m"), pod("a", "1", "n")]
    assert followed(*pods, nodes={"1": "n", "2": "m"}) == (["a", "b"], False)


def test_a_pod_without_a_node_counts_and_one_on_another_node_does_not() -> None:
    assert followed(pod("a", "1"), pod("b", "2", "n"), nodes={"1": "n", "2": "m"}) == (["a"], True)


def test_a_pod_on_the_node_counts_before_one_without_a_node() -> None:
    assert followed(pod("a", "1", "n"), pod("b", "1"), nodes={"1": "n"}) == (["a"], False)


def test_a_pod_of_another_job_does_not_count() -> None:
    assert followed(pod("a", "3", "n"), nodes={"1": "n"}) == ([], True)


def test_objects_are_removed_even_if_the_work_fails() -> None:
    world = LookedAt()
    with Server(world) as kubernetes, pytest.raises(ZeroDivisionError):
        runs = runner(kubernetes)

        def work() -> None:
            assert runs.start(JOB)["metadata"]["uid"] == "uid-a" and list(world.there) == [f"{JOBS}/a"]
            raise ZeroDivisionError

        runs.run(work)
    assert world.there == {}


def test_pods_that_do_not_end_are_named() -> None:
    world = LookedAt()
    world.there |= dict([pod("a", "1", "n")])
    with Server(world) as kubernetes:
        runs = runner(kubernetes)
        assert runs.run(lambda: "done", leaving=20) == "done"
    assert runs.made.left == [f"{DELETING}1)."]


def test_pods_that_cannot_be_listed_are_reported_as_possibly_running() -> None:
    world = LookedAt()
    world.refused["GET", "/pods"] = [503] * 9
    with Server(world) as kubernetes:
        runs = runner(kubernetes)
        runs.run(lambda: None, leaving=1)
    assert runs.made.left == [f"{DELETING}unknown)."]
