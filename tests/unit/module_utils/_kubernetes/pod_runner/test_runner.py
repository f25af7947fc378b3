# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods count, and that nothing is left. The tests of health checks and of NCCL cover more of it."""

from __future__ import annotations

import os
import signal
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import Interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import LEASE as LEASE_NAME, Lease, LeaseLost
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.mark import Mark
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.runner import PodRunner, one_per_job

from ..._accelerators.kubernetes.jobs.looked_at import JOBS, NAMESPACE, PODS, LookedAt
from ..._karpenter.proof.api_server import Server
from ..._training.job.trained import NAMESPACE as SPACE_OF_LEASE
from ..leased import OTHER, OURS, Leased, held, holder_of

MARK = Mark("mlfleet.hyperpod/look", "0a1b2c3d")
DELETING = f"Kubernetes is deleting the Pods with {MARK.selector}, but they may not all have ended (last count: "
JOB = {"metadata": MARK.metadata("a", needed=1)}


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def runner(kubernetes: Kubernetes, *, holder: str = "", shared: bool = True) -> PodRunner:
    """:param holder: of the Lease; without it, there is no Lease."""
    time = Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    lease = Lease(kubernetes, SPACE_OF_LEASE, LEASE_NAME, holder=holder, seconds=120, clock=clock, shared=shared) if holder else None
    return PodRunner(kubernetes, NAMESPACE, MARK, progress=Progress(None), interval=5, clock=clock, lease=lease)


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


@pytest.mark.parametrize(("shared", "interrupted"), [(True, False), (True, True), (False, False), (False, True)])
def test_only_an_interrupted_process_releases_the_lease_of_its_run(shared: bool, interrupted: bool) -> None:
    world = Leased(LookedAt())
    with Server(world) as kubernetes:
        runs = runner(kubernetes, holder=OURS, shared=shared)

        def work() -> None:
            runs.require_lease()
            assert holder_of(world.leases) == OURS
            if interrupted:
                os.kill(os.getpid(), signal.SIGTERM)

        if interrupted:
            with pytest.raises(Interrupted):
                runs.run(work)
        else:
            runs.run(work)
    assert holder_of(world.leases) == (OURS if shared and not interrupted else "")


def test_nothing_is_created_while_another_run_holds_the_lease() -> None:
    world = Leased(LookedAt())
    held(world.leases)
    with Server(world) as kubernetes, pytest.raises(LeaseLost, match=f"Another verification .{OTHER}. holds Lease"):
        runs = runner(kubernetes, holder=OURS)
        runs.run(runs.require_lease)
    assert holder_of(world.leases) == OTHER and world.world.asked == []


def test_the_lease_is_renewed_until_the_pods_have_ended() -> None:
    world = Leased(LookedAt())
    world.world.there |= dict([pod("a", "1", "n")])
    with Server(world) as kubernetes:
        runs = runner(kubernetes, holder=OURS)
        runs.run(runs.require_lease, leaving=90)
    assert [method for method, _target in world.leases.requests].count("PATCH") == 2


def test_the_result_counts_if_the_lease_is_lost_while_the_pods_end() -> None:
    world = Leased(LookedAt())
    world.world.there |= dict([pod("a", "1", "n")])
    world.leases.refused["PATCH", LEASE_NAME] = [403]
    with Server(world) as kubernetes:
        runs = runner(kubernetes, holder=OURS)

        def work() -> str:
            runs.require_lease()
            return "done"

        assert runs.run(work, leaving=90) == "done"
    assert len(runs.made.left) == 1 and "This run ended because it could not renew Lease" in runs.made.left[0]
