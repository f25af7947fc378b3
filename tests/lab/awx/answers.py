# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of answers: an object with its links and summaries, without its secrets."""

from __future__ import annotations

import json

from .kinds import BELOW, REFERENCES
from .objects import ENCRYPTED, Object, Objects, Values

EDGES = ("success_nodes", "failure_nodes", "always_nodes")
ROLE_FIELDS = {"Ad Hoc": "adhoc_role", "Approve": "approval_role"}
"""The names of roles in ``summary_fields``, if they differ from the role's own name."""
JOB_TYPES = {
    "inventory_sources": "inventory_update",
    "job_templates": "job",
    "projects": "project_update",
    "workflow_approval_templates": "workflow_approval",
    "workflow_job_templates": "workflow_job",
}
"""The kind of the jobs of each template, in summaries."""
_HIDDEN = ("password",)


def shown(objects: Objects, found: Object) -> Values:
    """The answer for an object."""
    if found.kind.plural == "roles":
        return _role(found)
    common = {"id": found.id, "type": found.kind.name, "url": found.url, "related": _links(objects, found)}
    answer = {name: found.values.get(name, initial) for name, initial in found.kind.shown.items()} | common
    for edge in EDGES:
        if edge in answer:
            answer[edge] = [each.id for each in found.related[edge]]
    for name in ("inputs", "notification_configuration"):
        if name in answer and found.secret:
            answer[name] = {key: ENCRYPTED if key in found.secret else value for key, value in answer[name].items()}
    if found.secret and found.kind.name in ("job", "workflow_job"):
        variables = json.loads(answer["extra_vars"])
        answer["extra_vars"] = json.dumps({name: ENCRYPTED if name in found.secret else value for name, value in variables.items()})
    if found.kind.plural == "tokens":
        answer["token"] = "************"
    answer["summary_fields"] = _summary(objects, found)
    return {name: value for name, value in answer.items() if name not in _HIDDEN}


def role_field(role: Object) -> str:
    name = role.values["name"]
    return ROLE_FIELDS.get(name, f"{name.lower().replace(' ', '_')}_role")


def _links(objects: Objects, found: Object) -> dict[str, str]:
    links = {name: f"{found.url}{name}/" for name in BELOW.get(found.kind.plural, ())}
    for name in REFERENCES:
        referred = objects.referred(name, found.values.get(name)) if name in found.kind.shown else None
        if referred is not None:
            links[name] = referred.url
    updates = objects.updates_of(found)
    if updates:
        links["current_update" if updates[-1].is_active else "last_update"] = updates[-1].url
    return links


def _summary(objects: Objects, found: Object) -> Values:
    """The objects that fields refer to, by field. Also the roles, the credentials of a template, and the update of a project."""
    summary: Values = {}
    for name in REFERENCES:
        referred = objects.referred(name, found.values.get(name)) if name in found.kind.shown else None
        if referred is not None:
            summary[name] = _brief(referred)
    if "unified_job_template" in summary:
        summary["unified_job_template"] |= _unified(objects.referred("unified_job_template", found.values["unified_job_template"]))
    if found.related["object_roles"]:
        summary["object_roles"] = {
            role_field(role): {"id": role.id, "name": role.values["name"]} for role in found.related["object_roles"]
        }
    if "credentials" in BELOW.get(found.kind.plural, ()):
        summary["credentials"] = [{"id": each.id, "name": each.values["name"]} for each in found.related["credentials"]]
    updates = objects.updates_of(found)
    if updates:
        summary["current_update" if updates[-1].is_active else "last_update"] = _brief(updates[-1])
    return summary


def _brief(found: Object) -> Values:
    names = ("description", "status", "failed", "timed_out")
    brief = {"id": found.id, "name": found.values.get("name", found.values.get("username")), "description": ""}
    brief |= {name: found.values[name] for name in names if name in found.values}
    return {**brief, "type": found.kind.name}


def _unified(found: Object) -> Values:
    waits = {"timeout": found.values["timeout"]} if found.kind.plural == "workflow_approval_templates" else {}
    return {**waits, "unified_job_type": JOB_TYPES[found.kind.plural]}


def _role(found: Object) -> Values:
    owner: Object = found.values["object"]
    about = {
        "resource_id": owner.id,
        "resource_name": owner.values.get("name"),
        "resource_type": owner.kind.name,
        "resource_type_display_name": owner.kind.title,
    }
    common = {
        "id": found.id,
        "type": "role",
        "url": found.url,
        "related": {name: f"{found.url}{name}/" for name in BELOW["roles"]} | {owner.kind.name: owner.url},
        "summary_fields": about,
    }
    return {"name": found.values["name"], "description": found.values["description"], **common}
