# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what is declared."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter import checks


@pytest.mark.parametrize("key", ["a", "example.com/team", "nvidia.com/gpu", "A_b.c-d", f"{'a.' * 126}a/c"])
def test_keys(key: str) -> None:
    assert checks.key_of("x", key) == key


@pytest.mark.parametrize("key", ["", "a/b/c", "/a", "a/", "-a", "a" * 64, "a..b/c", "a-.b/c", f"{'a.' * 126}aa/c", 7])
def test_what_is_no_key(key: object) -> None:
    with pytest.raises(Refused):
        checks.key_of("x", key)


def test_unknown_fields_are_named_with_the_nearest() -> None:
    with pytest.raises(Refused, match=r"x\.nam: unknown; did you mean name\? Allowed: name, state\."):
        checks.fields("x", {"nam": 1}, ("name", "state"))
