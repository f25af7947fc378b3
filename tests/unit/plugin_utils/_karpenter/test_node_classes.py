# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared HyperpodNodeClasses."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.node_classes import node_classes

GPUS = {"name": "gpus", "instance_groups": ["g5-a"]}


def test_the_object_is_built() -> None:
    (found,) = node_classes("x", [GPUS])
    assert found == {
        "state": "present",
        "definition": {
            "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
            "kind": "HyperpodNodeClass",
            "metadata": {"name": "gpus"},
            "spec": {"instanceGroups": ["g5-a"]},
        },
    }
    assert node_classes("x", [{"name": "gpus", "state": "absent"}])[0]["state"] == "absent"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "x: {} is not allowed. Allowed: a list."),
        (["gpus"], "x[0]: 'gpus' is not allowed. Allowed: an object with name, instance_groups, state."),
        ([{**GPUS, "instance_group": []}], "x[0].instance_group: unknown; did you mean instance_groups? "),
        ([{"instance_groups": ["a"]}], "x[0].name: missing."),
        ([{**GPUS, "name": "Gpus"}], "x[0].name: 'Gpus' is not allowed."),
        ([{**GPUS, "state": "gone"}], "x[0].state: 'gone' is not allowed. Allowed: present, absent."),
        ([{"name": "gpus"}], "x[0].instance_groups: missing; name at least one instance group."),
        ([{**GPUS, "instance_groups": "g5-a"}], "x[0].instance_groups: 'g5-a' is not allowed. Allowed: a list."),
        ([{**GPUS, "instance_groups": ["g5_a"]}], "x[0].instance_groups: 'g5_a' is not allowed."),
        ([{**GPUS, "instance_groups": [f"g{n}" for n in range(11)]}], "Allowed: at most 10 groups."),
        ([GPUS, GPUS], "x.name: 'gpus' is not allowed"),
        ([GPUS, {**GPUS, "name": "others"}], "x.instance_groups: 'g5-a' is not allowed"),
    ],
)
def test_invalid_node_classes_are_refused(given: t.Any, message: str) -> None:
    with pytest.raises(Refused) as refused:
        node_classes("x", given)
    assert message in str(refused.value)
