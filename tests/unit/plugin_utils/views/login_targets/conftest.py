# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a cluster's host for views of login_targets."""

from __future__ import annotations

import typing as t

import pytest

PORTS = {"target_group_arn": "arn:tg", "ports": [222], "draining_ports": [], "health_check_port": "223", "targets": []}
ADOPTED: dict[str, dict[str, t.Any]] = {
    "target_group": {"name": "foreign-tg", "arn": "arn:foreign-tg", "port": 22, "health_check": {"port": "22"}},
}


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "hyperpod_cluster_key": "ml",
        "ansible_check_mode": False,
        "groups": {"hyperpod_clusters": ["ml"]},
        "hyperpod_run": {},
        "login_balancer_adopted": {},
        "login_balancer_gate_port": "223",
        "login_balancer_minimum_healthy": 1,
        "login_balancer_name": "hp-ml",
        "login_balancer_people_port": "222",
        "login_targets_drain_nodes": [],
        "login_targets_group": "hp-ml",
        "login_targets_leaves_needed": False,
        "__login_targets_read": PORTS,
    }
