# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selectors, affinity and taints."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.fits import fits

TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


def node(*taints: dict[str, str]) -> dict[str, t.Any]:
    return {"metadata": {"name": "a", "labels": {"type": "p5", "zone": "1"}}, "spec": {"taints": list(taints)}}


def affinity(*terms: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}}


def rule(operator: str, *values: str, key: str = "type") -> dict[str, t.Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, True),
        ({"nodeSelector": {"type": "p5"}}, True),
        ({"nodeSelector": {"type": "p4"}}, False),
        (affinity(rule("In", "p4", "p5")), True),
        (affinity(rule("In", "p4")), False),
        (affinity(rule("In", "p4"), rule("Exists")), True),
        (affinity({}), False),
        (affinity(rule("NotIn", "p5")), False),
        (affinity(rule("NotIn", "p5", key="other")), True),
        (affinity(rule("DoesNotExist")), False),
        (affinity(rule("DoesNotExist", key="other")), True),
        (affinity(rule("Exists", key="other")), False),
        (affinity(rule("Gt", "0", key="zone")), True),
        (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}), False),
        (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}), True),
        ({"affinity": {"podAffinity": {}}}, True),
    ],
)
def test_rules_of_a_pod(spec: dict[str, t.Any], expected: bool) -> None:
    assert fits(spec, node()) is expected


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (None, False),
        ({"operator": "Exists"}, True),
        ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
        ({"key": "nvidia.com/gpu", "value": "true"}, True),
        ({"key": "nvidia.com/gpu", "value": "false"}, False),
        ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_taints(toleration: dict[str, str] | None, expected: bool) -> None:
    assert fits({"tolerations": [toleration] if toleration else None}, node(TAINT)) is expected
    assert fits({}, node({**TAINT, "effect": "PreferNoSchedule"})) is True
