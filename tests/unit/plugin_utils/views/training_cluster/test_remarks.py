# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about allowed settings."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import remarks

from .given import GROUP, TYPE, TYPES, cluster, network, variables

NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)


def test_a_private_endpoint_in_a_network_of_the_user_is_reported_before_the_creation() -> None:
    (found,) = remarks.remarks(variables(**network()))
    assert (found["kind"], found["code"]) == ("note", "training-cluster-private")
    assert "has only a private endpoint in vpc-1 (10.0.0.0/16)" in found["text"]
    assert remarks.remarks(variables(**network(public_access_cidrs=["203.0.113.0/24"]))) == []
    assert remarks.remarks(variables(cluster(vpc_id="vpc-1"), **network())) == []
    assert remarks.remarks(variables()) == []


def reserved(**more: t.Any) -> dict[str, t.Any]:
    reservation = {"id": "cr-1", "type": "capacity-block", "end": "2026-12-08T11:30:00.000Z", **more}
    template = {"version": 1, "capacity_reservation": reservation}
    results = [{"item": {"name": f"ml.{each}"}, "efa_launch_template": template} for each in ("gpu", "b")]
    groups = [{**GROUP, "name": each, "capacity_reservation_id": "cr-1"} for each in ("gpu", "b")]
    return variables(groups=groups, __training_cluster_planned_templates={"results": results})


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "Capacity reservation cr-1 of node groups gpu, b ends at 2026-12-08T11:30:00.000Z, within 14 days. EKS removes the nodes 40 minutes before"),
        ({"type": "default"}, "The instances then run at On-Demand prices"),
        ({"end": "2026-12-15T00:00:00.000Z"}, "within 14 days"),
        ({"end": "2026-12-15T00:00:01.000Z"}, ""),
        ({"end": ""}, ""),
    ],
)
def test_the_end_of_a_reservation_is_reported_once(more: dict[str, t.Any], text: str) -> None:
    found = remarks.reservation_ends(reserved(**more), now=NOW)
    assert [text in each["text"] for each in found] == [True] * bool(text)


def test_notes_use_the_time_of_the_run() -> None:
    assert [each["subject"] for each in remarks.remarks(reserved(end="2000-01-01T00:00:00.000Z"))] == ["cr-1"]


def test_pods_that_can_use_the_role_of_their_node_are_reported() -> None:
    (found,) = remarks.remarks(variables(metadata_hop_limit=2))
    assert (found["code"], found["kind"]) == ("training-cluster-hop-limit", "note")
    assert "every Pod on the nodes of system, gpu can use the IAM role" in found["text"]


def test_neuron_devices_get_no_device_plugin() -> None:
    neuron = {**TYPE, "name": "trn2.48xlarge", "neuron_devices": 16, "zones": ["us-west-2b"]}
    given = [GROUP, {**GROUP, "name": "neuron", "instance_type": "trn2.48xlarge"}]
    (found,) = remarks.remarks(variables(groups=given, __training_cluster_types={"instance_types": [*TYPES, neuron]}))
    assert (found["code"], found["kind"]) == ("training-cluster-without-plugin", "note")
    assert "The nodes of neuron have AWS Neuron devices" in found["text"]
