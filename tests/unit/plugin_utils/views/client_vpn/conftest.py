# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a cluster's host for views of client_vpn."""

from __future__ import annotations

import typing as t

import pytest

LOGIN = {"name": "login", "node_type": "login", "subnets": ["subnet-a"], "security_groups": ["sg-login"]}
CLUSTER = {"subnets": ["subnet-c"], "security_groups": ["sg-cluster"], "groups": [LOGIN]}
HERE = {"hyperpod_account_id": "1", "hyperpod_region": "us-west-2"}


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        **HERE,
        "inventory_hostname": "ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_cluster_arn": "arn:ml",
        "ansible_check_mode": False,
        "ansible_play_hosts": ["ml"],
        "groups": {"hyperpod_clusters": ["ml"], "orchestrator_slurm": ["ml"]},
        "hostvars": {"ml": {"hyperpod_cluster_arn": "arn:ml"}},
        "hyperpod_run": {"cluster": CLUSTER, "vpn_vpc": "vpc-1"},
        "client_vpn_allowed_cidrs": [],
        "client_vpn_authentication": [{"type": "certificate"}],
        "client_vpn_authorization_rules": [],
        "client_vpn_banner": "",
        "client_vpn_certificate_days": 365,
        "client_vpn_client_cidr": "172.20.0.0/20",
        "client_vpn_connection_log": True,
        "client_vpn_crl_days": 365,
        "client_vpn_dns_servers": ["resolver"],
        "client_vpn_domain": "vpn.example.com",
        "client_vpn_log_retention_days": 365,
        "client_vpn_node_ports": [],
        "client_vpn_poll_interval": 10,
        "client_vpn_price": {"association_hour": 0.1, "connection_hour": 0.05, "currency": "USD", "hours_per_person": 160},
        "client_vpn_reads": [],
        "client_vpn_renew_before": "30",
        "client_vpn_revoke": [],
        "client_vpn_routes": [],
        "client_vpn_server_certificate_arn": "",
        "client_vpn_subnets": [],
        "client_vpn_tags": {"Team": "ml"},
        "client_vpn_urgent": False,
        "client_vpn_users": [{"name": "alice"}],
        "client_vpn_users_files": [],
        "client_vpn_wait_timeout": 1800,
        "client_vpn_window": "",
    }
