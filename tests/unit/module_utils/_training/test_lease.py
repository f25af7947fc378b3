# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Lease of a run: what happens before its first check, and at its end."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes, KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import LeaseLost, check_holder
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.lease import RunLease, new_holder

from .._karpenter.proof.api_server import Server
from .._kubernetes.leased import EXPIRED, HELD, OTHER, OURS, RENEWED, Time, held, holder_of
from .job.trained import LABEL, LEASE, LEASES, MAPS, PODS, PYTORCH, SPACE, Trained

LEFT = {"metadata": {"name": "old", "labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", LABEL: "old"}}}
POD = {"metadata": {"name": "training-old-worker-0", "labels": {LABEL: "old"}}, "spec": {"nodeName": "a"}}


@pytest.fixture
def world() -> Trained:
    return Trained()


@pytest.fixture
def kubernetes(world: Trained) -> t.Iterator[Kubernetes]:
    with Server(world) as client:
        yield client


def lease(kubernetes: Kubernetes, world: Trained, *, own: bool = True) -> RunLease:
    time = Time(world)
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return RunLease(kubernetes, "mlfleet-training", holder=OURS, own=own, clock=clock)


def test_what_a_killed_run_left_is_removed_before_the_first_check(world: Trained, kubernetes: Kubernetes) -> None:
    held(world, EXPIRED)
    world.there |= {f"{PYTORCH}/old": LEFT, f"{MAPS}/old": LEFT}
    ours = lease(kubernetes, world)
    ours.acquire()
    assert world.left == [LEASE] and holder_of(world) == OURS
    ours.release()
    assert world.left == [] and ours.left == []


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("holder", "renewed", "refused"),
    [(OTHER, RENEWED, True), (OTHER, EXPIRED, False), (OURS, RENEWED, False), ("", "", False)],
)
def test_only_the_lease_of_an_active_run_prevents_another_run(
    world: Trained, kubernetes: Kubernetes, holder: str, renewed: str, refused: bool, check: bool
) -> None:
    world.there[f"{PYTORCH}/old"] = LEFT
    if holder:
        held(world, renewed, holder)
    before, ours = dict(world.there), lease(kubernetes, world)
    if refused:
        with pytest.raises(LeaseLost) as raised:
            ours.check() if check else ours.acquire()
        assert str(raised.value) == HELD
    else:
        ours.check() if check else ours.acquire()
    assert (world.there == before) is (refused or check) and holder_of(world) == (holder if refused or check else OURS)


def test_a_lease_is_not_kept_if_pods_of_a_killed_run_do_not_end() -> None:
    class Stuck(Trained):
        def _labelled(self, path: str, selector: str) -> list[dict[str, t.Any]]:
            return [POD] if path == PODS else super()._labelled(path, selector)

    world = Stuck()
    with Server(world) as kubernetes:
        with pytest.raises(Failure, match=r"Pods of an earlier verification do not end: training-old-worker-0\. Check the kubelets"):
            lease(kubernetes, world).acquire()
    assert LEASE not in world.there


@pytest.mark.parametrize("own", [True, False])
def test_only_our_own_namespace_is_created(world: Trained, kubernetes: Kubernetes, own: bool) -> None:
    del world.there[SPACE]
    ours = lease(kubernetes, world, own=own)
    ours.check()
    if own:
        ours.acquire()
        assert [*world.there] == [SPACE, LEASE]
    else:
        with pytest.raises(KubernetesError, match="404"):
            ours.acquire()
        assert world.there == {}


@pytest.mark.parametrize("check", [True, False])
def test_a_namespace_with_another_owner_is_refused(world: Trained, kubernetes: Kubernetes, check: bool) -> None:
    world.there[SPACE] = {"metadata": {"labels": {}}}
    with pytest.raises(Refused, match="it has another owner"):
        lease(kubernetes, world).check() if check else lease(kubernetes, world).acquire()
    assert {method for method, _target in world.requests} == {"GET"}
    lease(kubernetes, world, own=False).acquire()
    assert holder_of(world) == OURS


def test_a_lease_that_cannot_be_deleted_is_reported(world: Trained, kubernetes: Kubernetes) -> None:
    held(world, RENEWED, OURS)
    world.refused["DELETE", "mlfleet-training"] = [403]
    ours = lease(kubernetes, world)
    ours.release()
    (why,) = ours.left
    assert why.endswith("It expires after 120 s.") and ("POST", LEASES) not in world.requests


def test_each_run_has_another_name() -> None:
    first, second = new_holder(), new_holder()
    assert first != second and check_holder("holder", first) == first and first.startswith("run-")
