# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Lease has at most one holder, and expires by the API server's clock."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes, KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import Holder, Lease, LeaseLost, lease_of

from .._karpenter.proof.api_server import Server
from .._training.job.trained import LEASE, LEASES, NAMESPACE, NOW, Trained
from .leased import EXPIRED, HELD, OTHER, OURS, RENEWED, Time, held, holder_of


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


def writes(world: Trained) -> list[tuple[str, str]]:
    return [each for each in world.requests if each[0] != "GET"]


def test_a_free_lease_is_acquired_and_deleted(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    ours = lease(kubernetes, time)
    assert ours.acquire(kubernetes.create) is None and holder_of(world) == "a"
    assert world.there[LEASE]["spec"] == {"holderIdentity": "a", "leaseDurationSeconds": 120}
    assert ours.release() == "" and world.left == [] and writes(world) == [("POST", LEASES), ("DELETE", LEASE)]


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
    ours = lease(kubernetes, time)
    ours.acquire(kubernetes.create)
    if change == "delete":
        del world.there[LEASE]
    world.refused["PATCH", "mlfleet-training"] = [403] * (change == "refuse")
    time.sleep(60)
    with pytest.raises(LeaseLost, match="404" if change == "delete" else "403"):
        ours.keep()
    ours.keep()
    assert ours.release() == "" and world.left == []


def test_a_transient_error_does_not_lose_the_lease(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    ours = lease(kubernetes, time)
    ours.acquire(kubernetes.create)
    world.refused["PATCH", "mlfleet-training"] = [503, 429]
    time.sleep(60)
    for _turn in range(3):
        ours.keep()
    assert world.there[LEASE]["spec"]["renewTime"] == "2026-11-29T03:01:00.000000Z"


@pytest.mark.parametrize("after", [False, True])
def test_a_lease_whose_creation_was_not_confirmed_is_deleted(world: Trained, kubernetes: Kubernetes, time: Time, after: bool) -> None:
    world.cut, world.cut_after = 1, after
    ours = lease(kubernetes, time)
    with pytest.raises(KubernetesError):
        ours.acquire(kubernetes.create)
    assert (LEASE in world.there) is after and ours.release() == "" and world.left == []


def test_a_lease_that_cannot_be_deleted_is_reported(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    ours = lease(kubernetes, time)
    ours.acquire(kubernetes.create)
    world.refused["DELETE", "mlfleet-training"] = [403]
    why = ours.release()
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


def test_the_processes_of_a_run_share_its_lease(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    first, second = lease(kubernetes, time), lease(kubernetes, time)
    assert first.acquire(kubernetes.create) is None
    time.sleep(100)
    assert second.acquire(kubernetes.create) is None
    assert world.there[LEASE]["spec"] == {"holderIdentity": "a", "leaseDurationSeconds": 120, "renewTime": "2026-11-29T03:01:40.000000Z"}
    time.sleep(100)
    second.keep()
    assert lease(kubernetes, time, "b").acquire(kubernetes.create) == Holder("a", NOW, "2026-11-29T03:05:20Z")
    assert lease(kubernetes, time).remove() == "" and world.left == []


@pytest.mark.parametrize(
    ("holder", "renewed", "lost"),
    [(OTHER, RENEWED, True), (OTHER, EXPIRED, False), (OURS, RENEWED, False), (OURS, EXPIRED, False), ("", "", False)],
)
def test_a_run_finds_whether_another_one_holds_its_lease(
    world: Trained, kubernetes: Kubernetes, time: Time, holder: str, renewed: str, lost: bool
) -> None:
    if holder:
        held(world, renewed, holder)
    before, ours = dict(world.there), lease(kubernetes, time, OURS)
    other = ours.other()
    assert (other.name if other else "") == (OTHER if lost else "") and world.there == before
    if lost:
        with pytest.raises(LeaseLost) as raised:
            ours.require(kubernetes.create)
        assert str(raised.value) == HELD
    else:
        ours.require(kubernetes.create)
    assert holder_of(world) == (OTHER if lost else OURS)


def test_the_lease_of_another_run_is_not_removed(world: Trained, kubernetes: Kubernetes, time: Time) -> None:
    held(world, EXPIRED)
    assert lease(kubernetes, time, OURS).remove() == "" and holder_of(world) == OTHER


@pytest.mark.parametrize("interval", [5, 100])
def test_the_option_names_the_lease(kubernetes: Kubernetes, interval: int) -> None:
    assert lease_of(kubernetes, None, interval) is None
    made = lease_of(kubernetes, {"namespace": "hyperpod-ns-a", "holder": OURS}, interval)
    assert made is not None and (made.path, made.holder, made.shared) == (LEASE.replace(f"/{NAMESPACE}/leases", "/hyperpod-ns-a/leases"), OURS, True)
    assert made.seconds == max(120, 3 * interval)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespace": "A", "holder": OURS}, "namespace: 'A' is not allowed"),
        ({"namespace": "a", "holder": ""}, "lease.holder: '' is not allowed. Allowed: 1 to 200 printable characters."),
        ({"namespace": "a", "holder": "a\x1b"}, "lease.holder: 'a\\x1b' is not allowed"),
        ({"namespace": "a", "holder": "a" * 201}, "is not allowed. Allowed: 1 to 200"),
    ],
)
def test_invalid_options_are_refused(kubernetes: Kubernetes, given: dict[str, str], message: str) -> None:
    with pytest.raises(Refused) as raised:
        lease_of(kubernetes, given, 5)
    assert message in str(raised.value)
