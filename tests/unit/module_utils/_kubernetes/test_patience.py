# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks that get no answer: some in a row are borne, and what was seen before counts meanwhile; and questions that are asked once."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.patience import TURNS, Patience, answer


def patience(*answers: str | int) -> Patience[str]:
    """``answers``: one after the other; numbers are statuses of refusals."""
    left = iter(answers)

    def look() -> str:
        found = next(left)
        if isinstance(found, int):
            raise KubernetesError("no", found)
        return found

    return Patience(look, "at first")


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
