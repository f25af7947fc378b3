# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that ran and are gone, and how long others may take to replace them."""

from __future__ import annotations

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
    """A listing each second."""
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
def test_who_is_gone_and_who_was_replaced(last: tuple[Pod, ...], gone: list[Pod], before: dict[str, str]) -> None:
    found, pods = lives((A, B), last), by_name(*last)
    assert found.gone(pods) == gone
    assert {each.name: found.before(each, pods) for each in last if found.before(each, pods)} == before


def test_a_pod_that_never_ran_leaves_nothing_behind() -> None:
    found = lives((A, pod("w-1", "b", started=False)), (A, SAME_NAME))
    assert found.gone(by_name(A)) == [] and found.before(SAME_NAME, by_name(A, SAME_NAME)) == ""


def test_a_pod_that_was_seen_again_is_not_gone() -> None:
    found = lives((A, B), (A,), (A, B))
    assert found.gone(by_name(A, B)) == [] and found.before(B, by_name(A, B)) == ""


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
def test_how_long_it_may_be_gone(listings: list[tuple[Pod, ...]], over: bool) -> None:
    assert lives(*listings).over is over
