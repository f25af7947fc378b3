# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups to remove, in every state in which a run can find them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.group_removal import Leaving, leaving, refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed


def resource(kind: str, name: str, *, ours: bool = True, status: str = "", **details: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": name, "ours": ours, "status": status, "details": details}


def group(**more: t.Any) -> dict[str, t.Any]:
    return resource("eks_nodegroup", "old", **{"desired": 2, "status": "ACTIVE", **more})


TEMPLATE = resource("launch_template", "ml.old")


def found(*resources: dict[str, t.Any]) -> list[Leaving]:
    return leaving(["old"], Observed(resources), lambda name: f"ml.{name}")


@pytest.mark.parametrize(
    ("more", "drained", "nodes", "note"),
    [
        ({}, True, 2, "2 nodes, drained first"),
        ({"status": "DEGRADED"}, True, 2, "2 nodes, drained first"),
        ({"status": "DELETE_FAILED"}, True, 2, "2 nodes, drained first"),
        ({"desired": 0}, True, 0, "0 nodes, drained first"),
        ({"desired": None}, True, 0, "0 nodes, drained first"),
        ({"status": "CREATE_FAILED"}, False, 0, "its creation failed, so it is not drained"),
        ({"status": "DELETING"}, False, 0, "EKS is already deleting it"),
    ],
)
def test_groups_that_work_are_drained(more: dict[str, t.Any], drained: bool, nodes: int, note: str) -> None:
    (one,) = found(group(**more), TEMPLATE)
    assert (one.drained, one.nodes, one.note) == (drained, nodes, note)


def test_a_template_that_an_interrupted_run_left_is_removed_alone() -> None:
    (one,) = found(TEMPLATE)
    assert (one.group, one.template, one.drained, one.note) == (None, TEMPLATE, False, "")


def test_a_template_of_someone_else_stays() -> None:
    (one,) = found(group(), {**TEMPLATE, "ours": False})
    assert one.template is None and one.drained


@pytest.mark.parametrize("resources", [(), (resource("eks_nodegroup", "other"), resource("launch_template", "ml.other"))])
def test_a_group_that_does_not_exist_any_more_is_done(resources: tuple[dict[str, t.Any], ...]) -> None:
    assert found(*resources) == [] == list(refusals(["old"], Observed(resources)))


def test_a_group_of_someone_else_is_refused() -> None:
    (text,) = refusals(["gone", "old"], Observed([group(ours=False)]))
    assert text == (
        "training_cluster_remove_groups[1]: 'old' is not allowed: someone else created this group. "
        "Allowed: a node group that this role created."
    )
    assert found(group(ours=False)) == [] and list(refusals(["old"], Observed([group()]))) == []
