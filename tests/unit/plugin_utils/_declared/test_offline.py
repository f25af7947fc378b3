# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types, values and references of variables are all checked before any AWS call."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import offline

GPUS = {"name": "gpus", "instance_groups": ["g5-a"]}
CASES: dict[str, tuple[list[str], dict[str, t.Any], list[str]]] = {
    "a type hides no value": (
        ["karpenter"],
        {
            "karpenter_wait_timeout": "long",
            "karpenter_drain_timeout": 3600,
            "karpenter_node_classes": [GPUS],
            "karpenter_node_pools": [{"name": "a", "node_class": "gpu", "disruption": "trainig"}],
        },
        [
            "karpenter_wait_timeout: 'long' is not allowed. Allowed: whole numbers.",
            "karpenter_drain_timeout: 3600 is not allowed. Allowed: 1 to 1800.",
            "karpenter_node_pools[0].disruption.profile: 'trainig'",
            "karpenter_node_pools[0].node_class: 'gpu'",
        ],
    ),
    "teams by the name that people set": (
        ["task_governance"],
        {"hyperpod_teams": [{"name": "A"}, {"nam": "b"}], "task_governance_addon_version": "new", "task_governance_scheduler": {"fair_share": 1}},
        ["task_governance_addon_version: new", "hyperpod_teams[0].name", "hyperpod_teams[1].nam", "hyperpod_teams[1].name", "task_governance_scheduler"],
    ),
    "a choice and a number": (
        ["accelerator_health"],
        {"accelerator_health_result": "fial", "accelerator_health_batch": 0, "accelerator_health_image": "A B", "accelerator_health_cron": "often"},
        ["accelerator_health_result: 'fial'", "accelerator_health_batch: 0", "accelerator_health_image: A B", "accelerator_health_cron: often"],
    ),
    "one variable of two roles": (
        ["login_balancer", "login_nodes"],
        {"hyperpod_gate_port": 600, "login_balancer_name": "-", "login_nodes_confirm_timeout": "5"},
        ["login_balancer_name: -", "login_nodes_confirm_timeout: 5", "hyperpod_gate_port: 600"],
    ),
    "the budget, the route and what was agreed to": (
        ["remediation"],
        {"remediation_at_once": 0, "remediation_route": "slurm", "remediation_approve": "yes", "remediation_jobs": "kill"},
        ["remediation_at_once: 0", "remediation_route: 'slurm'", "remediation_approve: 'yes'", "remediation_jobs: 'kill'"],
    ),
    "texts and numbers": (
        ["client_vpn"],
        {"client_vpn_client_cidr": "172.20.0.0/8", "client_vpn_crl_days": 1},
        ["client_vpn_client_cidr: 172.20.0.0/8", "client_vpn_crl_days: 1"],
    ),
    "others": (
        ["host_keys", "topology", "topology_job", "drain"],
        {"rotation_min_days": 9999, "topology_nodes_needed": -1, "topology_job_gain_nodes": 1, "drain_timeout": 90000},
        ["rotation_min_days: 9999", "topology_nodes_needed: -1", "topology_job_gain_nodes: 1", "drain_timeout: 90000"],
    ),
}


@pytest.mark.parametrize(("roles", "known", "expected"), CASES.values(), ids=CASES)
def test_all_errors_are_reported_together(roles: list[str], known: dict[str, t.Any], expected: list[str]) -> None:
    found = offline.problems(known, roles)
    assert [words for words in expected if not any(text.startswith(words) for text in found)] == [], found
    assert len(found) == len(expected), found


@pytest.mark.parametrize(
    ("roles", "known"),
    [
        (["karpenter"], {"karpenter_state": "absent", "karpenter_node_pools": [{"name": "a", "state": "absent"}]}),
        (["karpenter"], {"karpenter_wait_timeout": "60"}),
        (["task_governance"], {"hyperpod_teams": []}),
        (["accelerator_health"], {"accelerator_health_cron": True}),
        (["remediation"], {"remediation_approve": "all", "remediation_at_once": "2"}),
        (["accounts", "run", "status"], {}),
    ],
)
def test_a_valid_declaration_is_accepted(roles: list[str], known: dict[str, t.Any]) -> None:
    assert offline.problems(known, roles) == []
