# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts are EKS clusters without HyperPod."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import training_clusters

GROUPS = {"hyperpod_definitions": ["ml", "plain", "other"], "hyperpod_clusters": ["ml"]}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"training_cluster_name": "a"}, True),
        ({"training_cluster_name": ""}, False),
        ({}, False),
        ({"training_cluster_name": "a", "hyperpod_cluster_arn": "arn"}, False),
    ],
)
def test_the_name_of_the_eks_cluster_decides(variables: dict[str, str], expected: bool) -> None:
    assert training_clusters.is_one(variables) is expected


@pytest.mark.parametrize(
    ("hostvars", "expected"),
    [
        ({"ml": {"training_cluster_name": "a"}, "plain": {"training_cluster_name": "a"}, "other": {}}, ["plain"]),
        ({}, ["plain", "other"]),
    ],
)
def test_hosts_are_found_before_and_after_their_variables_are_known(hostvars: dict[str, t.Any], expected: list[str]) -> None:
    assert training_clusters.hosts(GROUPS, hostvars) == expected
    assert training_clusters.hosts({}, hostvars) == []


def test_the_key_is_the_name_of_the_host() -> None:
    assert training_clusters.key({"inventory_hostname": "plain"}) == "plain"
    assert training_clusters.key({"inventory_hostname": "x", "hyperpod_cluster_key": "ml"}) == "ml"
