# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The capacity of node groups, and settings that EKS cannot change."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.capacity import Planned, problems
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Group

RESERVATION = {
    "state": "active",
    "availability_zone": "us-west-2b",
    "start": "2026-12-01T00:00:00.000Z",
    "total_instance_count": 4,
    "available_instance_count": 4,
}
TEMPLATE = {"capacity_type": "ON_DEMAND", "capacity_reservation": None, "placement_group_state": ""}
OPTION = "training_cluster_groups[0]"


BY_LIST = "Allowed: no change, or a group with another name and this one in training_cluster_remove_groups."


def planned(group: dict[str, t.Any], template: dict[str, t.Any], details: dict[str, t.Any] | None = None) -> Planned:
    given = Group(**{"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 4, "smallest": 4, "largest": 4, **group})
    there = {"kind": "eks_nodegroup", "name": "gpu", "ours": True, "status": "ACTIVE", "details": details} if details else None
    return Planned(given, OPTION, {**TEMPLATE, **template}, "us-west-2b", "subnet-1", "AL2023_x86_64_NVIDIA", there)


def reserved(**more: t.Any) -> dict[str, t.Any]:
    return {"capacity_reservation": {**RESERVATION, **more}}


def test_a_placement_group_must_exist() -> None:
    (found,) = problems(planned({"placement_group": "near"}, {}))
    assert found.startswith(f"{OPTION}.placement_group: 'near' is not allowed: EC2 does not have it in this Region.")
    assert list(problems(planned({"placement_group": "near"}, {"placement_group_state": "available"}))) == []


@pytest.mark.parametrize(
    ("more", "details", "text"),
    [
        ({}, None, ""),
        ({"availability_zone": "us-west-2c"}, None, "'cr-1' is not allowed: its capacity is in us-west-2c, and the nodes are in us-west-2b"),
        ({"state": "scheduled"}, None, "nodes: 4 is not allowed: reservation cr-1 starts at 2026-12-01T00:00:00.000Z. Allowed: 0 until then."),
        ({"total_instance_count": 3}, None, "nodes: 4 is not allowed: cr-1 reserves 3 instances. Allowed: at most 3."),
        ({"available_instance_count": 1}, None, "cr-1 has capacity for 1 more instances. Allowed: at most 1."),
        ({"available_instance_count": 1}, {"desired": 2}, "Allowed: at most 3."),
        ({"available_instance_count": 0}, {"desired": 4}, ""),
        ({"total_instance_count": None, "available_instance_count": None}, None, ""),
    ],
)
def test_a_reservation_has_room_for_the_new_nodes(more: dict[str, t.Any], details: dict[str, t.Any] | None, text: str) -> None:
    found = list(problems(planned({"reservation": "cr-1"}, reserved(**more), details)))
    assert [text in each for each in found] == [True] * bool(text), found


def test_a_group_without_nodes_can_wait_for_its_reservation() -> None:
    assert list(problems(planned({"reservation": "cr-1", "nodes": 0, "smallest": 0}, reserved(state="scheduled")))) == []


@pytest.mark.parametrize(
    ("group", "details", "text"),
    [
        ({}, {}, ""),
        ({"spot": True}, {}, f"{OPTION}.spot: 'SPOT' is not allowed: EKS cannot change the capacity type of node group gpu from ON_DEMAND to SPOT."),
        ({}, {"capacity_type": "CAPACITY_BLOCK"}, f"{OPTION}.capacity_reservation_id: 'ON_DEMAND'"),
        ({}, {"ami_type": "AL2023_ARM_64_NVIDIA"}, f"{OPTION}.instance_type: 'AL2023_x86_64_NVIDIA'"),
        ({}, {"subnet_ids": ["subnet-2"]}, f"{OPTION}.subnet_id: 'subnet-1' is not allowed: EKS cannot change the subnet"),
        ({}, {"capacity_type": "", "ami_type": "", "subnet_ids": []}, ""),
    ],
)
def test_settings_that_eks_cannot_change(group: dict[str, t.Any], details: dict[str, t.Any], text: str) -> None:
    have = {"desired": 4, "capacity_type": "ON_DEMAND", "ami_type": "AL2023_x86_64_NVIDIA", "subnet_ids": ["subnet-1"], **details}
    found = list(problems(planned(group, {}, have)))
    assert [text in each and each.endswith(BY_LIST) for each in found] == [True] * bool(text), found


def test_the_system_group_has_a_fixed_name_so_it_is_removed_first() -> None:
    (found,) = problems(planned({"name": "system"}, {}, {"ami_type": "AL2023_ARM_64_STANDARD"}))
    assert found.endswith(
        "Allowed: no change, or first a run with training_cluster_system={} and system in training_cluster_remove_groups."
    )
