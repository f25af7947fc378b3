# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared cluster, from values of variables."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Addon, Group, declared

VALUES: dict[str, t.Any] = {
    "name": "ml",
    "metadata_hop_limit": 1,
    "vpc_id": "",
    "subnet_ids": [],
    "node_subnet_id": "",
    "vpc_cidr": "10.0.0.0/16",
    "zone": "",
    "system": {"instance_type": "m7i.xlarge", "nodes": 2},
    "groups": [{"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 4}],
    "addons": [],
    "file_system": {},
    "admins": [],
    "teams": [],
    "logging": [],
    "extended_support": False,
    "remove_groups": [],
}


def names(addons: t.Iterable[Addon]) -> list[str]:
    return [each.name for each in addons]


def test_the_system_group_precedes_the_groups_with_accelerators() -> None:
    found = declared(VALUES)
    assert found.groups == (Group("system", "m7i.xlarge", 2, 2, 2), Group("gpu", "p5.48xlarge", 4, 4, 4))
    assert found.network.created
    assert not declared({**VALUES, "vpc_id": "vpc-1"}).network.created
    assert names_of_groups({"system": {}}) == ["gpu"]


def names_of_groups(more: dict[str, t.Any]) -> list[str]:
    return [each.name for each in declared({**VALUES, **more}).groups]


def test_a_group_without_nodes_can_grow() -> None:
    given = {"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 0}
    assert declared({**VALUES, "groups": [given]}).groups[1].largest == 1
    full = {**given, "min": 1, "max": 8, "spot": "yes", "node_repair": "no", "volume_size": 500, "local_storage": "RAID0", "labels": {"a": "b"}}
    assert declared({**VALUES, "metadata_hop_limit": 2, "groups": [full]}).groups[1] == Group(
        *("gpu", "p5.48xlarge", 0, 1, 8),
        spot=True,
        node_repair=False,
        volume_size=500,
        local_storage="RAID0",
        labels={"a": "b"},
        metadata_hop_limit=2,
        autoscaled=True,
    )


@pytest.mark.parametrize(
    ("given", "now", "count"),
    [
        ({}, None, 4),
        ({}, 6, 4),
        ({"min": 1, "max": 8}, None, 4),
        ({"min": 1, "max": 8}, 6, 6),
        ({"min": 1, "max": 5}, 6, 5),
        ({"min": 3, "max": 8}, 2, 3),
        ({"min": 4, "max": 4}, 6, 4),
        ({"min": 0}, 6, 4),
    ],
)
def test_an_autoscaler_sets_the_number_of_nodes_within_the_limits(given: dict[str, int], now: int | None, count: int) -> None:
    group = {"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 4, **given}
    assert declared({**VALUES, "groups": [group]}).groups[1].count(now) == count


def test_add_ons_that_nodes_need_come_first_and_keep_the_declared_versions() -> None:
    cni = {"name": "vpc-cni", "version": "v1.22.4-eksbuild.1", "configuration": {"env": {}}}
    found = declared({**VALUES, "addons": [{"name": "metrics-server"}, cni], "file_system": {"storage_capacity": 1200}})
    addons = found.wanted_addons(ours=True)
    required = ["eks-pod-identity-agent", "vpc-cni", "kube-proxy", "coredns", "eks-node-monitoring-agent", "aws-fsx-csi-driver"]
    assert names(addons) == [*required, "metrics-server"]
    assert addons[1] == Addon("vpc-cni", "v1.22.4-eksbuild.1", {"env": {}}) and addons[-1] == Addon("metrics-server", "default", None)
    assert [each.name for each in addons if each.first] == required[:3]


def test_a_cluster_of_someone_else_gets_only_the_declared_add_ons() -> None:
    assert names(declared({**VALUES, "addons": [{"name": "metrics-server"}]}).wanted_addons(ours=False)) == ["metrics-server"]
    assert names(declared({**VALUES, "file_system": {"storage_capacity": 1200}}).wanted_addons(ours=False)) == [
        "eks-pod-identity-agent",
        "aws-fsx-csi-driver",
    ]
