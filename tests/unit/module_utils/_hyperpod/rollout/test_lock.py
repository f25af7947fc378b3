# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a rollout against the simulated API: one call at a time, and a long wave has a longer lock."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.lock import TTL, StepLock
from simulated import REGION, Simulated, simulator


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        yield Simulated(url)


def lock(running: Simulated, name: str, token: str) -> StepLock:
    return StepLock(Api(running.client("ssm")), name, REGION, token=token)


def test_another_call_gets_the_claim_of_the_holder(running: Simulated) -> None:
    ours, theirs = lock(running, "keys", "ours"), lock(running, "keys", "theirs")
    assert ours.acquire(minutes=None) is None and ours.held()
    found = theirs.acquire(minutes=None)
    assert found is not None and found.token == "ours" and not theirs.held()
    ours.release()
    assert not ours.held()
    assert lock(running, "keys", "third").acquire(minutes=None) is None


def test_rollouts_have_separate_locks(running: Simulated) -> None:
    assert lock(running, "one", "a").acquire(minutes=None) is None
    assert lock(running, "two", "b").acquire(minutes=None) is None


@pytest.mark.parametrize(("minutes", "seconds"), [(None, TTL), (60, TTL), (600, 2 * 600 * 60)])
def test_the_lock_lasts_for_twice_the_duration_of_a_wave(running: Simulated, minutes: int | None, seconds: int) -> None:
    name = f"lasts-{seconds}-{minutes}"
    lock(running, name, "a").acquire(minutes=minutes)
    found = lock(running, name, "b").acquire(minutes=minutes)
    assert found is not None
    assert moment_of(found.expires) - moment_of(found.acquired) == datetime.timedelta(seconds=seconds)
