# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration, and the part of the scheduler configuration that is sent."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.declared import declared, scheduler, teams_of
from unit.plugin_utils.views.task_governance.governed import RESEARCH, VISION, config, variables


def test_waits_are_configured() -> None:
    found = declared(variables(task_governance_teams=[RESEARCH, {"name": "old", "state": "absent"}]))
    assert (found.refusals, found.teams, found.priority_classes) == ([], ["research"], ["training"])
    assert (found.manages_submitters, found.wait_for) == (True, "teams")
    nothing = declared(variables(task_governance_teams=[VISION | {"state": "absent"}], task_governance_scheduler={}))
    assert (nothing.teams, nothing.wait_for, nothing.manages_submitters) == ([], "kueue", True)
    assert not declared(variables(task_governance_teams=[VISION])).manages_submitters


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"task_governance_teams": [{"name": "A"}]}, "hyperpod_teams[0].name: 'A' is not allowed."),
        ({"task_governance_scheduler": {"fair": 1}}, "task_governance_scheduler.fair: unknown. Allowed: "),
        ({"task_governance_wait_timeout": 0}, "task_governance_wait_timeout: 0 is not allowed. Allowed: 1 to 86400."),
        ({"task_governance_ready_timeout": 1801}, "task_governance_ready_timeout: 1801 is not allowed. Allowed: 1 to 1800."),
        (
            {"task_governance_pod_security": "Baseline"},
            "task_governance_pod_security: Baseline is not allowed. Allowed: privileged, baseline, restricted, or nothing.",
        ),
        ({"task_governance_addon_version": "1.6"}, "task_governance_addon_version: 1.6 is not allowed. Allowed: default, latest, or"),
    ],
)
def test_invalid_declarations_are_refused(more: dict[str, t.Any], message: str) -> None:
    (refusal,) = declared(variables(**more)).refusals
    assert message in refusal["text"], refusal


def test_errors_of_numbers_and_objects_are_reported_together() -> None:
    wrong = declared(variables(task_governance_wait_timeout=0, task_governance_ready_timeout=0, task_governance_teams="x"))
    assert [each["text"].split(":")[0] for each in wrong.refusals] == [
        "task_governance_wait_timeout",
        "task_governance_ready_timeout",
        "hyperpod_teams",
    ]


def test_removing_task_governance_removes_all_teams() -> None:
    assert [(each.name, each.present) for each in teams_of(variables(task_governance_state="absent"))] == [("research", False), ("vision", False)]


def test_a_new_scheduler_configuration_is_sent() -> None:
    made = scheduler(variables())
    assert (made.managed, made.name, made.fair_share, made.idle_resource_sharing) == (True, "task-governance", "Enabled", "Disabled")
    assert made.priority_classes == [{"name": "training", "weight": 80}] and made.description is None


def test_undeclared_settings_of_an_existing_one_are_kept() -> None:
    there = [config("gone", status="Deleted"), config("own", fair_share="Disabled", idle_resource_sharing="Enabled")]
    kept = scheduler(variables(configs=there, task_governance_scheduler={"description": "x"}))
    assert (kept.name, kept.fair_share, kept.idle_resource_sharing, kept.priority_classes) == ("own", "Disabled", "Enabled", None)
    assert not scheduler(variables(configs=there, task_governance_scheduler={})).managed
    assert scheduler(variables(task_governance_scheduler={"name": "other"})).name == "other"
