# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Label requirements and their operators."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.labels import matches

LABELS = {"zone": "a", "cpus": "8"}


@pytest.mark.parametrize(
    ("operator", "values", "holds"),
    [
        ("In", ["a", "b"], True),
        ("In", ["b"], False),
        ("NotIn", ["b"], True),
        ("NotIn", ["a"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_each_operator_is_evaluated(operator: str, values: list[str], holds: bool) -> None:
    assert matches(LABELS, [{"key": "zone", "operator": operator, "values": values}]) is holds


def test_numbers_are_compared() -> None:
    assert matches(LABELS, [{"key": "cpus", "operator": "Gt", "values": ["7"]}, {"key": "cpus", "operator": "Lt", "values": ["9"]}])
    assert not matches(LABELS, [{"key": "cpus", "operator": "Gt", "values": ["8"]}])
    assert not matches(LABELS, [{"key": "none", "operator": "Lt", "values": ["8"]}])


def test_a_missing_label_matches_negative_operators_only() -> None:
    assert not matches({}, [{"key": "zone", "operator": "In", "values": ["a"]}])
    assert matches({}, [{"key": "zone", "operator": "NotIn", "values": ["a"]}, {"key": "zone", "operator": "DoesNotExist"}])
