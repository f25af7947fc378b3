# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests given as extra variables, and whether a cluster executed them."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import CODES, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.orders import Outcome, not_carried_out, orders

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
GIVEN = {"names", "bool", "plan", "stage"}
"""Values of ``given`` in meta/verbs: how a run recognises that an order is set."""
GIVEN_BY = r"""^#.*?-e '?{?"?([a-z_]+)"?[=:]"""
WITH_OPTIONS_OF_ROLES = ("awx", "events")
"""Playbooks whose header shows options of a role: awx is no verb, and a job of AWX has no use for the path of a rulebook."""
OF_ORDERS, OF_OPTIONS = {"given", "needs", "pending"}, {"type", "elements", "required", "default", "choices", "description"}


def waiting(*codes: str, node: str = "i-9", locked: bool = False, **nodes: list[str]) -> Outcome:
    return Outcome("ml", locked, [(code, node) for code in codes], nodes)


@pytest.mark.parametrize(("playbook", "sections"), known_variables.of_playbooks().items(), ids=known_variables.of_playbooks())
def test_declared_variables_of_playbooks_have_known_fields(playbook: str, sections: known_variables.Asked) -> None:
    assert (PLAYBOOKS / f"{playbook}.yml").exists() and set(sections) <= {"orders", "options"}
    for section, allowed in (("orders", OF_ORDERS | OF_OPTIONS), ("options", OF_OPTIONS)):
        for name, fields in sections.get(section, {}).items():
            assert set(fields) <= allowed, name
            assert ("description" in fields) == ("type" in fields), f"{name}: described completely either here or by a role"
            assert fields.get("given", "names") in GIVEN, name


@pytest.mark.parametrize("path", sorted(PLAYBOOKS.glob("*.yml")), ids=lambda path: path.stem)
def test_variables_in_the_header_of_a_playbook_are_listed(path: Path) -> None:
    sections = known_variables.of_playbooks().get(path.stem, {}).values()
    of_roles = known_variables.of_roles() if path.stem in WITH_OPTIONS_OF_ROLES else ()
    assert set(re.findall(GIVEN_BY, path.read_text(), re.M)) <= {*of_roles, *(name for section in sections for name in section)}


def test_an_order_needs_a_variable_that_users_can_set() -> None:
    assert {each.needs for each in orders() if each.needs} <= known_variables.of_people()


def test_codes_of_waiting_orders_are_pending_codes() -> None:
    codes = {code for each in orders() for code in each.codes}
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
        ({"topology_job_wait": "finished"}, waiting("topology-job-waits"), ["topology_job_wait"]),
        ({"topology_job_wait": "none"}, waiting("topology-job-waits"), []),
        ({"accelerator_health_nccl": True}, waiting("nccl-not-run"), ["accelerator_health_nccl"]),
        ({"accelerator_health_dcgm_level": 3}, waiting("dcgm-not-run"), ["accelerator_health_dcgm_level"]),
    ],
)
def test_an_order_counts_as_executed_unless_a_finding_is_pending(
    extra: dict[str, t.Any], outcome: Outcome, expected: list[str]
) -> None:
    assert not_carried_out(extra, outcome) == expected


@pytest.mark.parametrize("code", ["node-failed", "node-unreachable", "login-node-out"])
@pytest.mark.parametrize("option", ["rotation", "replace_nodes", "update_groups", "offboard_name", "teardown_confirm"])
def test_an_order_for_nodes_is_not_executed_if_a_node_was_left_out(option: str, code: str) -> None:
    assert not_carried_out({option: "finish"}, waiting(code)) == [option]
