# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amounts."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.quantity import amount, amounts, quantity, shown


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("4", 4),
        (8, 8),
        ("500m", 0.5),
        ("1.5", 1.5),
        (".5", 0.5),
        ("2Ti", 2 * 2**40),
        ("3k", 3000),
        ("1e3", 1000),
        ("1E", 1e18),
        ("100n", 1e-7),
    ],
)
def test_quantities_are_parsed(given: object, read: float) -> None:
    assert quantity(given) == pytest.approx(read)


@pytest.mark.parametrize("given", ["", "many", "1Qi", "-1", "1 Gi", None])
def test_invalid_quantities_are_none(given: object) -> None:
    assert quantity(given) is None
    assert amounts({"cpu": given, "memory": "1Gi"}) == {"memory": 2**30}


def test_quantities_are_formatted() -> None:
    assert [amount("nvidia.com/gpu", 8.0), amount("cpu", 0.5), amount("memory", 2.0**40)] == ["8 nvidia.com/gpu", "0.5 cpu", "1024Gi of memory"]
    assert [shown("memory", 2.0**29), shown("nodes", 3.0)] == ["0.5Gi", "3"]
