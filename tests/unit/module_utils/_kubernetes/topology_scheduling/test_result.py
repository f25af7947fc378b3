# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is returned about Kueue."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import Desired, Manager, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.result import result

GATE = "TopologyAwareScheduling"


def manager(version: t.Any, **gates: bool) -> Manager:
    return Manager(version, "kueue", False, "config.yaml", "", gates)


@pytest.mark.parametrize(
    ("desired", "found", "enabled", "version"),
    [
        (Desired(True), manager((0, 15, 0)), True, "0.15.0"),
        (Desired(True), manager((0, 15, 0), **{GATE: False}), False, "0.15.0"),
        (Desired(True), manager((0, 12, 0)), False, "0.12.0"),
        (Desired(True), manager(None, **{GATE: True}), False, None),
        (Desired(True, (0, 12, 0)), manager(None, **{GATE: True}), True, "0.12.0"),
        (Desired(True, (0, 12, 0)), manager((0, 15, 0)), False, "0.12.0"),
    ],
)
def test_a_manager_is_returned(desired: Desired, found: Manager, enabled: bool, version: str | None) -> None:
    assert result(desired, State(found, ("pool",))) == {
        "topology_scheduling": {
            "installed": True,
            "enabled": enabled,
            "kueue_version": version,
            "feature_gates": dict(found.gates),
            "node_pools": ["pool"],
        }
    }


def test_an_absent_manager_is_returned() -> None:
    nothing = {"installed": False, "enabled": False, "kueue_version": None, "feature_gates": {}}
    assert result(Desired(True), State(node_pools=("pool",))) == {"topology_scheduling": {**nothing, "node_pools": ["pool"]}}
