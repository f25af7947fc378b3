# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with two login nodes and a controller, another cluster, and the first login node."""

from __future__ import annotations

import typing as t

import pytest

Variables = dict[str, t.Any]


@pytest.fixture
def variables() -> Variables:
    """The variables of the cluster's host."""
    nodes = {f"{cluster}-{each}": {"hyperpod_instance_id": f"i-{cluster}-{each}"} for cluster in ("ml", "b") for each in (1, 2, 3)}
    return {
        "ansible_check_mode": False,
        "group_names": ["cluster_ml", "hyperpod_clusters"],
        "groups": {
            "hyperpod_clusters": ["ml", "b"],
            "cluster_ml": ["ml", "ml-1", "ml-2", "ml-3"],
            "cluster_b": ["b", "b-1", "b-2", "b-3"],
            "node_type_login": ["b-1", "b-2", "ml-1", "ml-2"],
        },
        "host_keys_aliases": [],
        "host_keys_certificate_days": 365,
        "host_keys_certificate_renew_days": "30",
        "host_keys_identity": "shared",
        "host_keys_people_port": "222",
        "host_keys_rotation": "",
        "host_keys_rotation_confirm": False,
        "host_keys_rotation_minimum_days": "30",
        "host_keys_secret": "of ml",
        "host_keys_ssh_port": "22",
        "host_keys_types": ["ed25519", "rsa"],
        "host_keys_vaulted": {},
        "hostvars": {"ml": {"hyperpod_cluster_group": "cluster_ml"}, "b": {"hyperpod_cluster_group": "cluster_b"}, **nodes},
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_run": {"rotation": None, "user_names": ["alice", "bob"], "verified_nodes": []},
        "inventory_hostname": "ml",
    }


@pytest.fixture
def on_node(variables: Variables) -> t.Callable[..., Variables]:
    """The variables of a login node, with the run state of its cluster."""

    def known(**run: t.Any) -> Variables:
        run = {"host_key_secret": "shared", "host_ca_secret": "ca", "host_keys": ["ssh-ed25519 A"], "next_host_keys": [], **run}
        cluster = {**variables["hostvars"]["ml"], "hyperpod_region": "us-west-2", "hyperpod_run": run}
        return {
            **variables,
            "group_names": ["cluster_ml", "node_type_login"],
            "hostvars": {**variables["hostvars"], "ml": cluster},
            "hyperpod_host_key_alias": "i-ml-1.hyperpod",
            "hyperpod_instance_id": "i-ml-1",
            "inventory_hostname": "ml-1",
        }

    return known


@pytest.fixture
def on_cluster(variables: Variables) -> t.Callable[..., Variables]:
    """The variables of the cluster's host, with additional variables of some nodes."""

    def known(**nodes: Variables) -> Variables:
        hosts = variables["hostvars"]
        more = {host.replace("_", "-"): values for host, values in nodes.items()}
        return {**variables, "hostvars": {**hosts, **{host: {**hosts[host], **values} for host, values in more.items()}}}

    return known
