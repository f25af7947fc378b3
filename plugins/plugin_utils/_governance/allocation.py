# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans changes of quotas: their order, the limits of the cluster, and the gains and losses of each team."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Values, changes, has, merged
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import (
    AMOUNTS,
    DISABLED,
    QUOTA,
    SCHEDULER,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.guarantees import refuse_excess
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import HOPELESS, Capacity, Found
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.plan import settings_then, undeclared
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import CREATED

from .declared import OPTIONS, SCHEDULING, TEAMS, Team

RESOURCES, PARTS, STATE = "compute_quota_resources", "accelerator_partition", "activation_state"
NAMED = {
    "count": "instances",
    "accelerators": "accelerators",
    "vcpu": "vCPUs",
    "memory_in_gib": "GiB of memory",
    PARTS: "partitions",
}
Resources = t.Sequence[Values]


def found(quota: t.Mapping[str, t.Any]) -> Found:
    """A quota in a result of ``compute_quota_info``."""
    settings = {setting.option: quota[setting.option] for setting in QUOTA.table if quota.get(setting.option) is not None}
    return Found(
        id=quota["compute_quota_id"],
        arn=quota["compute_quota_arn"],
        name=quota["name"],
        status=quota["status"],
        version=quota["version"],
        team=quota["team_name"],
        settings=settings,
    )


def after(quota: Found | None, wanted: Values) -> dict[str, t.Any]:
    """The settings of a team after the change, without values that AWS adds."""
    return merged(QUOTA.table, quota.settings if quota else {}, wanted)


def is_disabled(quota: Found | None) -> bool:
    """Whether the quota exists but guarantees nothing."""
    return quota is not None and quota.settings.get(STATE) == DISABLED


def grows(quota: Found | None, team: Team) -> bool:
    """Whether the team's quota grows, so that the quotas of other teams must shrink first."""
    if after(quota, team.settings).get(STATE) == DISABLED:
        return False
    return is_disabled(quota) or any(each.startswith(("gains ", "gets ")) for each in gains_and_losses(quota, team))


def lowered(before: Resources, wanted: Resources) -> list[Values] | None:
    """The current resources, without undeclared ones, and reduced to the desired amounts where these are smaller.

    None if nothing is removed or reduced.
    """
    then = {_key(each): each for each in wanted}
    kept = [_less(each, then[_key(each)]) for each in before if _key(each) in then]
    return None if kept == list(before) else kept


def excess(capacity: Capacity, quotas: t.Sequence[Found], teams: t.Sequence[Team]) -> list[str]:
    """One sentence for each team whose guarantee would exceed the cluster's capacity after all changes.

    :param quotas: all existing quotas.
    """
    there = {each.team: each for each in quotas}
    named = {each.name: each for each in teams}
    then = {each.team: each for each in quotas if each.team not in named}
    for team in teams:
        if team.present:
            settings = after(there.get(team.name), team.settings)
            then[team.name] = Found("", "", team.name, CREATED, team=team.name, settings=settings)
    problems = []
    for place, team in enumerate(teams):
        if not team.present or not team.settings.keys() & {RESOURCES, STATE}:
            continue
        before = there[team.name].settings if team.name in there else {}
        others = [each for each in then.values() if each.team != team.name]
        option, way = f"{TEAMS}[{place}].resources", "with task_governance_allow_oversubscription=true"
        try:
            refuse_excess(capacity, others, before, then[team.name].settings, option=option, way=way)
        except Refused as error:
            problems.append(str(error))
    return problems


def lost_in_between(quotas: t.Mapping[str, Found], teams: t.Sequence[Team]) -> list[str]:
    """One sentence for each quota that will be recreated and has settings that are not declared.

    :param quotas: the existing quotas, keyed by team.
    """
    declared_names = {name: option for option, name in OPTIONS.items()}
    losses = []
    for place, team in enumerate(teams):
        quota = quotas.get(team.name)
        if quota is None or not team.present or quota.status not in HOPELESS:
            continue
        declared = {"team_name": team.name, **team.settings}
        paths = [each.partition(".") for each in undeclared(QUOTA, settings_then(QUOTA, quota.settings, declared), declared)]
        if paths:
            names = [f"{declared_names[first]}{dot}{rest}" for first, dot, rest in paths]
            losses.append(_lost(f"{TEAMS}[{place}]", f"the compute quota of team {team.name}", quota.status, names))
    return losses


def scheduler_lost_in_between(config: t.Mapping[str, t.Any], wanted: Values) -> list[str]:
    """As ``lost_in_between``, for the scheduler configuration from ``cluster_scheduler_config_info``."""
    if not wanted or config.get("status") not in HOPELESS:
        return []
    have = {setting.option: config[setting.option] for setting in SCHEDULER.table if config.get(setting.option) is not None}
    names = undeclared(SCHEDULER, settings_then(SCHEDULER, have, wanted), wanted)
    return [_lost(SCHEDULING, "the scheduler configuration", config["status"], names)] if names else []


def _lost(option: str, what: str, status: str, names: t.Sequence[str]) -> str:
    return (
        f"{option}: {what} is {status}, so task_governance_recreate deletes and recreates it. Declare these settings as well, or "
        f"an interrupted run may lose them: {', '.join(names)}."
    )


def gains_and_losses(quota: Found | None, team: Team) -> list[str]:
    """The changes of a team as parts of a sentence: gains, losses, then other settings."""
    before = quota.settings if quota else {}
    then = after(quota, team.settings) if team.present else {}
    moved = _moved(before.get(RESOURCES) or (), then.get(RESOURCES) or ())
    parts = [f"gains {_amount(name, now - had, had, now)}" for name, had, now in moved if now > had]
    parts += [f"loses {_amount(name, had - now, had, now)}" for name, had, now in moved if now < had]
    if not team.present:
        return [*parts, "loses its quota"] if quota else []
    if quota is None:
        return ["gets a quota", *parts]
    table = tuple(each for each in QUOTA.table if each.option != RESOURCES)
    known = {name: value for name, value in team.settings.items() if name != RESOURCES and not has(table, before, {name: value})}
    differing = changes("", tuple(each for each in table if each.option in known), before, then)
    return [*parts, *(f"{each.field} is {_shown(each.after)} instead of {_shown(each.before)}" for each in differing)]


Moved = tuple[str, float, float]
"""The name of an allocation, and its amounts before and after the change."""


def _moved(before: Resources, then: Resources) -> list[Moved]:
    had, has_then = ({_key(each): each for each in resources} for resources in (before, then))
    found_here: list[Moved] = []
    for key in dict.fromkeys([*had, *has_then]):
        old, new = had.get(key, {}), has_then.get(key, {})
        units = [unit for unit in AMOUNTS if unit in new and unit in old] or [*_leading(new), *_leading(old)]
        found_here += [(_named(unit, key), _number(old, unit), _number(new, unit)) for unit in dict.fromkeys(units)]
    return [each for each in found_here if each[1] != each[2]]


def _leading(resource: Values) -> list[str]:
    """The unit that an entry declares, as a list with at most one element. AWS adds the other units."""
    return [unit for unit in AMOUNTS if unit in resource][:1]


def _less(have: Values, wanted: Values) -> Values:
    unit = next(iter(_leading(wanted)), "")
    return wanted if unit in have and _number(wanted, unit) < _number(have, unit) else have


def _number(resource: Values, unit: str) -> float:
    value = resource.get(unit) or 0
    return value["count"] if isinstance(value, t.Mapping) else value


def _key(resource: Values) -> tuple[str, str]:
    return resource["instance_type"], (resource.get(PARTS) or {}).get("type", "")


def _named(unit: str, key: tuple[str, str]) -> str:
    return f"{NAMED[unit]} of {key[0]}" if unit != PARTS else f"{NAMED[PARTS]} {key[1]} of {key[0]}"


def _amount(name: str, by: float, had: float, now: float) -> str:
    return f"{by:g} {name} ({had:g} before, {now:g} after)"


def _shown(value: t.Any) -> str:
    return "not set" if value in (None, "") else str(value)
