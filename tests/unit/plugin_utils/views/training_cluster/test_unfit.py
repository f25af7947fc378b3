# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of clusters that cannot be built."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import unfit

from .given import ADMIN, CALLER, TYPES, cluster, network, resource, variables

UNKNOWN = [{**TYPES[0], "known": False, "zones": ["us-west-2b"]}, TYPES[1]]
OPEN = {"public_access_cidrs": ["203.0.113.0/24"], "zone": "us-west-2b"}


@pytest.mark.parametrize(
    ("resources", "more", "text"),
    [
        ([], {"__training_cluster_types": {"instance_types": UNKNOWN}}, "training_cluster_system: 'm7i.xlarge'"),
        ([cluster(auto_mode=True)], {}, "training_cluster_name: 'ml' is not allowed: EKS manages its nodes itself"),
        ([resource("fargate_profile", "a")], {}, "training_cluster_name: 'ml' is not allowed: its Pods can run on Fargate"),
        ([cluster(ours=False)], {}, "training_cluster_node_subnet_id: missing"),
        ([], {"node_subnet_id": "subnet-7"}, "training_cluster_node_subnet_id: 'subnet-7' is not allowed: the run creates the network"),
        ([], {"public_access_cidrs": []}, "training_cluster_public_access_cidrs: missing; without a public endpoint"),
        ([], {"version": "1.99"}, "training_cluster_version: '1.99' is not allowed: EKS does not offer this version. Allowed: 1.33, 1.34, 1.35."),
        ([cluster()], {"version": "1.99"}, "training_cluster_version: '1.99' is not allowed: EKS does not offer this version."),
        ([], {"admins": []}, "training_cluster_admins: missing; add arn:aws:iam::111111111111:role/mlfleet-platform, because"),
    ],
)
def test_clusters_that_can_not_be_built_are_refused(resources: list[t.Any], more: dict[str, t.Any], text: str) -> None:
    assert [text in each["text"] for each in unfit.unfit(variables(*resources, **{**OPEN, **more}))] == [True]


@pytest.mark.parametrize(("ours", "refused"), [(True, True), (False, False)])
def test_a_run_does_not_take_the_access_of_its_caller_away(ours: bool, refused: bool) -> None:
    entry = {**resource("eks_access_entry", CALLER, ours=ours, access_policies=[]), "id": ADMIN}
    found = unfit.unfit(variables(cluster(), entry, admins=["arn:aws:iam::111111111111:role/other"]))
    assert ["who would lose the access that an earlier run created" in each["text"] for each in found] == [True] * refused
    assert unfit.unfit(variables(cluster(), entry)) == []


def test_a_cluster_may_keep_a_version_that_eks_no_longer_lists() -> None:
    assert unfit.unfit(variables(cluster(version="1.32"), version="1.32", **OPEN)) == []


def test_a_network_of_the_user_is_checked() -> None:
    assert unfit.unfit(variables(**network())) == []
    (missing,) = unfit.unfit(variables(**network(node_subnet_id="subnet-9")))
    assert "training_cluster_node_subnet_id: 'subnet-9' is not allowed: EC2 does not have it in this Region" in missing["text"]
    group = {"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 2, "subnet_id": "subnet-a"}
    (elsewhere,) = unfit.unfit(variables(**network(groups=[group])))
    assert "training_cluster_groups[0].subnet_id: 'subnet-a' is not allowed: it is in us-west-2a" in elsewhere["text"]
