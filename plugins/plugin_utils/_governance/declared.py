# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared teams with their quotas, and the declared scheduler configuration."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Setting, Table, Values, checked, require
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.options import PRINCIPAL
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.parts import NAME, NAME_ALLOWED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import (
    BORROWING,
    LIMITS,
    QUOTA,
    SCHEDULER,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.options import check_classes, check_resources

from ..structures import STATES, each_of, fields, items, one_of

TEAMS, SCHEDULING = "hyperpod_teams", "task_governance_scheduler"
OPTIONS = {
    "name": "team_name",
    "resources": "compute_quota_resources",
    "sharing": "resource_sharing_config",
    "preempt": "preempt_team_tasks",
    "fair_share_weight": "fair_share_weight",
    "activation_state": "activation_state",
    "description": "description",
}
"""A team's settings, and their names in the module ``compute_quota``."""
_BESIDE = ("state", "submitters")
_OF_QUOTA = {setting.option: setting for setting in QUOTA.table}
TEAM: Table = tuple(dataclasses.replace(_OF_QUOTA[theirs], option=ours) for ours, theirs in OPTIONS.items())
SCHEDULER_TABLE: Table = (Setting("name", "Name", pattern=NAME, allowed=NAME_ALLOWED), *SCHEDULER.table)
KINDS = {"int": "a whole number", "float": "a number", "str": "a text"}
PRINCIPALS = "ARNs of IAM roles or users such as arn:aws:iam::111111111111:role/people"


@dataclass(frozen=True)
class Team:
    name: str
    present: bool = True
    settings: Values = field(default_factory=dict)
    """The declared settings, under the names of ``compute_quota``."""
    submitters: tuple[str, ...] | None = None
    """IAM principals; None if they are not declared."""


def teams(given: t.Any) -> list[Team]:
    """:raises Refused: for the first invalid value."""
    found = each_of(_team, TEAMS, items(TEAMS, given))
    check_unique(f"{TEAMS}.name", [each.name for each in found])
    return found


def scheduler(given: t.Any) -> dict[str, t.Any]:
    """The settings under the names of the options of ``cluster_scheduler_config``; empty if none are declared.

    :raises Refused: for the first invalid value.
    """
    values = _values(SCHEDULING, SCHEDULER_TABLE, fields(SCHEDULING, given, [each.option for each in SCHEDULER_TABLE]))
    check_classes(f"{SCHEDULING}.priority_classes", values.get("priority_classes") or ())
    return values


def _team(option: str, given: t.Any) -> Team:
    found = fields(option, given, (*OPTIONS, *_BESIDE), required=("name",))
    given_state, submitters = found.pop("state", "present"), found.pop("submitters", None)
    with parts() as part:
        with part:
            state = one_of(f"{option}.state", given_state, STATES)
        with part:
            values = _values(option, TEAM, found)
            _check_resources(option, values)
        with part:
            principals = None if submitters is None else _principals(f"{option}.submitters", submitters)
    settings = {OPTIONS[ours]: value for ours, value in values.items() if ours != "name"}
    return Team(name=values["name"], present=state == "present", settings=settings, submitters=principals)


def _check_resources(option: str, values: Values) -> None:
    sharing = values.get("sharing") or {}
    with parts() as part:
        with part:
            check_resources(f"{option}.resources", values.get("resources") or ())
        with part:
            check_resources(f"{option}.sharing.absolute_borrow_limits", sharing.get("absolute_borrow_limits") or ())
        for limit in LIMITS if sharing and sharing["strategy"] != BORROWING else ():
            with part:
                if limit in sharing:
                    why = f"the strategy is {sharing['strategy']}"
                    refuse_option(f"{option}.sharing.{limit}", sharing[limit], f"no value unless the strategy is {BORROWING}", why)


def _principals(option: str, given: t.Any) -> tuple[str, ...]:
    made(lambda each: _check_principal(option, each), items(option, given))
    check_unique(option, given)
    return tuple(given)


def _check_principal(option: str, given: t.Any) -> None:
    if not isinstance(given, str) or not PRINCIPAL.fullmatch(given):
        session = isinstance(given, str) and ":assumed-role/" in given
        refuse_option(option, given, PRINCIPALS, "it is an assumed-role session; use the ARN of the role" if session else "")


def _values(option: str, table: Table, given: Values) -> dict[str, t.Any]:
    values: dict[str, t.Any] = {}
    with parts() as part:
        for setting in table:
            with part:
                _check_kind(option, setting, given)
                values.update(checked((setting,), given, within=option))
    require(tuple(each for each in table if each.parts), values, within=option, what=option)
    return values


def _check_kind(option: str, setting: Setting, given: Values) -> None:
    """Check the type, because no argument spec validates these values."""
    value, path = given.get(setting.option), f"{option}.{setting.option}"
    if value is None:
        return
    if setting.type == "list":
        each_of(lambda place, each: _check_structure(place, setting, each), path, items(path, value))
    elif setting.type == "dict":
        _check_structure(path, setting, value)
    elif not _fits(setting.type, value):
        refuse_option(path, value, KINDS[setting.type])


def _check_structure(path: str, setting: Setting, value: t.Any) -> None:
    found = fields(path, value, [each.option for each in setting.parts])
    made(lambda each: _check_kind(path, each, found), setting.parts)


def _fits(kind: str, value: t.Any) -> bool:
    if kind == "str":
        return isinstance(value, str)
    return isinstance(value, int if kind == "int" else (int, float)) and not isinstance(value, bool)
