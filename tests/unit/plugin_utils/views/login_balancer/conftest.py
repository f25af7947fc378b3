# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a cluster's host for views of login_balancer."""

from __future__ import annotations

import typing as t

import pytest

LOGIN = {"name": "login", "node_type": "login", "subnets": ["subnet-a"], "security_groups": ["sg-login"]}
CLUSTER = {"subnets": ["subnet-c"], "security_groups": ["sg-cluster"], "groups": [LOGIN]}
PORTS = {"target_group_arn": "arn:tg", "ports": [222], "draining_ports": [], "health_check_port": "223", "targets": []}
ADOPTED: dict[str, dict[str, t.Any]] = {
    "load_balancer": {"name": "foreign", "arn": "arn:foreign", "security_groups": ["sg-foreign"]},
    "target_group": {"name": "foreign-tg", "arn": "arn:foreign-tg", "port": 22, "health_check": {"port": "22"}},
}
READ = {
    "load_balancer": {
        "name": "foreign",
        "load_balancer_arn": "arn:foreign",
        "security_groups": ["sg-foreign"],
        "subnets": [{"subnet_id": "subnet-z"}],
        "exists": True,
    },
    "target_group": {"name": "foreign-tg", "target_group_arn": "arn:foreign-tg", "port": 22, "health_check": {"port": "22"}, "exists": True},
}
WITHOUT_GROUPS = {**READ, "load_balancer": {**READ["load_balancer"], "security_groups": []}}


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "inventory_hostname": "ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_cluster_arn": "arn:ml",
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_check_mode": False,
        "groups": {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "ml-i-1"], "node_type_login": ["ml-i-1", "b-i-2"]},
        "hostvars": {"ml": {}, "ml-i-1": {}, "b-i-2": {"hyperpod_people_port": 400}},
        "hyperpod_run": {"cluster": CLUSTER},
        "login_balancer_adopted": {},
        "login_balancer_allowed_cidrs": None,
        "login_balancer_allowed_security_groups": [],
        "login_balancer_drain_time": 3600,
        "login_balancer_gate_port": "223",
        "login_balancer_healthy_timeout": 420,
        "login_balancer_idle_timeout": 350,
        "login_balancer_minimum_healthy": 1,
        "login_balancer_name": "hp-ml",
        "login_balancer_people_port": "222",
        "login_balancer_port": 22,
        "login_balancer_public_confirm": False,
        "login_balancer_purge": True,
        "login_balancer_scheme": "internal",
        "login_balancer_subnets": [],
        "login_balancer_tags": {"Team": "ml"},
        "__login_targets_read": PORTS,
    }
