# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about allowed settings."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import remarks

from .given import cluster, network, variables


def test_a_private_endpoint_in_a_network_of_the_user_is_reported_before_the_creation() -> None:
    (found,) = remarks.remarks(variables(**network()))
    assert (found["kind"], found["code"]) == ("note", "training-cluster-private")
    assert "has only a private endpoint in vpc-1 (10.0.0.0/16)" in found["text"]
    assert remarks.remarks(variables(**network(public_access_cidrs=["203.0.113.0/24"]))) == []
    assert remarks.remarks(variables(cluster(vpc_id="vpc-1"), **network())) == []
    assert remarks.remarks(variables()) == []
