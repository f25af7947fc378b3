# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Lease has at most one holder, and expires by the API server's clock."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes, KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import Holder, Lease, LeaseLost

from .._karpenter.proof.api_server import Server
from .._training.job.trained import LEASE, LEASES, NAMESPACE, NOW, Trained


class Time:
    """A process's clock. The API server's clock advances with it."""

    def __init__(self, world: Trained) -> None:
        self.world, self.now = world, 7000.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.world.now = iso_seconds(moment_of(self.world.now) + datetime.timedelta(seconds=seconds))


@pytest.fixture
def world() -> Trained:
    return Trained()


@pytest.fixture
def time(world: Trained) -> Time:
    return Time(world)


@pytest.fixture
def kubernetes(world: Trained) -> t.Iterator[Kubernetes]:
    with Server(world) as client:
        yield client


def lease(kubernetes: Kubernetes, time: Time, holder: str = "a") -> Lease:
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    return Lease(kubernetes, NAMESPACE, "mlfleet-training", holder=holder, seconds=120, clock=clock)


def holder_of(world: Trained) -> str:
    return str(world.there[LEASE]["spec"]["holderIdentity"])


def writes(world: Trained) -> list[tuple[str, str]]:
    return [each for each in world.requests if each[0] != "GET"]


def test_a_free_lease_is_acquired_and_deleted(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    held = lease(kubernetes, time)
    assert held.acquire(kubernetes.create) is None and holder_of(world) == "a"
    assert world.there[LEASE]["spec"] == {"holderIdentity": "a", "leaseDurationSeconds": 120}
    assert held.release() == "" and world.left == [] and writes(world) == [("POST", LEASES), ("DELETE", LEASE)]


def test_a_held_lease_is_left_to_its_holder(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    lease(kubernetes, time).acquire(kubernetes.create)
    time.sleep(119)
    second = lease(kubernetes, time, "b")
    assert second.acquire(kubernetes.create) == Holder("a", NOW, "2026-11-29T03:02:00Z")
    assert second.release() == "" and holder_of(world) == "a"


def test_an_expired_lease_is_taken_over(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    first, second = lease(kubernetes, time), lease(kubernetes, time, "b")
    first.acquire(kubernetes.create)
    time.sleep(120)
    assert second.acquire(kubernetes.create) is None and holder_of(world) == "b"
    times = {name: world.there[LEASE]["spec"][name] for name in ("acquireTime", "renewTime")}
    assert times == dict.fromkeys(("acquireTime", "renewTime"), "2026-11-29T03:02:00.000000Z")
    with pytest.raises(LeaseLost, match="could not renew Lease mlfleet-training/mlfleet-training .*409"):
        first.keep()
    assert first.release() == "" and holder_of(world) == "b" and second.release() == "" and world.left == []


def test_a_renewed_lease_does_not_expire(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    first = lease(kubernetes, time)
    first.acquire(kubernetes.create)
    for _turn in range(6):
        time.sleep(39)
        first.keep()
    assert [each[0] for each in writes(world)].count("PATCH") == 3  # every 40 s at most
    other = lease(kubernetes, time, "b").acquire(kubernetes.create)
    assert other == Holder("a", NOW, "2026-11-29T03:05:54Z")


@pytest.mark.parametrize("change", ["delete", "refuse"])
def test_a_lease_that_cannot_be_renewed_is_lost(world: Trained, kubernetes: Kubernetes, time: Time, change: str) -> None:
    held = lease(kubernetes, time)
    held.acquire(kubernetes.create)
    if change == "delete":
        del world.there[LEASE]
    world.refused["PATCH", "mlfleet-training"] = [403] * (change == "refuse")
    time.sleep(60)
    with pytest.raises(LeaseLost, match="404" if change == "delete" else "403"):
        held.keep()
    held.keep()
    assert held.release() == "" and world.left == []


def test_a_transient_error_does_not_lose_the_lease(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    held = lease(kubernetes, time)
    held.acquire(kubernetes.create)
    world.refused["PATCH", "mlfleet-training"] = [503, 429]
    time.sleep(60)
    for _turn in range(3):
        held.keep()
    assert world.there[LEASE]["spec"]["renewTime"] == "2026-11-29T03:01:00.000000Z"


@pytest.mark.parametrize("after", [False, True])
def test_a_lease_whose_creation_was_not_confirmed_is_deleted(world: Trained, kubernetes: Kubernetes, time: Time, after: bool) -> None:
    world.cut, world.cut_after = 1, after
    held = lease(kubernetes, time)
    with pytest.raises(KubernetesError):
        held.acquire(kubernetes.create)
    assert (LEASE in world.there) is after and held.release() == "" and world.left == []


def test_a_lease_that_cannot_be_deleted_is_reported(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    held = lease(kubernetes, time)
    held.acquire(kubernetes.create)
    world.refused["DELETE", "mlfleet-training"] = [403]
    why = held.release()
    assert why.startswith("Lease mlfleet-training/mlfleet-training could not be removed (DELETE ") and why.endswith("It expires after 120 s.")


@pytest.mark.parametrize(
    ("spec", "until"),
    [
        ({}, NOW),
        ({"holderIdentity": "x\x1b", "leaseDurationSeconds": 60, "renewTime": "2026-11-29T03:00:30.5Z"}, "2026-11-29T03:01:30Z"),
        ({"leaseDurationSeconds": 10**9}, "2026-11-29T04:00:00Z"),
        ({"leaseDurationSeconds": "for ever", "renewTime": "never"}, NOW),
    ],
)
def test_leases_of_other_programs(world: Trained, kubernetes: Kubernetes, time: Time, spec: dict[str, t.Any], until: str) -> None:
    meta = {"name": "mlfleet-training", "resourceVersion": "0", "uid": "x", "creationTimestamp": NOW}
    world.there[LEASE] = {"metadata": meta, "spec": spec}
    other = lease(kubernetes, time).acquire(kubernetes.create)
    assert (other.until if other else NOW) == until and (other is None or other.name.isprintable())


def test_two_runs_that_take_over_at_once(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    lease(kubernetes, time).acquire(kubernetes.create)
    time.sleep(200)
    first, second = lease(kubernetes, time, "b"), lease(kubernetes, time, "c")
    real = first._now

    def now() -> str:
        """The second run is faster."""
        if holder_of(world) == "a":
            assert second.acquire(kubernetes.create) is None
        return real()

    first._now = now  # type: ignore[method-assign]
    other = first.acquire(kubernetes.create)
    assert other and other.name == "c" and holder_of(world) == "c"
