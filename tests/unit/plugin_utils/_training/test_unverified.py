# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared nodes that no training job verifies."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import (
    GPUS,
    NEURON,
    NOTHING,
    UNKNOWN,
    Group,
    unverified,
)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (Group("a", GPUS, 2, 2, 2), []),
        (Group("a", GPUS, 2, 3, 3), []),
        (Group("a", GPUS, 2, 1, 1), [("1 of 2 nodes of a (missing)", "pending")]),
        (Group("a", GPUS, 1, 0, 0), [("1 of 1 node of a (missing)", "pending")]),
        (Group("a", GPUS, 0, 0, 0), [("a (no nodes)", "note")]),
        (Group("a", GPUS, 3, 2, 1), [("1 of 3 nodes of a (missing)", "pending"), ("1 of 2 nodes of a (not selected or not idle)", "")]),
        (Group("a", GPUS, 2, 0, 0, selected=False), [("a (not selected)", "")]),
        (Group("a", NEURON, 2, 2, 0), [("a (Neuron devices)", "note")]),
        (Group("a", UNKNOWN, 2, 0, 0), [("a (no nodes and an unknown instance type)", "note")]),
        (Group("a", NOTHING, 2, 0, 0), []),
    ],
)
def test_nodes_that_do_not_train_are_named(group: Group, expected: list[tuple[str, str]]) -> None:
    assert [(each.text, each.kind if each.step else "") for each in unverified([group])] == expected
