# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks that get no answer: some in a row are borne, and what was seen before counts meanwhile; and questions that are asked once."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits, repeated
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.patience import TURNS, Patience, answer, until


def patience(*answers: str | int) -> Patience[str]:
    """``answers``: one after the other; numbers are statuses of refusals."""
    left = iter(answers)

    def look() -> str:
        found = next(left)
        if isinstance(found, int):
            raise KubernetesError("no", found)
        return found

    return Patience(look, "at first")


def waited(*answers: str | int, seconds: float = 60, **more: t.Any) -> str:
    """Until it is ``b``."""
    passed = [0.0]

    def sleep(pause: float) -> None:
        passed[0] += pause

    waits = Waits(timeout=seconds, interval=1, clock=Clock(lambda: passed[0], sleep, lambda: 0.0))
    return until(waits, patience(*answers).look, done=lambda seen: seen == "b", subject="it", state=str, **more)


def seen(look: Patience[str], turns: int) -> list[t.Any]:
    return [look() for _turn in range(turns)]


def test_what_was_seen_last_counts() -> None:
    assert seen(patience(503, "a", 503, 429, 0, 500, "b"), 7) == ["at first", "a", "a", "a", "a", "a", "b"]


def test_five_in_a_row_are_too_many() -> None:
    look = patience("a", 503, 503, 503, 503, 503)
    assert seen(look, 5) == ["a"] * 5
    with pytest.raises(KubernetesError):
        look()


def test_what_does_not_pass_is_not_borne() -> None:
    with pytest.raises(KubernetesError):
        patience(403)()


def test_a_wait_bears_some_looks_without_an_answer_also_the_first() -> None:
    assert waited(503, 503, 503, 503, "a", 500, 429, "b") == "b"
    with pytest.raises(KubernetesError):
        waited("a", 503, 503, 503, 503, 503, "b")
    for refused in (403, 404):
        with pytest.raises(KubernetesError):
            waited("a", refused, "b")


def test_what_was_seen_before_is_judged_once() -> None:
    bad = repeated(lambda seen: "bad" if seen == "bad" else None)
    assert waited("bad", 503, 503, 503, "bad", "a", "b", failed=bad) == "b"
    with pytest.raises(WaitFailed, match="^it is bad: bad$"):
        waited("bad", 503, "bad", "bad", failed=repeated(lambda seen: seen))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["a", 503, 503], r"a, when it was last read \(no\)"),
        ([503, 503, 503], r"not read \(no\)"),
        ([503, "a", "a"], "a"),
    ],
)
def test_that_it_was_not_seen_is_told(answers: list[str | int], said: str) -> None:
    with pytest.raises(WaitTimeout, match=f"^it is still {said} after 1 s$"):
        waited(*answers, seconds=1)


@pytest.mark.parametrize(("answers", "asked"), [(["a"], 1), ([503, 429, "a"], 3), ([503, 503, 503], TURNS), ([503, 404], 2)])
def test_what_is_asked_once_is_asked_again(answers: list[str | int], asked: int) -> None:
    left, slept = iter(answers), []

    def ask() -> str:
        found = next(left)
        if isinstance(found, int):
            raise KubernetesError("no", found)
        return found

    clock = Clock(sleep=slept.append)
    if answers[-1] == "a":
        assert answer(ask, clock) == "a"
    else:
        with pytest.raises(KubernetesError):
            answer(ask, clock)
    assert len(slept) == asked - 1 and list(left) == []
