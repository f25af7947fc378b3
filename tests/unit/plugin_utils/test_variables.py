# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variable names that are mistakes, unknown, or unrelated."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables, variables


def test_variables_that_only_extra_variables_can_set_are_refused_in_the_inventory() -> None:
    names = ["hyperpod_only", "hyperpod_report_store"]
    assert variables.misspelt(names, ["hyperpod_report_store"]) == []
    assert variables.misspelt(names, ["hyperpod_only"]) == [
        "hyperpod_report_store has no effect in the inventory. Give it with -e, or set report_store under [hyperpod] in ansible.cfg."
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("login_balancer_alowed_cidrs", "login_balancer_allowed_cidrs"),
        ("login_node_user_keys", "login_nodes_user_keys"),
        ("hyperpod_user", "hyperpod_users"),
        ("hyperpod_users_file", "hyperpod_users_files"),
        ("client_vpn_client_cidrs", "client_vpn_client_cidr"),
        ("hyperpod_operation_public_key_file", "hyperpod_operations_public_key_file"),
        ("hyperpod_onyl", "hyperpod_only"),
        ("hyperpod_onlu", "hyperpod_only"),
        ("hyprepod_only", "hyperpod_only"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_nearest(name: str, meant: str) -> None:
    assert variables.misspelt([name], ()) == [
        f"{name} is not a variable of mlfleet.hyperpod; did you mean {meant}? Correct the name or remove the variable."
    ]
    assert variables.unknown([name], ()) == []


@pytest.mark.parametrize("name", ["drain_timout", "offboard_nam", "rotation_forced", "vpn_peoples", "run_skip_lockd", "records_jobs", "readmit_nmae"])
def test_options_of_one_run_are_checked_only_as_extra_variables(name: str) -> None:
    assert len(variables.misspelt([name], [name])) == 1
    assert variables.misspelt([name], ()) == []


@pytest.mark.parametrize("name", ["hyperpod_clusters", "hyperpod_cluster_key", "hyperpod_cluster_arn"])
def test_variables_that_only_seem_to_select_clusters_are_refused(name: str) -> None:
    """It would apply to every cluster, and hyperpod_cluster_arn would direct all of them to one."""
    assert variables.misspelt([name], [name]) == [
        f"{name} selects no cluster, because -e sets the variable for all clusters. Use -e hyperpod_only=KEY,KEY instead."
    ]
    assert variables.misspelt([name], ()) == []


@pytest.mark.parametrize(
    "name",
    [
        "hyperpod_users_ml",
        "hyperpod_users_a",
        "hyperpod_monthly_cost",
        "hyperpod_owns",
        "login_balancer_cidrs",
        "login_balancer_subnets_a",
        "client_vpn_export",
    ],
)
def test_unknown_names_with_our_prefix_are_reported_only(name: str) -> None:
    assert variables.misspelt([name], [name]) == []
    (sentence,) = variables.unknown([name, "mine"], ())
    assert name in sentence and "mine" not in sentence


@pytest.mark.parametrize(
    "names",
    [
        ["ansible_user", "groups", "users", "vpn_clients", "drain", "cluster_name", "_hyperpod_user", "hyperpod_internal_user"],
        ["run_skip_lockd", "accounts_user", "record_job", "status_jsons"],
        sorted({*known_variables.of_people(), *known_variables.OF_INVENTORY, *known_variables.PASSED} - {*known_variables.OF_RUN}),
    ],
    ids=["of others", "like those of roles with common names", "ours"],
)
def test_known_and_unrelated_names_are_ignored(names: list[str]) -> None:
    assert (variables.misspelt(names, ()), variables.unknown(names, ())) == ([], [])
