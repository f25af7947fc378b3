# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cluster a node belongs to, by groups alone."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.filter.cluster_host import cluster_host

GROUPS = {
    "hyperpod_clusters": ["ml", "b"],
    "hyperpod_nodes": ["ml-i-1", "b-i-2"],
    "cluster_ml": ["ml", "ml-i-1"],
    "cluster_b": ["b", "b-i-2"],
    "cluster_all": ["ml", "b", "ml-i-1", "b-i-2"],
    "node_type_login": ["ml-i-1"],
}


@pytest.mark.parametrize(("host", "cluster"), [("ml-i-1", "ml"), ("b-i-2", "b"), ("ml", "ml")])
def test_a_host_is_of_the_cluster_whose_group_it_is_in(host, cluster):
    names = [name for name, members in GROUPS.items() if host in members]
    assert cluster_host(names, GROUPS) == cluster


@pytest.mark.parametrize("names", [[], ["hyperpod_nodes"], ["cluster_all"], ["cluster_ml", "cluster_b"]])
def test_no_cluster_or_several_are_refused(names):
    with pytest.raises(AnsibleFilterError, match="name no cluster"):
        cluster_host(names, GROUPS)


def test_a_group_of_its_own_name_makes_no_cluster():
    """Somebody may put a node of one cluster beside another cluster's host."""
    groups = {**GROUPS, "team": ["b", "ml-i-1"]}
    assert cluster_host(["cluster_ml", "node_type_login", "team"], groups) == "ml"
    with pytest.raises(AnsibleFilterError, match="name no cluster"):
        cluster_host(["team"], groups)
