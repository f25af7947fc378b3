# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A login node of a cluster with two of them and a controller, and another cluster."""

from __future__ import annotations

import typing as t

import pytest


@pytest.fixture
def variables() -> dict[str, t.Any]:
    nodes = {f"{cluster}-{each}": {"hyperpod_instance_id": f"i-{cluster}-{each}"} for cluster in ("ml", "b") for each in (1, 2, 3)}
    return {
        "ansible_check_mode": False,
        "ansible_play_hosts": ["ml-2", "b-1", "ml-1"],
        "ansible_play_hosts_all": ["ml-2", "b-1", "ml-1", "b-2"],
        "group_names": ["cluster_ml", "node_type_login"],
        "groups": {
            "hyperpod_clusters": ["ml", "b"],
            "cluster_ml": ["ml", "ml-1", "ml-2", "ml-3"],
            "cluster_b": ["b", "b-1", "b-2", "b-3"],
            "node_type_login": ["b-1", "b-2", "ml-2", "ml-1"],
        },
        "hostvars": {"ml": {"hyperpod_run": {}}, "b": {"hyperpod_run": {"host_ca": "of b"}}, **nodes},
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_instance_id": "i-ml-1",
        "hyperpod_run": {},
        "hyperpod_state_dir": "/state",
        "inventory_hostname": "ml-1",
        "login_nodes_accounts_source": "local",
        "login_nodes_aliases": [],
        "login_nodes_client_alive_count_max": 3,
        "login_nodes_client_alive_interval": "60",
        "login_nodes_confirm_timeout": 60,
        "login_nodes_drained": {},
        "login_nodes_gate_port": "223",
        "login_nodes_operations_user": "ops",
        "login_nodes_people_port": 222,
        "login_nodes_ssh_port": 22,
        "login_nodes_users": [],
        "login_nodes_users_files": [],
    }


@pytest.fixture
def of_cluster(variables: dict[str, t.Any]) -> t.Callable[..., dict[str, t.Any]]:
    """The variables with the run state of the node's cluster."""

    def known(**run: t.Any) -> dict[str, t.Any]:
        return {**variables, "hostvars": {**variables["hostvars"], "ml": {"hyperpod_run": run}}}

    return known
