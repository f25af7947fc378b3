# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.scale import Scale, span, ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "whole", "expected"),
    [
        (0.0, 6.4, 6, False, [0, 2, 4, 6]),
        (0.0, 0.73, 6, False, [0, 0.2, 0.4, 0.6]),
        (1, 120, 6, True, [20, 40, 60, 80, 100, 120]),
        (1, 3, 6, True, [1, 2, 3]),
        (41, 41, 6, True, [41]),
        (0.0, 1e24, 6, False, [0, 2e23, 4e23, 6e23, 8e23, 1e24]),
        (-3.0, 3.0, 6, False, [-3, -2, -1, 0, 1, 2, 3]),
        (1, 30_000, 6, True, [5_000, 10_000, 15_000, 20_000, 25_000, 30_000]),
    ],
)
def test_axes_have_round_numbers(low: float, high: float, most: int, whole: bool, expected: list[float]) -> None:
    assert ticks(low, high, most, whole=whole) == pytest.approx(expected)


@pytest.mark.parametrize("high", [10.0**power * factor for power in range(-24, 25, 4) for factor in (1, 1.7, 3.3, 9.99)])
def test_the_number_of_ticks_is_limited(high: float) -> None:
    assert 2 <= len(ticks(0.0, high, 6)) <= 8


def test_the_number_of_decimals_is_chosen() -> None:
    scale = Scale(0, 10, 300, 100)
    assert [scale.at(value) for value in (0, 5, 10)] == [300, 200, 100] and Scale(5, 5, 0, 10).at(5) == 5


@pytest.mark.parametrize(
    ("values", "expected"), [([3.0, 1.0], (0.0, 3.0)), ([0.0], (0.0, 1.0)), ([-2.0, 1.0], (-2.0, 1.0)), ([-2.0], (-2.0, 1.0))]
)
def test_the_span_begins_at_zero(values: list[float], expected: tuple[float, float]) -> None:
    assert span(values) == expected
