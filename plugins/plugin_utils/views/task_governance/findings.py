# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings before anything changes: gains and losses of teams, and parts that remain."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import allocation, declared as given, submitters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view
from .access import changed_entries
from .declared import config_of, scheduler, teams_of
from .quotas import disabled, excess, quotas_of, removal, strangers

STUCK, TOO_FAR = (1, 3), (1, 5)
"""The add-on release that EKS fails to update, and the first release that is affected as the target of the update."""


@dataclass(frozen=True)
class Plan:
    """The refusals and findings that follow from everything that was read."""

    refusals: Findings
    findings: Findings
    """A note for each team with changes, a note about disabled quotas, and a note about quotas that are not declared."""


@view
def plan(variables: Variables) -> Plan:
    left = list(map(printable, strangers(variables))) if variables["task_governance_state"] == "present" else []
    idle = disabled(variables)
    return Plan(
        refusals=[
            *_kueue_of_others(variables),
            *refused([*_addon_too_far(variables), *excess(variables), *_lost_in_between(variables)]),
        ],
        findings=[
            *_of_teams(variables),
            *_of_priorities(variables),
            *(finding("governance-disabled", teams=idle) if idle else []),
            *(finding("governance-unnamed", teams=left) if left else []),
        ],
    )


@view
def leaves(variables: Variables) -> Findings:
    """Findings about parts that stay although ``task_governance_state`` is absent."""
    left, config = [printable(each) for each in strangers(variables)], config_of(variables)
    found = finding("governance-kept", teams=left) if left else []
    if config and not removal(variables).scheduler and not left:
        found += finding("governance-scheduler-kept", name=printable(config["name"]))
    return found


@view
def exclusive(variables: Variables) -> Findings:
    """Findings about topology-aware scheduling with Karpenter, from ``__task_governance_gates``.

    This variable has Kueue's gates without topology-aware scheduling, or the failure in ``msg``.
    """
    seen = plain(variables["__task_governance_gates"])
    kueue = seen.get("topology_scheduling")
    if kueue is None:
        return finding("governance-karpenter-unseen", why=seen["msg"])
    pools = kueue["node_pools"]
    if not pools:
        return []
    if not kueue["installed"]:
        return finding("governance-karpenter-foreseen", pools=pools)
    if "msg" in seen:
        return finding("governance-karpenter-stays", pools=pools, why=seen["msg"])
    return finding("governance-karpenter", pools=pools) if seen["changes"] else []


def _of_teams(variables: Variables) -> Findings:
    there, changed = quotas_of(variables), changed_entries(variables)
    found: Findings = []
    for team in teams_of(variables):
        who = submitters.who(team.name, changed)
        parts = allocation.gains_and_losses(there.get(team.name), team)
        parts += [f"{each} may submit" for each in who.may]
        parts += [f"{each} may no longer submit, and running jobs continue" for each in who.may_not]
        if parts:
            found += finding("governance-team", team=team.name, parts=printable("; ".join(parts)))
    return found


def _of_priorities(variables: Variables) -> Findings:
    """Findings about removed priority classes, which tasks may name."""
    wanted = scheduler(variables).priority_classes
    before = [each["name"] for each in config_of(variables).get("priority_classes") or ()]
    if variables["task_governance_state"] == "absent":
        wanted = [] if removal(variables).scheduler else None
    gone = [] if wanted is None else sorted(set(before) - {each["name"] for each in wanted})
    return finding("governance-priorities", names=list(map(printable, gone))) if gone else []


def _addon_too_far(variables: Variables) -> list[str]:
    """The refusal of an add-on version if EKS would fail to update to it.

    Source: HyperPod's guide, sagemaker-hyperpod-eks-operate-console-ui-governance-upgrade.
    """
    wanted, installed = str(variables["task_governance_addon_version"]), plain(variables["__task_governance_addons"]["eks_addons"])
    if variables["task_governance_state"] == "absent" or not variables["task_governance_addon"] or not installed:
        return []
    have = str(installed[0]["version"])
    if _release(have) != STUCK or _release(wanted) < TOO_FAR:
        return []
    why = f"EKS fails to update {printable(have)} to this version because Kueue's cohorts are stored as v1alpha1"
    allowed = "a version before v1.5, until the add-on is updated in SageMaker's console or manually as in HyperPod's guide"
    return [not_allowed("task_governance_addon_version", wanted, allowed, why)]


def _release(version: str) -> tuple[int, ...]:
    """The release of a version. Empty for names such as ``latest``. With such a name, an installed add-on keeps its version."""
    found = re.match(r"v(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found else ()


def _lost_in_between(variables: Variables) -> list[str]:
    if not variables["task_governance_recreate"] or variables["task_governance_state"] == "absent":
        return []
    wanted = given.scheduler(plain(variables["task_governance_scheduler"]))
    there = quotas_of(variables)
    return [
        *allocation.scheduler_lost_in_between(config_of(variables), wanted),
        *allocation.lost_in_between(there, teams_of(variables)),
    ]


def _kueue_of_others(variables: Variables) -> Findings:
    """The refusal of an existing Kueue, because the add-on installs its own."""
    if variables["task_governance_state"] == "absent" or not variables["task_governance_addon"]:
        return []
    kueue: dict[str, t.Any] = plain(variables["__task_governance_seen"]["kueue"])
    installed = plain(variables["__task_governance_addons"]["eks_addons"])
    found = finding("governance-kueue", image=printable(kueue["image"])) if kueue["installed"] and not installed else []
    return [*found, *(finding("governance-kueue-elsewhere", managers=kueue["elsewhere"]) if kueue["elsewhere"] else [])]
