# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Some consecutive reads without an answer are tolerated, and the last state counts meanwhile; single requests are retried."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits, repeated
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.patience import TURNS, Patience, answer, until


def patience(*answers: str | int) -> Patience[str]:
    """``answers``: in order; numbers are statuses of refusals."""
    left = iter(answers)

    def read() -> str:
        found = next(left)
        if isinstance(found, int):
            raise KubernetesError("no", found)
        return found

    return Patience(read, "at first")


def waited(*answers: str | int, seconds: float = 60, **more: t.Any) -> str:
    """Wait for the state ``b``."""
    passed = [0.0]

    def sleep(pause: float) -> None:
        passed[0] += pause

    waits = Waits(timeout=seconds, interval=1, clock=Clock(lambda: passed[0], sleep, lambda: 0.0))
    return until(waits, patience(*answers).look, done=lambda seen: seen == "b", subject="it", state=str, **more)


def seen(read: Patience[str], turns: int) -> list[t.Any]:
    return [read() for _turn in range(turns)]


def test_the_last_state_counts() -> None:
    assert seen(patience(503, "a", 503, 429, 0, 500, "b"), 7) == ["at first", "a", "a", "a", "a", "a", "b"]


def test_five_in_a_row_are_too_many() -> None:
    read = patience("a", 503, 503, 503, 503, 503)
    assert seen(read, 5) == ["a"] * 5
    with pytest.raises(KubernetesError):
        read()


def test_permanent_errors_are_not_tolerated() -> None:
    with pytest.raises(KubernetesError):
        patience(403)()


def test_a_wait_tolerates_some_missing_answers_including_the_first() -> None:
    assert waited(503, 503, 503, 503, "a", 500, 429, "b") == "b"
    with pytest.raises(KubernetesError):
        waited("a", 503, 503, 503, 503, 503, "b")
    for refused in (403, 404):
        with pytest.raises(KubernetesError):
            waited("a", refused, "b")


def test_a_state_is_judged_once_per_reading() -> None:
    bad = repeated(lambda seen: "bad" if seen == "bad" else None)
    assert waited("bad", 503, 503, 503, "bad", "a", "b", failed=bad) == "b"
    with pytest.raises(WaitFailed, match="^it is bad: bad$"):
        waited("bad", 503, "bad", "bad", failed=repeated(lambda seen: seen))


@pytest.mark.parametrize(
    ("answers", "described"),
    [
        (["a", 503, 503], r"a at the last successful read; a later read failed \(no\)"),
        ([503, 503, 503], r"not known yet \(no\)"),
        ([503, "a", "a"], "a"),
    ],
)
def test_a_timeout_reports_that_the_state_was_not_read(answers: list[str | int], described: str) -> None:
    with pytest.raises(WaitTimeout, match=f"^it is still {described} after 1 s$"):
        waited(*answers, seconds=1)


@pytest.mark.parametrize(("answers", "requests"), [(["a"], 1), ([503, 429, "a"], 3), ([503, 503, 503], TURNS), ([503, 404], 2)])
def test_a_single_request_is_retried(answers: list[str | int], requests: int) -> None:
    left, slept = iter(answers), []

    def request() -> str:
        found = next(left)
        if isinstance(found, int):
            raise KubernetesError("no", found)
        return found

    clock = Clock(sleep=slept.append)
    if answers[-1] == "a":
        assert answer(request, clock) == "a"
    else:
        with pytest.raises(KubernetesError):
            answer(request, clock)
    assert len(slept) == requests - 1 and list(left) == []
