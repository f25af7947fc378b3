# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network that the user gives."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Group
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import existing_network

from .given import GROUP, cluster, network, resource, variables


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (variables(), (False, "")),
        (variables(**network()), (True, "vpc-1")),
        (variables(cluster(ours=False), node_subnet_id="subnet-b"), (True, "vpc-9")),
        (variables(cluster(ours=False)), (False, "vpc-9")),
    ],
)
def test_only_a_given_network_is_read(given: dict[str, t.Any], read: tuple[bool, str]) -> None:
    found = existing_network.given_network(given)
    assert (found.needed, found.vpc_id) == read


def test_each_subnet_is_read_once() -> None:
    own = existing_network.given_network(variables(**network(groups=[{**GROUP, "subnet_id": "subnet-c"}])))
    assert own.subnets == ["subnet-a", "subnet-b", "subnet-c"]


def test_the_zone_of_nodes_is_that_of_their_subnet() -> None:
    group = Group("gpu", "p5.48xlarge", 2, 2, 2)
    assert existing_network.node_zone(variables(**network()), group) == "us-west-2b"
    assert existing_network.node_zone(variables(zone="us-west-2c"), group) == "us-west-2c"
    assert existing_network.node_zone(variables(**network(node_subnet_id="subnet-9")), group) == ""


def test_only_new_nodes_need_addresses() -> None:
    """A group that exists already uses some."""
    many = network(groups=[{**GROUP, "nodes": 60}], system={})
    (found,) = existing_network.existing_network_problems(variables(cluster(), **many))
    assert "it has 200, and each new node needs at least 4" in found
    there = resource("eks_nodegroup", "gpu", desired=50, version="1.34")
    assert list(existing_network.existing_network_problems(variables(cluster(), there, **many))) == []
