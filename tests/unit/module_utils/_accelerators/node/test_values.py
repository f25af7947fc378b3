# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single values of NVIDIA's tools: known, absent or unreadable."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.values import (
    address,
    counts,
    is_broken,
    known,
    number,
    yes,
)


@pytest.mark.parametrize("text", ["N/A", "[N/A]", "", None, " N/A ", "Requested functionality has been deprecated", "Not Supported"])
def test_absent_values_are_none(text: str | None) -> None:
    assert (known(text), number(text), yes(text), is_broken(text)) == (None, None, None, False)


@pytest.mark.parametrize("text", ["Unknown Error", "[Unknown Error]", "GPU is lost", "GPU requires reset", "ERR!"])
def test_unreadable_values_are_broken(text: str) -> None:
    assert is_broken(text) and known(text) is None and number(text) is None


@pytest.mark.parametrize(("text", "value"), [("27 C", 27), ("16x", 16), ("81559 MiB", 81559), ("142.33 W", 142), ("-3 C", -3), ("x", None)])
def test_numbers_are_read_without_their_unit(text: str, value: int | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("Yes", True), ("Enabled", True), ("Active", True), ("Not Active", False), ("No", False), ("Disabled", False), ("Maybe", None)],
)
def test_words_for_yes_and_no_are_read(text: str, value: bool | None) -> None:
    assert yes(text) is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("00000000:9B:00.0", "0000:9b:00.0"),
        ("0000:9b:00", "0000:9b:00.0"),
        ("9b:00.0", "0000:9b:00.0"),
        ("00000018:01:00.0", "0018:01:00.0"),
        ("GPU 3", ""),
        ("", ""),
    ],
)
def test_addresses_are_normalized(text: str, value: str) -> None:
    assert address(text) == value


def test_only_counters_with_numbers_are_kept() -> None:
    assert counts([("a", "3"), ("b", "N/A"), ("c", None)]) == {"a": 3}
