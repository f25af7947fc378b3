# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared settings of task governance."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_space import KUEUE, TEAMS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import task_governance
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import declared as given
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view

DEFAULT_NAME = "task-governance"
DELETED = "Deleted"


@dataclass(frozen=True)
class Declared:

    refusals: Findings
    """All refusals. If there are any, the other fields are empty."""
    teams: list[str]
    """Teams that must have a quota."""
    priority_classes: list[str]
    """The priority classes in the scheduler configuration."""
    manages_submitters: bool
    """Whether submitters are declared, or a team is removed."""
    wait_for: str
    """Kubernetes objects to wait for."""


@view
def declared(variables: Variables) -> Declared:
    wrong = [
        *task_governance.problems(variables, variables),
        *refusals(given.teams, plain(variables["task_governance_teams"])),
        *refusals(given.scheduler, plain(variables["task_governance_scheduler"])),
    ]
    if wrong:
        return Declared(refused(wrong), [], [], False, KUEUE)
    teams, scheduling = teams_of(variables), given.scheduler(plain(variables["task_governance_scheduler"]))
    names = [each.name for each in teams if each.present]
    classes = [each["name"] for each in scheduling.get("priority_classes") or ()]
    return Declared(
        refusals=[],
        teams=names,
        priority_classes=classes,
        wait_for=TEAMS if names or classes else KUEUE,
        manages_submitters=any(each.submitters is not None or not each.present for each in teams),
    )


def teams_of(variables: Variables) -> list[given.Team]:
    """The declared teams. With ``task_governance_state: absent`` all of them are absent.

    :raises Refused: for the first invalid value.
    """
    teams = given.teams(plain(variables["task_governance_teams"]))
    if variables["task_governance_state"] == "present":
        return teams
    return [given.Team(each.name, False) for each in teams]


@dataclass(frozen=True)
class Scheduler:
    """Options for the scheduler configuration, from the variables and ``__task_governance_configs``. A setting with None stays."""

    managed: bool
    name: str
    priority_classes: list[dict[str, t.Any]] | None
    fair_share: str
    idle_resource_sharing: str
    description: str | None


@view
def scheduler(variables: Variables) -> Scheduler:
    """The options. A setting that is not declared keeps its value, or gets AWS's documented default in a new configuration."""
    wanted = given.scheduler(plain(variables["task_governance_scheduler"]))
    there = config_of(variables)
    return Scheduler(
        managed=bool(wanted),
        name=wanted.get("name") or there.get("name") or DEFAULT_NAME,
        priority_classes=wanted.get("priority_classes"),
        fair_share=wanted.get("fair_share") or there.get("fair_share") or "Enabled",
        idle_resource_sharing=wanted.get("idle_resource_sharing") or there.get("idle_resource_sharing") or "Disabled",
        description=wanted.get("description"),
    )


def config_of(variables: Variables) -> dict[str, t.Any]:
    """The cluster's scheduler configuration; empty if it does not exist."""
    configs = plain(variables["__task_governance_configs"]["cluster_scheduler_configs"])
    return next((each for each in configs if each["status"] != DELETED), {})
