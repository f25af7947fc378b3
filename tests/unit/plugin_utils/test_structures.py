# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of declared structures: they return the value, or refuse it with its path."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import structures

GOOD: list[tuple[t.Callable[..., t.Any], tuple[t.Any, ...], t.Any]] = [
    *((structures.number, (given, 1, 100), given) for given in (1, 100)),
    *((structures.one_of, (given, ("a", "b")), given) for given in ("a", "b")),
    (structures.items, ([1, 2], 2), [1, 2]),
    (structures.items, ([1, 2],), [1, 2]),
]
BAD: list[tuple[t.Callable[..., t.Any], tuple[t.Any, ...], str]] = [
    *((structures.number, (given, 1, 100), "x: .* 1 to 100") for given in (0, 101, True, "7", 1.5)),
    (structures.one_of, ("c", ("a", "b")), "x: 'c' is not allowed. Allowed: a, b"),
    (structures.items, ({}, 2), "x: .* a list"),
    (structures.items, ([1, 2, 3], 2), "x: a list of 3 .* 2 at most"),
    (structures.fields, ("a", ("name", "state")), "x: .* an object with name, state"),
]


def test_unknown_fields_are_reported_with_a_suggestion() -> None:
    with pytest.raises(Refused, match=r"x\.nam: unknown; did you mean name\? Allowed: name, state\."):
        structures.fields("x", {"nam": 1}, ("name", "state"))


@pytest.mark.parametrize(("check", "given", "expected"), GOOD)
def test_valid_structures_are_accepted(check: t.Callable[..., t.Any], given: tuple[t.Any, ...], expected: t.Any) -> None:
    assert check("x", *given) == expected


@pytest.mark.parametrize(("check", "given", "message"), BAD)
def test_invalid_structures_are_refused(check: t.Callable[..., t.Any], given: tuple[t.Any, ...], message: str) -> None:
    with pytest.raises(Refused, match=message):
        check("x", *given)


@pytest.mark.parametrize("empty", [None, ""])
def test_required_fields_must_exist(empty: object) -> None:
    assert structures.fields("x", {"a": 0, "b": empty}, ("a", "b"), required=("a",)) == {"a": 0, "b": empty}
    with pytest.raises(Refused, match=r"x\.a: missing"):
        structures.fields("x", {"a": empty}, ("a", "b"), required=("a",))
