# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All errors of a declaration are reported together."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.declared import CLASSES, POOLS, PROVE, SCALED, problems

GPUS = {"name": "gpus", "instance_groups": ["g5-a"]}
POOL = {"name": "gpus", "node_class": "gpus"}
SCALE = {"name": "w", "namespace": "a", "target": {"name": "w"}, "triggers": [{"type": "prometheus", "metadata": {}}]}
WRONG: dict[str, t.Any] = {
    CLASSES: [{"name": "gpus", "instance_group": "g5-a"}, {"name": "GPUS", "instance_groups": ["a b", "c d"], "state": "gone"}],
    POOLS: [
        {"name": "a", "node_class": "gpu", "disruption": "trainig", "limits": "lots", "weight": 0, "expire_after": "soon"},
        {"name": "b", "node_class": "gpus", "requirements": [{"key": "zone", "operator": "in"}], "limits": {"cpu": "x", "memory": "y"}},
        {"name": "c", "node_class": "gpus", "disruption": {"budgets": [{"nodes": "all"}, {"nodes": "1", "reasons": ["Old"]}]}},
    ],
    SCALED: [{**SCALE, "min_replicas": -1, "cooldown_period": "x"}],
    PROVE: ["z"],
}
EXPECTED = [
    f"{CLASSES}[0].instance_group: unknown",
    f"{CLASSES}[1].name: 'GPUS'",
    f"{CLASSES}[1].state: 'gone'",
    f"{CLASSES}[1].instance_groups: 'a b'",
    f"{CLASSES}[1].instance_groups: 'c d'",
    f"{POOLS}[0].disruption.profile: 'trainig'",
    f"{POOLS}[0].limits: 'lots'",
    f"{POOLS}[0].weight: 0",
    f"{POOLS}[0].expire_after: 'soon'",
    f"{POOLS}[1].requirements[0].key: 'zone'",
    f"{POOLS}[1].requirements[0].operator: 'in'",
    f"{POOLS}[1].limits.cpu: 'x'",
    f"{POOLS}[1].limits.memory: 'y'",
    f"{POOLS}[2].disruption.budgets[0].nodes: 'all'",
    f"{POOLS}[2].disruption.budgets[1].reasons: 'Old'",
    f"{SCALED}[0].min_replicas: -1",
    f"{SCALED}[0].cooldown_period: 'x'",
    f"{SCALED}[0].triggers[0].metadata.serverAddress: missing",
    f"{SCALED}[0].triggers[0].metadata.query: missing",
    f"{SCALED}[0].triggers[0].metadata.threshold: missing",
    f"{POOLS}[0].node_class: 'gpu'",
    f"{PROVE}: 'z'",
]


def test_every_invalid_part_is_reported() -> None:
    found = problems(WRONG, present=True)
    assert [text.startswith(words) for text, words in zip(found, EXPECTED)] == [True] * len(EXPECTED), found
    assert len(found) == len(EXPECTED)


def given(**more: t.Any) -> dict[str, t.Any]:
    return {CLASSES: [GPUS], POOLS: [POOL], SCALED: [], PROVE: [], **more}


@pytest.mark.parametrize(
    ("more", "present", "expected"),
    [
        ({}, True, []),
        ({CLASSES: []}, True, [f"{CLASSES}: missing; it must name the instance groups that Karpenter scales."]),
        ({CLASSES: []}, False, []),
        ({CLASSES: [{**GPUS, "state": "absent"}]}, True, [f"{CLASSES}: a list with only state: absent is not allowed"]),
        ({CLASSES: [GPUS, GPUS], POOLS: [POOL, POOL]}, True, [f"{CLASSES}.name: 'gpus'", f"{CLASSES}.instance_groups: 'g5-a'", f"{POOLS}.name: 'gpus'"]),
        ({CLASSES: [{"name": "gpus", "instance_groups": 5}]}, True, [f"{CLASSES}[0].instance_groups: 5"]),
        ({CLASSES: "gpus"}, True, [f"{CLASSES}: 'gpus'", f"{CLASSES}: a list with only"]),
        ({POOLS: [{**POOL, "state": "absent", "node_class": "x"}]}, True, []),
    ],
)
def test_names_are_compared_despite_other_errors(more: dict[str, t.Any], present: bool, expected: list[str]) -> None:
    found = problems(given(**more), present=present)
    assert [text.startswith(words) for text, words in zip(found, expected)] == [True] * len(expected) and len(found) == len(expected), found
