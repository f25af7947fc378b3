# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job gets: AWX's own variables, and what the injectors of its credentials add."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

import jinja2

from .objects import Object, Objects, Values


@dataclass
class Injected:
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """By path below the folder of the job."""
    variables: Values = field(default_factory=dict)
    key: str = ""
    """The private key for ssh-agent."""


class NoSecret(Exception):
    """An external source does not have the secret of a credential."""


def injected(objects: Objects, credentials: t.Iterable[Object], secrets: t.Mapping[str, str], folder: str) -> Injected:
    """:raises NoSecret: if an input comes from an external source without that secret."""
    found = Injected()
    for credential in credentials:
        kind = objects.get("credential_types", credential.values["credential_type"]).values
        declared = kind["injectors"] or {}
        inputs: Values = {**credential.values["inputs"], **_external(objects, credential, secrets)}
        found.key = inputs.get("ssh_key_data", "") if kind["kind"] == "ssh" else found.key
        paths = {}
        for name, template in (declared.get("file") or {}).items():
            path = f"files/{credential.id}-{name.removeprefix('template').lstrip('.') or 'file'}"
            found.files[path] = _rendered(template, inputs)
            paths[name.removeprefix("template").lstrip(".")] = f"{folder}/{path}"
        inputs["tower"] = {"filename": paths.get("", paths)}
        used = {name: _rendered(template, inputs) for name, template in (declared.get("env") or {}).items()}
        found.environment |= {name: value for name, value in used.items() if value}
        found.variables |= {name: _rendered(template, inputs) for name, template in (declared.get("extra_vars") or {}).items()}
    return found


def variables(objects: Objects, job: Object) -> Values:
    """AWX's own variables of a job, under both of their names."""
    user: Object = job.values["user"]
    own = {"job_id": job.id, "job_launch_type": job.values["launch_type"], "user_id": user.id, "user_name": user.values["username"]}
    own |= {f"user_{name}": user.values.get(name) or "" for name in ("email", "first_name", "last_name")}
    for name in ("job_template", "inventory", "workflow_job"):
        referred = objects.referred(name, job.values.get(name))
        if referred is not None:
            own |= {f"{name}_id": referred.id, f"{name}_name": referred.values["name"]}
    own |= {"project_revision": job.values.get("scm_revision", ""), "project_scm_branch": job.values.get("scm_branch") or ""}
    return {f"{prefix}_{name}": value for prefix in ("awx", "tower") for name, value in own.items()}


def _external(objects: Objects, credential: Object, secrets: t.Mapping[str, str]) -> Values:
    found = {}
    for each in objects.by_kind["credential_input_sources"].values():
        if each.values["target_credential"] == credential.id:
            name = each.values["metadata"].get("secret_name", "")
            if name not in secrets:
                raise NoSecret(f"No secret {name!r} for {each.values['input_field_name']} of {credential.values['name']}")
            found[each.values["input_field_name"]] = secrets[name]
    return found


def _rendered(template: str, inputs: Values) -> str:
    return jinja2.Environment(autoescape=False).from_string(template).render(**inputs)
