# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only one run at a time uses a namespace, and it removes what killed runs left."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import known_kind
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import LeaseLost
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, NotRun, Ran

from ..._karpenter.proof.api_server import Server
from ..._kubernetes.leased import EXPIRED, HELD, OURS as RUN_OF_US, held, holder_of
from .applied import Time, run, runner
from .trained import JOBS, LABEL, LEASE, LEASES, MAPS, NAMESPACE, NOW, PODS, PYTORCH, RUNNING, SERVICES, Trained

OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", LABEL: "old"}
PATHS = [*(known_kind(kind).path(NAMESPACE) for kind in KINDS), SERVICES, MAPS]


def left_by(world: Trained, run: str, *paths: str, labels: t.Mapping[str, str] = OURS) -> list[str]:
    for path in paths:
        world.there[f"{path}/{run}"] = {"metadata": {"name": run, "labels": dict(labels), "creationTimestamp": NOW}}
    return [f"{path}/{run}" for path in paths]


def test_a_second_run_ends_with_the_holder_and_changes_nothing() -> None:
    world = Trained()
    held(world)
    there = [*left_by(world, "old", *PATHS), LEASE]
    with Server(world) as kubernetes:
        found = runner(kubernetes)()
    assert found == NotRun("lease", HELD)
    assert sorted(world.left) == sorted(there)
    assert {target for method, target in world.requests if method != "GET"} == {LEASES, f"{LEASES}?dryRun=All"}


def test_everything_of_a_killed_run_is_removed_once_its_lease_has_expired() -> None:
    world = Trained()
    held(world, EXPIRED)
    left_by(world, "old", *PATHS)
    assert isinstance(run(world), Ran) and world.left == []


@pytest.mark.parametrize("renewed", [NOW, EXPIRED, ""])
def test_a_job_keeps_the_lease_of_its_run(renewed: str) -> None:
    world = Trained()
    if renewed:
        held(world, renewed, RUN_OF_US)
    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes, lease_holder=RUN_OF_US)(), Ran)
        assert world.left == [LEASE] and holder_of(world) == RUN_OF_US


def test_a_job_does_not_run_if_its_run_has_lost_the_lease() -> None:
    world = Trained()
    held(world)
    with Server(world) as kubernetes:
        assert runner(kubernetes, lease_holder=RUN_OF_US)() == NotRun("lease", HELD)
    assert world.left == [LEASE]


def test_objects_of_other_owners_stay() -> None:
    world = Trained()
    there = left_by(world, "theirs", MAPS, JOBS, PYTORCH, labels={LABEL: "theirs"})
    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes)(), Ran)
    assert world.left == there


@pytest.mark.parametrize("status", [403, 404])
def test_kinds_that_cannot_be_listed_are_skipped(status: int) -> None:
    world = Trained()
    world.refused["GET", "pytorchjobs?labelSelector=mlfleet.hyperpod%2Ftraining&limit=500"] = [status]
    left_by(world, "old", PYTORCH, MAPS)
    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes, "Job")(), Ran)
    assert world.left == [f"{PYTORCH}/old"]


@pytest.mark.parametrize(("reads", "ends"), [(2, True), (99, False)])
def test_the_pods_of_a_killed_run_must_end_first(reads: int, ends: bool) -> None:
    class Leaving(Trained):
        left_reads = reads

        def _labelled(self, path: str, selector: str) -> list[dict[str, t.Any]]:
            if path != PODS or self._job is not None or "=" in selector or self.left_reads <= 0:
                return super()._labelled(path, selector)
            self.left_reads -= 1
            return [{"metadata": {"name": "training-old-worker-0", "labels": {LABEL: "old"}}, "spec": {"nodeName": "a"}}]

    world = Leaving()
    found = run(world)
    if ends:
        assert isinstance(found, Ran)
    else:
        assert isinstance(found, NotRun) and found.failure == "busy", found
        assert found.text.startswith("Pods of an earlier verification do not end: training-old-worker-0. Check")
        assert ("POST", PYTORCH) not in world.requests


def test_the_lease_is_renewed_during_a_long_run_and_its_loss_ends_the_run() -> None:
    world = Trained(RUNNING, RUNNING)

    class Passing(Time):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            world.now = iso_seconds(moment_of(world.now) + datetime.timedelta(seconds=seconds))

    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes, time=Passing())(), Ran)
        renewals = [target for method, target in world.requests if method == "PATCH"]
        assert len(renewals) > 10 and {*renewals} == {LEASE}
        world.requests.clear()
        world.turns = [lambda _world: None, lambda lost: lost.there.pop(LEASE)]
        with pytest.raises(LeaseLost, match="could not renew"):
            runner(kubernetes, time=Passing())()
    assert world.left == []


def test_a_lease_that_the_api_server_refuses_is_reported() -> None:
    world = Trained()
    world.refused["POST", "/leases"], world.message = [403], 'User "u" cannot create resource "leases" in API group "x"'
    found = run(world)
    assert isinstance(found, NotRun) and found.failure == "refused" and found.text.startswith("The API server refuses the Lease: "), found
    assert "Allow the caller to create the object in namespace mlfleet-training." in found.text
