# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects, with the fields that a real AWX (its development state of October 2024) declares for them."""

from __future__ import annotations

import functools
import json
import typing as t
from dataclasses import dataclass
from pathlib import Path

DECLARED = (Path(__file__).with_name("options.json"), Path(__file__).with_name("not_recorded.json"))
"""The second file has the kinds whose declarations were not recorded: the fields that clients read, from AWX's documentation."""
UNIFIED = ("projects", "inventory_sources", "job_templates", "workflow_job_templates", "workflow_approval_templates")
"""Kinds whose objects share their ids: all of them are unified job templates."""
JOBS = ("jobs", "workflow_jobs", "project_updates", "inventory_updates", "workflow_approvals")
"""Kinds whose objects share their ids: all of them are unified jobs."""
NO_LIST = ("workflow_approval_templates",)
"""Kinds whose objects are created and listed only below others."""
NAMES = {"inventories": "inventory"}
REFERENCES = {
    "credential": "credentials",
    "credential_type": "credential_types",
    "default_environment": "execution_environments",
    "execution_environment": "execution_environments",
    "inventory": "inventories",
    "inventory_source": "inventory_sources",
    "job": "unified_jobs",
    "job_template": "job_templates",
    "organization": "organizations",
    "project": "projects",
    "signature_validation_credential": "credentials",
    "source_credential": "credentials",
    "source_project": "projects",
    "target_credential": "credentials",
    "team": "teams",
    "unified_job_template": "unified_job_templates",
    "user": "users",
    "webhook_credential": "credentials",
    "workflow_approval_template": "workflow_approval_templates",
    "workflow_job": "workflow_jobs",
    "workflow_job_template": "workflow_job_templates",
}
"""The kinds that fields of type ``id`` refer to."""
TOGETHER = {"unified_job_templates": UNIFIED, "unified_jobs": JOBS}
"""Kinds that AWX also lists together."""
OWNER = {
    "credential_input_sources": "target_credential",
    "inventories": "organization",
    "inventory_sources": "inventory",
    "inventory_updates": "inventory_source",
    "jobs": "job_template",
    "labels": "organization",
    "notification_templates": "organization",
    "project_updates": "project",
    "schedules": "unified_job_template",
    "teams": "organization",
    "workflow_approvals": "workflow_job",
    "workflow_job_nodes": "workflow_job",
    "workflow_job_template_nodes": "workflow_job_template",
    "workflow_jobs": "workflow_job_template",
}
"""The field with the object that an object belongs to. Who may change the owner may change the object."""
UNIQUE = {
    "credential_input_sources": ("target_credential", "input_field_name"),
    "credential_types": ("kind", "name"),
    "credentials": ("organization", "name", "credential_type"),
    "inventories": ("name", "organization"),
    "inventory_sources": ("name", "inventory"),
    "job_templates": ("name", "organization"),
    "labels": ("name", "organization"),
    "notification_templates": ("organization", "name"),
    "projects": ("name", "organization"),
    "schedules": ("unified_job_template", "name"),
    "teams": ("organization", "name"),
    "users": ("username",),
    "workflow_approval_templates": ("id",),
    "tokens": ("id",),
    "workflow_job_template_nodes": ("workflow_job_template", "identifier"),
    "workflow_job_templates": ("name", "organization"),
}
"""The fields that together identify an object, in the order of AWX's messages; ``name`` alone for the other kinds."""

_NOTIFIED = ("notification_templates_started", "notification_templates_success", "notification_templates_error")
BELOW = {
    "credentials": ("input_sources", "object_roles"),
    "inventory_updates": ("cancel", "stdout"),
    "jobs": ("cancel", "stdout"),
    "project_updates": ("cancel", "stdout"),
    "workflow_approvals": ("approve", "deny"),
    "workflow_jobs": ("cancel", "workflow_nodes"),
    "inventories": ("instance_groups", "inventory_sources", "labels", "object_roles"),
    "inventory_sources": ("credentials", "schedules", "update", *_NOTIFIED),
    "job_templates": ("credentials", "instance_groups", "labels", "launch", "object_roles", "schedules", "survey_spec", *_NOTIFIED),
    "organizations": (
        "admins",
        "galaxy_credentials",
        "instance_groups",
        "object_roles",
        "users",
        "notification_templates_approvals",
        *_NOTIFIED,
    ),
    "projects": ("object_roles", "playbooks", "schedules", "update", *_NOTIFIED),
    "roles": ("teams", "users"),
    "schedules": ("credentials", "instance_groups", "labels"),
    "teams": ("object_roles", "roles", "users"),
    "users": ("roles",),
    "workflow_job_template_nodes": (
        *("always_nodes", "create_approval_template", "credentials", "failure_nodes", "instance_groups", "labels", "success_nodes"),
    ),
    "workflow_job_templates": (
        *("labels", "launch", "notification_templates_approvals", "object_roles", "schedules", "survey_spec", "workflow_nodes"),
        *_NOTIFIED,
    ),
}
"""The paths below an object that answers name in ``related``. A real AWX has further ones."""


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    required: bool
    default: t.Any
    choices: tuple[t.Any, ...]
    longest: int | None


@dataclass(frozen=True)
class Kind:
    plural: str
    writable: t.Mapping[str, Field]
    shown: t.Mapping[str, t.Any]
    """The fields of an answer, with the value of a new object if its creator does not set it."""

    @property
    def name(self) -> str:
        return NAMES.get(self.plural, self.plural.removesuffix("s"))

    @property
    def title(self) -> str:
        """The name of the kind in messages."""
        return self.name.replace("_", " ").capitalize() if "_" not in self.name else self.name.replace("_", " ").title()

    @property
    def unique(self) -> tuple[str, ...]:
        return UNIQUE.get(self.plural, ("name",))


@functools.cache
def kinds() -> t.Mapping[str, Kind]:
    """By plural, as in paths."""
    read = {plural: each for path in DECLARED for plural, each in json.loads(path.read_text(encoding="utf-8")).items()}
    return {plural: Kind(plural, _fields(each.get("POST", {})), _initial(each["GET"])) for plural, each in read.items()}


def _initial(declared: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, t.Any]:
    return {name: {"boolean": False, "integer": 0}.get(each["type"]) for name, each in declared.items()}


def _fields(declared: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, Field]:
    return {
        name: Field(
            name=name,
            type=each["type"],
            required=bool(each.get("required")),
            default=each.get("default", None),
            choices=tuple(each.get("choices", ())),
            longest=each.get("max_length"),
        )
        for name, each in declared.items()
    }
