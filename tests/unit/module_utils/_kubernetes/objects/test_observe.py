# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits before objects are created, and until they are gone."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Declared, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.observe import Observer
from unit.module_utils._karpenter.proof.api_server import Server
from unit.module_utils._kubernetes.objects.api_server import FINALIZER, Pools, pool

LABELS = {"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}


class Passing:
    """Time that advances while the code sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def observed(pools: Pools, *wanted: dict[str, t.Any], present: bool = True, timeout: float = 30) -> State:
    time = Passing()
    waits = Waits(timeout=timeout, interval=1, clock=Clock(lambda: time.seconds, time.sleep, lambda: 0.0))
    declared = tuple(map(Declared, wanted or (pool(meta=LABELS, weight=1),)))
    with Server(pools) as kubernetes:
        return Observer(kubernetes, Desired(declared, present, adopt=False), waits=waits)()


def test_a_declared_object_in_deletion_is_waited_for() -> None:
    pools = Pools(pool(meta=LABELS, weight=1))
    pools.leaving("gpus", FINALIZER, reads=3)
    (found,) = observed(pools).found
    assert found.live is None and found.kind is not None and pools.looks_left == -1


def test_the_finalizers_of_an_object_in_deletion_are_named() -> None:
    pools = Pools(pool(meta=LABELS), pool("other", meta=LABELS))
    pools.leaving("gpus", FINALIZER, "foreground\x1bDeletion")
    held = f"NodePool gpus (blocked by its finalizers {FINALIZER}, foreground?Deletion)"
    with pytest.raises(Failure) as late:
        observed(pools, pool(meta=LABELS), pool("other", meta=LABELS))
    assert str(late.value) == (
        f"the API server is still waiting for the deletion of {held} after 30 s. The next run creates the object again after its deletion. "
        "Find out what blocks the deletion, or raise wait_timeout, then run again."
    )
    with pytest.raises(Failure) as late:
        observed(pools, present=False)
    assert str(late.value).startswith(f"the deletion of NodePool gpus is still not complete: {held} after 30 s. Find out what")


def test_a_missing_kind_has_no_finalizers() -> None:
    with pytest.raises(WaitTimeout, match="^the API server is still without kind Thing of none.example.com/v1 after 30 s$"):
        observed(Pools(), {"apiVersion": "none.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})


def test_an_existing_object_is_not_waited_for() -> None:
    (found,) = observed(Pools(pool(meta=LABELS, weight=1)), timeout=0).found
    assert found.live is not None and not found.leaving


@pytest.mark.parametrize("present", [True, False])
def test_some_missing_answers_are_tolerated(present: bool) -> None:
    pools = Pools(pool(meta=LABELS, weight=1))
    pools.leaving("gpus", FINALIZER, reads=3)
    pools.refusing = [500, 0, 429, 503]
    (found,) = observed(pools, present=present).found
    assert found.live is None and pools.refusing == []


@pytest.mark.parametrize("statuses", [[403], [0, 0, 403], [500] * 5])
def test_a_refusal_or_many_missing_answers_are_not_tolerated(statuses: list[int]) -> None:
    pools = Pools(pool(meta=LABELS, weight=1))
    pools.leaving("gpus", FINALIZER, reads=9)
    pools.refusing = list(statuses)
    with pytest.raises(KubernetesError, match=f"answered with {statuses[-1]}: etcd has no leader"):
        observed(pools, present=False)
    assert pools.refusing == []
