# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that AWX has, read with GET requests."""

from __future__ import annotations

import dataclasses
import typing as t

from .fleet import Fleet
from .objects import EDGES, KINDS, Key, Object

Answer = t.Mapping[str, t.Any]
Answers = dict[str, t.Sequence[Answer]]
"""By kind."""
Read = t.Callable[..., t.Any]
"""Returns the answer to a GET request for a path and a query: a dictionary, or for a list all its objects."""
OF_ORGANIZATION = (
    *("credential", "notification_template", "project", "inventory", "job_template", "workflow_job_template", "team"),
)
RESOURCES = {
    "job_template": "job_templates",
    "workflow_job_template": "workflows",
    "project": "projects",
    "inventory": "inventories",
    "organization": "organizations",
}
"""The option of the module ``role`` by the type of the object that a right is for."""
RIGHTS = {"Approve": "approval"}
"""Choices of the module ``role`` that are not the name of the right in lowercase."""
BELOW = ("credential_input_source", "inventory_source", "schedule", "workflow_job_template_node")
"""Kinds whose objects belong to another object than an organization."""


def found(fleet: Fleet, wanted: t.Sequence[Object], read: Read) -> list[Object]:
    """The objects that are ours, or that have the name of a wanted one.

    Of most kinds, those of the organization; of kinds whose names are unique in AWX, also others.
    """
    answers: Answers = {
        "credential_type": read("credential_types", managed="false"),
        "execution_environment": read("execution_environments"),
        "organization": read("organizations", name=fleet.organization),
    }
    for organization in answers["organization"]:
        answers |= {kind: read(KINDS[kind].path, organization=organization["id"]) for kind in OF_ORGANIZATION}
        answers |= _below(answers, read)
    names = {each.key for each in wanted}
    objects = [_object(fleet, kind, one) for kind, ones in answers.items() for one in ones]
    objects = _with_owners(objects)
    chosen = [_completed(each, objects, read) for each in objects if each.mark or each.key in names]
    return [*chosen, *_rights(chosen, read)]


def _below(answers: Answers, read: Read) -> Answers:
    credentials = {each["id"] for each in answers["credential"]}
    templates = {each["id"] for kind in ("job_template", "workflow_job_template") for each in answers[kind]}
    nodes = [read("workflow_job_template_nodes", workflow_job_template=each["id"]) for each in answers["workflow_job_template"]]
    return {
        "credential_input_source": [one for one in read("credential_input_sources") if one["target_credential"] in credentials],
        "inventory_source": [one for each in answers["inventory"] for one in read("inventory_sources", inventory=each["id"])],
        "schedule": [one for one in read("schedules") if one["unified_job_template"] in templates],
        "workflow_job_template_node": [one for ones in nodes for one in ones],
    }


def _object(fleet: Fleet, kind: str, answer: Answer) -> Object:
    summary = answer.get("summary_fields") or {}
    refers = {name: each["name"] for name, each in summary.items() if isinstance(each, dict) and "name" in each}
    lists = {"credentials": tuple(each["name"] for each in summary["credentials"])} if "credentials" in summary else {}
    name = answer.get(KINDS[kind].id) or f"{refers.get('target_credential')}: {answer.get('input_field_name')}"
    return Object(kind, str(name), dict(answer), refers, lists, fleet.key_of(str(answer.get("description") or "")))


def _with_owners(objects: t.Sequence[Object]) -> list[Object]:
    """Nodes of workflows have no description for a mark. They are ours if the workflow is."""
    ours = {each.name for each in objects if each.kind == "workflow_job_template" and each.mark}
    return [
        dataclasses.replace(each, mark=each.name)
        if each.kind == "workflow_job_template_node" and each.refers.get("workflow_job_template") in ours
        else each
        for each in objects
    ]


def _completed(each: Object, objects: t.Sequence[Object], read: Read) -> Object:
    """Add what the API returns at paths of its own."""
    path = f"{KINDS[each.kind].path}/{each.values['id']}"
    lists = {name: tuple(one["name"] for one in read(f"{path}/{name}")) for name in KINDS[each.kind].related}
    values: dict[str, t.Any] = {}
    if each.kind == "job_template":
        values["survey_spec"] = read(f"{path}/survey_spec")
    if each.kind == "workflow_job_template_node":
        identifiers = {one.values["id"]: one.name for one in objects if one.kind == each.kind}
        lists |= {edge: tuple(identifiers.get(one, f"node {one}") for one in each.values[edge]) for edge in EDGES}
        values |= _approval(each)
    return dataclasses.replace(each, values={**each.values, **values}, lists={**each.lists, **lists})


def _approval(node: Object) -> dict[str, t.Any]:
    about = (node.values.get("summary_fields") or {}).get("unified_job_template") or {}
    if about.get("unified_job_type") != "workflow_approval":
        return {}
    return {"approval_node": {name: about.get(name) for name in ("name", "description", "timeout")}}


def _rights(objects: t.Sequence[Object], read: Read) -> t.Iterator[Object]:
    """The rights of our teams on the chosen objects: one object for each team, right and kind."""
    known = {(each.kind, each.name) for each in objects}
    for team in (each for each in objects if each.kind == "team" and each.mark):
        rights: dict[tuple[str, str], list[str]] = {}
        for role in read(f"teams/{team.values['id']}/roles"):
            about = role["summary_fields"]
            key: Key = (about.get("resource_type", ""), about.get("resource_name", ""))
            if key in known and key[0] in RESOURCES:
                rights.setdefault((RIGHTS.get(role["name"], role["name"].lower()), RESOURCES[key[0]]), []).append(key[1])
        for (right, kind), names in sorted(rights.items()):
            name = f"{team.name}: {right} {kind}"
            yield Object("role", name, {"role": right}, {"team": team.name}, {kind: tuple(names)}, mark=name)
