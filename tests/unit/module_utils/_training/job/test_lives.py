# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that ran and are gone, and how long others may take to replace them."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.lives import GONE_SECONDS, Lives


def pod(name: str, node: str, uid: str = "1", *, started: bool = True) -> Pod:
    return Pod(name, job="j", node=node, phase="Running", trouble="", hopeless=False, started=started, uid=uid)


A, B = pod("w-0", "a"), pod("w-1", "b")
SAME_NAME, SAME_NODE = pod("w-1", "c", "2", started=False), pod("w-x", "b", started=False)


def by_name(*pods: Pod) -> dict[str, Pod]:
    return {each.name: each for each in pods}


def lives(*listings: tuple[Pod, ...]) -> Lives:
    """One listing per second."""
    now = 0.0

    def clock() -> float:
        return now

    made = Lives(clock)
    for pods in listings:
        now += 1
        made.see(by_name(*pods))
    return made


@pytest.mark.parametrize(
    ("last", "gone", "before"),
    [
        ((A, B), [], {}),
        ((A,), [B], {}),
        ((), [A, B], {}),
        ((A, SAME_NAME), [], {"w-1": "w-1"}),
        ((A, SAME_NODE), [], {"w-x": "w-1"}),
        ((A, pod("w-x", "")), [B], {}),
    ],
)
def test_pods_that_are_gone_or_replaced_are_recognised(last: tuple[Pod, ...], gone: list[Pod], before: dict[str, str]) -> None:
    found, pods = lives((A, B), last), by_name(*last)
    assert found.gone(pods) == gone
    assert {each.name: found.before(each, pods) for each in last if found.before(each, pods)} == before


def test_a_pod_that_never_ran_is_not_gone() -> None:
    found = lives((A, pod("w-1", "b", started=False)), (A, SAME_NAME))
    assert found.gone(by_name(A)) == [] and found.before(SAME_NAME, by_name(A, SAME_NAME)) == ""


def test_a_pod_that_was_seen_again_is_not_gone() -> None:
    found = lives((A, B), (A,), (A, B))
    assert found.gone(by_name(A, B)) == [] and found.before(B, by_name(A, B)) == ""


FIRST, NEW_A = pod("w-0", "a", "8"), pod("w-0", "a", "9")


@pytest.mark.parametrize(
    ("listings", "gone", "before", "replaced"),
    [
        ([(FIRST, B)], [], "", False),
        ([(B,)], [FIRST], "", False),
        ([(B, dataclasses.replace(NEW_A, started=False))], [], "", False),
        ([(B, NEW_A)], [], "", True),
        ([(B, NEW_A), (B,)], [NEW_A], "", True),
        ([(B, NEW_A), (B, pod("w-0", "a", "10"))], [], "w-0", True),
        ([(NEW_A,)], [B], "", True),
        ([(B, pod("w-x", "a", "9"))], [], "", False),
    ],
)
def test_a_planned_deletion_is_recognised(listings: list[tuple[Pod, ...]], gone: list[Pod], before: str, replaced: bool) -> None:
    found, last = lives((FIRST, B)), by_name(*listings[-1])
    found.planned = FIRST
    for each in listings:
        found.see(by_name(*each))
    assert (found.gone(last), found.replaced) == (gone, replaced)
    assert next(filter(None, (found.before(each, last) for each in last.values())), "") == before


def test_a_pod_that_ran_before_the_one_that_is_deleted_does_not_replace_it() -> None:
    found = lives((FIRST, B), (NEW_A, B))
    found.planned = NEW_A
    found.see(by_name(B))
    assert not found.replaced and found.gone(by_name(B)) == [FIRST, NEW_A]


FAILED = {"phase": "Failed"}


@pytest.mark.parametrize(
    ("given", "strict", "planned"),
    [
        (FIRST, False, False),
        (dataclasses.replace(FIRST, **FAILED), True, False),
        (dataclasses.replace(FIRST, restarts=1), True, False),
        (dataclasses.replace(NEW_A, **FAILED), True, True),
        (dataclasses.replace(NEW_A, restarts=1), True, True),
        (dataclasses.replace(B, **FAILED), True, True),
        (dataclasses.replace(B, restarts=1), True, False),
        (dataclasses.replace(B, restarts=2), True, True),
    ],
)
def test_other_disturbances_are_not_planned(given: Pod, strict: bool, planned: bool) -> None:
    """``planned``: the value after the first Pod was deleted as planned."""
    found = lives((FIRST, B))
    assert found.disturbed(given) is strict
    found.planned = FIRST
    assert found.disturbed(given) is planned


@pytest.mark.parametrize(
    ("listings", "over"),
    [
        ([(A, B)] * 99, False),
        ([(A, B), *[(A,)] * GONE_SECONDS], False),
        ([(A, B), *[(A,)] * (GONE_SECONDS + 1)], True),
        ([(A, B), *[(A,)] * (GONE_SECONDS + 1), (A, SAME_NAME)], False),
        ([(A, B), *[(A,)] * GONE_SECONDS, (A, SAME_NAME), (A,)], False),
    ],
)
def test_a_pod_may_be_gone_for_a_limited_time(listings: list[tuple[Pod, ...]], over: bool) -> None:
    assert lives(*listings).over is over
