# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance types that a pool can have, and the chosen one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.choice import candidates, groups_by_type
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import Cost
from unit.module_utils._karpenter.proof.proof_states import G5, GROUPS, P5, group, inside, node_class, outside, pool

MANY = group("many", "ml.c5.large", G5, zones=("us-west-2b", "us-west-2c"))
TYPE, ZONE, ARCH = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "kubernetes.io/arch"


def required(key: str, operator: str, *values: str) -> dict[str, t.Any]:
    return {"requirements": [{"key": key, "operator": operator, "values": list(values)}]}


def chosen(template: t.Any, *groups: str) -> dict[str, tuple[str, ...]]:
    there = inside(classes=(node_class(*groups),))
    return groups_by_type(pool(template=template), there, outside("InService", "Enable", *GROUPS, MANY))


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ({}, {G5: ("g5-a",), P5: ("p5-a", "p5-b")}),
        (required(TYPE, "In", P5), {P5: ("p5-a", "p5-b")}),
        (required(TYPE, "NotIn", P5), {G5: ("g5-a",)}),
        (required(TYPE, "In", "ml.m5.large"), {}),
        (required(ARCH, "In", "arm64"), {}),
        (required(ZONE, "In", "us-west-2a"), {G5: ("g5-a",), P5: ("p5-a", "p5-b")}),
        (required(ZONE, "In", "us-west-2b"), {}),
        (required("karpenter.sh/capacity-type", "In", "spot"), {G5: ("g5-a",), P5: ("p5-a", "p5-b")}),
    ],
)
def test_requirements_select_groups_of_the_class(template: t.Any, expected: t.Any) -> None:
    assert chosen(template, "g5-a", "p5-a", "p5-b", "gone") == expected


def test_a_flexible_group_has_several_types_and_zones() -> None:
    assert chosen({}, "many", "g5-a") == {"ml.c5.large": ("many",), G5: ("many", "g5-a")}
    assert chosen(required(ZONE, "In", "us-west-2c"), "many", "g5-a") == {"ml.c5.large": ("many",), G5: ("many",)}


def test_a_class_with_missing_groups_has_no_types() -> None:
    assert chosen({}, "gone") == {} == chosen({})


def test_types_are_sorted_by_price_with_unknown_prices_last() -> None:
    offered = {"ml.z": ("a",), "ml.b": ("a",), "ml.c": ("a",), "ml.a": ("a",), "ml.free": ("a",)}
    costs = {"ml.c": Cost(2.0), "ml.z": Cost(1.0), "ml.b": Cost(), "ml.free": Cost(0.0)}
    assert [each.instance_type for each in candidates(offered, costs)] == ["ml.free", "ml.z", "ml.c", "ml.a", "ml.b"]
    assert candidates({}, costs) == ()
