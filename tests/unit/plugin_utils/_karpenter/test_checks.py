# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of declared values."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter import checks


@pytest.mark.parametrize("key", ["a", "example.com/team", "nvidia.com/gpu", "A_b.c-d", f"{'a.' * 126}a/c"])
def test_valid_keys_are_accepted(key: str) -> None:
    assert checks.key_of("x", key) == key


@pytest.mark.parametrize("key", ["", "a/b/c", "/a", "a/", "-a", "a" * 64, "a..b/c", "a-.b/c", f"{'a.' * 126}aa/c", 7])
def test_invalid_keys_are_refused(key: object) -> None:
    with pytest.raises(Refused):
        checks.key_of("x", key)


GOOD: list[tuple[t.Callable[..., t.Any], tuple[t.Any, ...], t.Any]] = [
    *((checks.name_of, (name,), name) for name in ("a", "a-1", "0", "a" * 63)),
    *((checks.duration, (given,), given) for given in ("30s", "10m", "1h30m", "Never")),
    (checks.labels, ({"a": "b", "example.com/c": ""},), {"a": "b", "example.com/c": ""}),
    (checks.amounts, ({"cpu": 16, "memory": "2Ti"},), {"cpu": "16", "memory": "2Ti"}),
    *((checks.taints, ([{"key": "a", "effect": effect}],), [{"key": "a", "effect": effect}]) for effect in checks.EFFECTS),
    (checks.taints, ([{"key": "a", "effect": "NoExecute", "value": "b"}],), [{"key": "a", "effect": "NoExecute", "value": "b"}]),
    (checks.taints, ([{"key": "a", "effect": "NoExecute", "value": ""}],), [{"key": "a", "effect": "NoExecute"}]),
]
BAD: list[tuple[t.Callable[..., t.Any], tuple[t.Any, ...], str]] = [
    *((checks.name_of, (name,), "x: .* lower-case letters, digits and -") for name in ("", "-a", "a-", "A", "a_b", "a" * 64, 7)),
    *((checks.duration, (given,), "x: .* a duration such as 30s, 10m or 1h30m, or Never") for given in ("", "never", "10", "1 h")),
    (checks.labels, ([],), "x: .* names and values"),
    (checks.labels, ({"a": "b c"},), r"x\.a: .* at most 63 characters"),
    (checks.labels, ({"-a": "b"},), r"x\.-a: .* a Kubernetes key"),
    (checks.amounts, ([],), "x: .* resources and amounts"),
    *((checks.amounts, ({"cpu": given},), r"x\.cpu: .* an amount such as 16, 500m or 2Ti") for given in (True, "many", "")),
    (checks.taints, ([{"key": "a", "effect": "Never"}],), r"x\[0\]\.effect: 'Never' .* NoSchedule, PreferNoSchedule, NoExecute"),
    (checks.taints, ([{"key": "a"}],), r"x\[0\]\.effect: missing"),
    (checks.taints, ([{"key": "a", "effect": "NoExecute", "value": "b c"}],), r"x\[0\]\.value: "),
]


@pytest.mark.parametrize(("check", "given", "expected"), GOOD)
def test_valid_values_are_accepted(check: t.Callable[..., t.Any], given: tuple[t.Any, ...], expected: t.Any) -> None:
    assert check("x", *given) == expected


@pytest.mark.parametrize(("check", "given", "message"), BAD)
def test_invalid_values_are_refused(check: t.Callable[..., t.Any], given: tuple[t.Any, ...], message: str) -> None:
    with pytest.raises(Refused, match=message):
        check("x", *given)
