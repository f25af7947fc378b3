# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases that are known to break HyperPod, and the parsing of versions."""

from __future__ import annotations

import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.bad_releases import (
    BAD_RELEASES,
    VPC_CNI,
    BadReleases,
    bad_release,
    version_numbers,
)


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("v1.18.3-eksbuild.1", (1, 18, 3)), ("1.31", (1, 31)), ("36.0.1", (36, 0, 1)), ("latest", ()), ("", ())],
)
def test_a_version_is_the_numbers_before_the_build(version: str, numbers: tuple[int, ...]) -> None:
    assert version_numbers(version) == numbers


@pytest.mark.parametrize(
    ("version", "bad"),
    [
        ((1, 21, 2), False),
        ((1, 22, 0), False),
        ((1, 22, 1), True),
        ((1, 22, 2), True),
        ((1, 22, 3), True),
        ((1, 22, 4), False),
        ((1, 23, 0), False),
        ((), False),
    ],
)
def test_the_first_and_the_last_release_of_a_range_are_bad(version: tuple[int, ...], bad: bool) -> None:
    assert (bad_release(VPC_CNI, version) is not None) == bad


def test_the_releases_of_another_component_are_not_bad() -> None:
    assert bad_release("Kueue", (1, 22, 2)) is None


@pytest.mark.parametrize("each", BAD_RELEASES, ids=lambda each: f"{each.component} {each.first}")
def test_a_row_has_a_range_an_effect_and_an_upstream_reference(each: BadReleases) -> None:
    assert each.first <= each.last < each.fixed and each.effect
    assert re.fullmatch(r"[\w.-]+/[\w.-]+ #\d+", each.reference)
