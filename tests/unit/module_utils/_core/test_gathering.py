# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All refusals of a structure, or only the first one if they are not gathered."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import gathering
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option


def even(number: int) -> int:
    if number % 2:
        refuse_option("number", number, "even ones")
    return number


def pair(first: int, second: int) -> int:
    with gathering.parts() as part:
        with part:
            first = even(first)
        with part:
            second = even(second)
    if first > second:
        refuse_option("first", first, "less than the second")
    return first + second


def pairs(*given: tuple[int, int]) -> list[int]:
    return gathering.made(lambda each: pair(*each), given)


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ([(2, 4), (4, 6)], []),
        ([(1, 3), (2, 4), (5, 4)], ["number: 1", "number: 3", "number: 5"]),
        ([(6, 4), (7, 2)], ["first: 6", "number: 7"]),
        ([(1, 1)], ["number: 1"]),
    ],
)
def test_the_refusals_of_all_parts_are_gathered(given: list[tuple[int, int]], refused: list[str]) -> None:
    found = gathering.refusals(pairs, *given)
    assert [text.partition(" is not")[0] for text in found] == refused


def test_without_gathering_the_first_refusal_is_raised() -> None:
    with pytest.raises(Refused, match="number: 1 is not allowed"):
        pairs((1, 3), (5, 4))
    assert pairs((2, 4)) == [6]
    assert gathering.refusals(pairs, (2, 4)) == []


def test_other_errors_are_not_gathered() -> None:
    with pytest.raises(ZeroDivisionError):
        gathering.refusals(gathering.made, lambda each: 1 // each, [0])
