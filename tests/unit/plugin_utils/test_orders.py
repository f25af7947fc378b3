# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an extra variable asked for by name, and whether a cluster did it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import CODES, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.orders import ORDERS, Outcome, not_carried_out

HOW = {
    *(
        "drain_force",
        "drain_reason",
        "drain_timeout",
        "drift_json",
        "drift_junit",
        "drift_prometheus",
        "forget_confirm",
        "forget_reason",
    ),
    *("login_access_mode", "offboard_home", "offboard_hook_evidence", "offboard_hooks", "offboard_jobs", "offboard_reason"),
    *(
        "offboard_shared_keys",
        "offboard_uid",
        "purge_secrets",
        "readmit_reason",
        "replace_jobs",
        "rotation_confirm",
        "rotation_force",
    ),
    *("rotation_min_days", "unlock_running", "update_deployment", "update_evicts", "update_image", "update_jobs", "update_version"),
    *("vpn_client", "vpn_people", "vpn_random_host_prefix", "vpn_urgent"),
}
"""Extra variables that say how, why or where to, and order nothing by themselves."""


def waiting(*codes: str, node: str = "i-9", locked: bool = False, **nodes: list[str]) -> Outcome:
    return Outcome("ml", locked, [(code, node) for code in codes], nodes)


def test_every_variable_that_is_asked_of_a_run_is_an_order_or_says_how() -> None:
    ordered = {each.option for each in ORDERS}
    assert set(known_variables.ASKED) - ordered == HOW
    assert ordered <= known_variables.of_people()


def test_orders_wait_by_codes_that_are_pending() -> None:
    codes = {code for each in ORDERS for code in each.codes}
    assert {code for code in codes if code not in CODES or PENDING not in CODES[code].kinds} == set()


@pytest.mark.parametrize(
    ("extra", "outcome", "expected"),
    [
        ({}, waiting("sessions-open"), []),
        ({"drain_nodes": "i-1"}, waiting(), []),
        ({"drain_nodes": "i-1"}, waiting("sessions-open"), ["drain_nodes"]),
        ({"drain_nodes": "i-1"}, waiting("node-unreachable"), []),
        ({"drain_nodes": "i-1"}, waiting("node-unreachable", node="i-1", drain_nodes=["i-1"]), ["drain_nodes"]),
        ({"undrain_nodes": "i-1"}, waiting("gate-users", node="i-1", undrain_nodes=["i-1"]), ["undrain_nodes"]),
        ({"drain_nodes": ""}, waiting("sessions-open"), []),
        ({"remediation_approve": "ml:0a1b2c3d"}, waiting("remediation-unapproved"), ["remediation_approve"]),
        ({"remediation_approve": ["b:0a1b2c3d"]}, waiting("remediation-unapproved"), []),
        ({"remediation_approve": "all"}, waiting("remediation-waits", node="i-1", remediation_approve=["i-1"]), []),
        (
            {"remediation_approve": "ml:0a1b2c3d"},
            waiting("remediation-waits", node="i-1", remediation_approve=["i-1"]),
            ["remediation_approve"],
        ),
        ({"remediation_approve": "ml:0a1b2c3d"}, waiting("remediation-waits"), []),
        ({"remediation_deep_checks": "InstanceStress"}, waiting("remediation-unchecked"), []),
        (
            {"remediation_deep_checks": "InstanceStress", "remediation_approve": "all"},
            waiting("remediation-unchecked"),
            ["remediation_deep_checks"],
        ),
        ({"topology_job_measure_gain": "false"}, waiting("topology-gain-not-measured"), []),
        ({"topology_job_measure_gain": "true"}, waiting("topology-gain-not-measured"), ["topology_job_measure_gain"]),
        ({"offboard_name": "eve"}, waiting("jobs-go-on", "slurm-account-stays"), []),
        ({"offboard_name": "eve"}, waiting("crl-waits"), ["offboard_name"]),
        ({"remediation_approve": "ml:0a1b2c3d"}, waiting("remediation-unconfigured"), ["remediation_approve"]),
        ({"replace_nodes": "i-1"}, waiting("maintenance-held"), ["replace_nodes"]),
        ({"rotation": "finish"}, waiting("gate-users"), []),
        (
            {"teardown_confirm": "ml", "purge_secrets_confirm": "ml"},
            waiting(locked=True),
            ["purge_secrets_confirm", "teardown_confirm"],
        ),
        ({"hyperpod_only": "ml"}, waiting(locked=True), []),
    ],
)
def test_an_order_is_carried_out_unless_the_cluster_says_otherwise(
    extra: dict[str, t.Any], outcome: Outcome, expected: list[str]
) -> None:
    assert not_carried_out(extra, outcome) == expected


@pytest.mark.parametrize("code", ["node-failed", "node-unreachable", "login-node-out"])
@pytest.mark.parametrize("option", ["rotation", "replace_nodes", "update_groups", "offboard_name", "teardown_confirm"])
def test_an_order_over_nodes_is_not_carried_out_where_a_node_was_left_out(option: str, code: str) -> None:
    assert not_carried_out({option: "finish"}, waiting(code)) == [option]
