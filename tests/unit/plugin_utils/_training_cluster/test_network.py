# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The subnets and zones of a new network."""

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.network import Subnet, subnets, zone_of


def test_the_nodes_get_half_of_the_addresses() -> None:
    assert subnets("10.0.0.0/16", zone="us-west-2a", second_zone="us-west-2b") == (
        Subnet("public", "10.0.128.0/24", "us-west-2a"),
        Subnet("nodes", "10.0.0.0/17", "us-west-2a"),
        Subnet("control-plane", "10.0.129.0/24", "us-west-2b"),
    )


@pytest.mark.parametrize("prefix", range(16, 23))
def test_the_subnets_of_any_vpc_are_valid_for_aws_and_do_not_overlap(prefix: int) -> None:
    vpc = ipaddress.ip_network(f"10.32.0.0/{prefix}")
    found = [ipaddress.ip_network(each.cidr) for each in subnets(str(vpc), zone="a", second_zone="b")]
    assert all(each.subnet_of(vpc) and 16 <= each.prefixlen <= 28 for each in found)
    assert not any(one.overlaps(other) for one in found for other in found if one is not other)


def test_the_zone_is_the_declared_one_or_the_first_that_offers_all_types() -> None:
    offered = {"p5.48xlarge": ["b", "c", "d"], "m7i.xlarge": ["a", "c", "d"]}
    assert zone_of("z", offered) == "z"
    assert zone_of("", offered) == "c"
    assert zone_of("", {**offered, "trn2.48xlarge": ["a"]}) == ""
    assert zone_of("", {}) == ""
