# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the modules of awx.awx for a step. No I/O."""

from __future__ import annotations

import typing as t

from .objects import KINDS, SECRET, Object
from .plan import Step

Arguments = dict[str, t.Any]
IN_ORGANIZATION = ("schedule", "workflow_job_template_node", "inventory_source")
"""Kinds whose modules look for the object that theirs belongs to in an organization."""
SOUGHT_EVERYWHERE = {
    "credential": "credentials",
    "credentials": "credentials",
    "inventory": "inventories",
    "notification_templates_approvals": "notification_templates",
    "notification_templates_error": "notification_templates",
    "source_credential": "credentials",
    "target_credential": "credentials",
}
"""Options whose names the modules seek in all organizations, and fail if two have the name; with the lists of the API."""


def with_ids(given: Arguments, read: t.Callable[..., t.Any], organization: str) -> Arguments:
    """The options with the ids of objects of the organization, in place of names that other organizations may also have.

    :param read: returns the objects in a list of the API that a query selects.
    """

    def id_of(path: str, name: str) -> str:
        found = read(path, name=name, organization__name=organization)
        return str(found[0]["id"]) if len(found) == 1 else name

    ids = dict(given)
    for option, path in SOUGHT_EVERYWHERE.items():
        value = given.get(option)
        if value:
            ids[option] = id_of(path, value) if isinstance(value, str) else [id_of(path, each) for each in value]
    return ids


def arguments(step: Step, wanted: Object | None, organization: str) -> list[Arguments]:
    """The options for each call of the module.

    :param wanted: the object of the step; None if the step removes it.
    """
    if step.kind == "role":
        return _rights(step, wanted, organization)
    place = _place(step.kind, organization)
    if wanted is None:
        return [{**place, **step.refers, **_name(step.kind, step.name), "state": "absent"}]
    values = {name: _value(wanted, name, value, step.kept) for name, value in wanted.values.items()}
    lists = {name: list(names) for name, names in wanted.lists.items()}
    named = {**_name(step.kind, step.former or wanted.name), **({"new_name": wanted.name} if step.former else {})}
    if "approval_node" in values:  # the module connects the approval instead of the node if it gets both
        owner = {**place, **wanted.refers, **named}
        return [{**owner, **values}, {**owner, **lists}]
    if step.kind == "workflow_job_template_node":
        place = {**place, "lookup_organization": organization}
    return [{**place, **values, **wanted.refers, **lists, **named}]


def _place(kind: str, organization: str) -> Arguments:
    return {"organization": organization} if KINDS[kind].scope == "organization" or kind in IN_ORGANIZATION else {}


def _name(kind: str, name: str) -> Arguments:
    """The field of an input source is its name, and part of the name that we give it."""
    if kind == "credential_input_source":
        return {"input_field_name": name.partition(": ")[2]}
    return {KINDS[kind].id: name}


def _value(wanted: Object, name: str, value: t.Any, kept: t.Container[str]) -> t.Any:
    if name in KINDS[wanted.kind].hidden:
        return {key: SECRET if key in kept else each for key, each in value.items()}
    return value


def _rights(step: Step, wanted: Object | None, organization: str) -> list[Arguments]:
    """Give the rights that the team lacks, and take those that it has without being wanted."""
    _team, _colon, rest = step.name.partition(": ")
    right, _space, kind = rest.partition(" ")
    have = set(step.before.get(kind) or ())
    want = set(wanted.lists[kind]) if wanted else set()
    team = wanted.refers["team"] if wanted else step.refers["team"]
    common = {"team": team, "role": right, "lookup_organization": organization}
    changes = (("present", sorted(want - have)), ("absent", sorted(have - want)))
    return [{**common, kind: names, "state": state} for state, names in changes if names]
