# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with a controller and two login nodes for views of offboarding."""

from __future__ import annotations

import typing as t

import pytest

SEEN = "__offboarding_account_seen"


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


@pytest.fixture
def variables() -> dict[str, t.Any]:
    nodes = {f"ml-i-{number}": {"hyperpod_instance_id": f"i-{number}", "hyperpod_run": {"reached": True}} for number in (1, 2, 3)}
    return {
        "inventory_hostname": "ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_check_mode": False,
        "ansible_play_hosts": ["ml"],
        "ansible_play_hosts_all": ["ml", "b"],
        "group_names": ["cluster_ml"],
        "groups": {
            "hyperpod_clusters": ["ml", "b", "c"],
            "cluster_ml": ["ml", *nodes],
            "node_type_controller": ["ml-i-3"],
            "node_type_login": ["ml-i-2", "ml-i-1"],
        },
        "hostvars": {"ml": {"hyperpod_cluster_group": "cluster_ml", "hyperpod_run": {}}, **nodes, "b": {}, "c": {}},
        "offboarding_accounts_source": "local",
        "offboarding_evidence_dir": "/evidence",
        "offboarding_home": "keep",
        "offboarding_hooks": [],
        "offboarding_job": "ops@bastion",
        "offboarding_jobs": "report",
        "offboarding_name": "mallory",
        "offboarding_operations_user": "hyperpod-ops",
        "offboarding_reason": "",
        "offboarding_uid": "0",
        "offboarding_users": [],
        "offboarding_users_files": [],
    }


@pytest.fixture
def seen(variables: dict[str, t.Any]) -> t.Callable[..., dict[str, t.Any]]:
    """The variables with accounts found on nodes, by the number of the node."""

    def with_accounts(**accounts: dict[str, t.Any]) -> dict[str, t.Any]:
        hostvars = dict(variables["hostvars"])
        for number, account in accounts.items():
            host = f"ml-i-{number.removeprefix('on_')}"
            hostvars[host] = {**hostvars[host], SEEN: account}
        return {**variables, "hostvars": hostvars}

    return with_accounts
