# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired and removed compute quotas. Their order ensures that quotas never guarantee more than the cluster has."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Values
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.guarantees import (
    amounts_of,
    instances_of,
    measured_types,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Capacity, Found
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.partitions import cut_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.threads import single_threaded
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import allocation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance.declared import Team
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .declared import DELETED, config_of, scheduler, teams_of

Rows = list[dict[str, t.Any]]


@dataclass(frozen=True)
class Quotas:
    """The planned quotas, from ``__task_governance_quotas``."""

    lowered: Rows
    """Quotas to lower before other quotas grow, in the form of ``kept``. Empty in check mode, where ``kept`` includes them."""
    kept: Rows
    """Desired quotas as options of the module. Quotas that do not grow come first."""
    gone: Rows
    """Quotas to remove."""
    allow_oversubscription: bool
    """Whether the module may guarantee more than the cluster has. Also true in check mode, where no quota has been lowered yet;
    ``findings.plan`` has checked the final state.
    """
    types: list[str]
    """Instance types whose resources are needed to compare quotas."""


@view
def quotas(variables: Variables) -> Quotas:
    there, teams, checks = quotas_of(variables), teams_of(variables), bool(variables["ansible_check_mode"])
    cluster = capacity(variables)
    present = sorted((each for each in teams if each.present), key=lambda each: allocation.grows(there.get(each.name), each))
    return Quotas(
        lowered=[] if checks else [row for each in present for row in _lowered(there.get(each.name), each)],
        kept=[_row(there.get(each.name), each) for each in present],
        gone=[{"name": there[each.name].name, "team": each.name} for each in teams if not each.present and each.name in there],
        allow_oversubscription=bool(variables["task_governance_allow_oversubscription"]) or checks,
        types=sorted({name for each in present for name in measured_types(each.settings, list(there.values()), cluster)}),
    )


@dataclass(frozen=True)
class Removal:
    """Whether the scheduler configuration and the add-on are removed with ``task_governance_state: absent``."""

    scheduler: bool
    addon: bool


@view
def removal(variables: Variables) -> Removal:
    """The result. Nothing is removed while a quota of an undeclared team remains."""
    left, config = strangers(variables), config_of(variables)
    goes = not left and scheduler(variables).managed
    return Removal(goes, bool(variables["task_governance_remove_addon"]) and not left and (goes or not config))


def quotas_of(variables: Variables) -> dict[str, Found]:
    """The existing quotas, keyed by team."""
    listed = plain(variables["__task_governance_quotas"]["compute_quotas"])
    return {each["team_name"]: allocation.found(each) for each in listed if each["status"] != DELETED}


def disabled(variables: Variables) -> list[str]:
    """Declared teams whose quota is disabled, although the declaration has no activation_state."""
    there = quotas_of(variables)
    named = [each for each in teams_of(variables) if each.present and allocation.STATE not in each.settings]
    return sorted(each.name for each in named if allocation.is_disabled(there.get(each.name)))


def strangers(variables: Variables) -> list[str]:
    """Teams that have a quota but are not declared."""
    return sorted(quotas_of(variables).keys() - {each.name for each in teams_of(variables)})


def capacity(variables: Variables) -> Capacity:
    """The capacity of the cluster, with the resources of instance types from ``__task_governance_types``."""
    groups = plain(variables["hyperpod_run"]["cluster"]["groups"])
    types = plain((variables.get("__task_governance_types") or {}).get("instance_types") or [])
    return Capacity(
        instances_of((each["instance_types"], each["target"]) for each in groups),
        {each["name"]: amounts_of(each) for each in types if each["known"]},
        cut_of((each["instance_types"], each["target"], each["mig_config"]) for each in groups),
        single_threaded((each["instance_types"], each["target"], each["threads_per_core"]) for each in groups),
    )


def excess(variables: Variables) -> list[str]:
    """Sentences about teams whose guaranteed compute would exceed the cluster's capacity after all changes."""
    if variables["task_governance_allow_oversubscription"]:
        return []
    return allocation.excess(capacity(variables), list(quotas_of(variables).values()), teams_of(variables))


def _lowered(quota: Found | None, team: Team) -> Rows:
    wanted: t.Sequence[Values] | None = team.settings.get(allocation.RESOURCES)
    if quota is None or wanted is None or allocation.is_disabled(quota):
        return []
    left = allocation.lowered(quota.settings.get(allocation.RESOURCES) or (), wanted)
    return [] if left is None else [{**_row(quota, team), "resources": left}]


def _row(quota: Found | None, team: Team) -> dict[str, t.Any]:
    """A quota as options of the module. It keeps its name, because AWS can't rename a quota. A setting that is not declared keeps
    its value, or gets AWS's default.
    """
    settings, have = team.settings, quota.settings if quota else {}
    return {
        "name": quota.name if quota else team.name,
        "team": team.name,
        "resources": settings.get(allocation.RESOURCES),
        "sharing": settings.get("resource_sharing_config"),
        "preempt": settings.get("preempt_team_tasks") or have.get("preempt_team_tasks") or "LowerPriority",
        "fair_share_weight": settings.get("fair_share_weight"),
        "activation_state": settings.get("activation_state") or have.get("activation_state") or "Enabled",
        "description": settings.get("description"),
    }
