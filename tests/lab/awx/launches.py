# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New jobs: from the launch of a template, or the update of a project or inventory source. They begin as pending."""

from __future__ import annotations

import json
import typing as t

import yaml

from . import surveys
from .answers import EDGES, shown
from .objects import Object, Objects, Refused, Values

PROMPTS = {
    **{name: f"ask_{name}_on_launch" for name in ("diff_mode", "execution_environment", "forks", "instance_groups", "inventory")},
    **{name: f"ask_{name}_on_launch" for name in ("job_slice_count", "job_type", "labels", "limit", "scm_branch", "skip_tags")},
    **{name: f"ask_{name}_on_launch" for name in ("timeout", "verbosity")},
    "credentials": "ask_credential_on_launch",
    "extra_vars": "ask_variables_on_launch",
    "job_tags": "ask_tags_on_launch",
}
"""The fields of a launch, and the setting of the template that lets a launch set them."""
_COPIED = ("allow_simultaneous", "diff_mode", "execution_environment", "forks", "inventory", "job_tags", "job_type", "limit")
_ALSO_COPIED = ("name", "organization", "playbook", "project", "scm_branch", "skip_tags", "timeout", "verbosity")


def variables_of(text: t.Any) -> Values:
    """Extra variables, which are a mapping, or a text with JSON or YAML."""
    return (yaml.safe_load(text) if isinstance(text, str) else text) or {}


def launch(objects: Objects, template: Object, body: Values, user: Object) -> Values:
    """The answer for a new job of a template.

    :raises Refused: if answers of the survey are missing or wrong.
    """
    given = variables_of(body.get("extra_vars"))
    accepted, ignored = _variables(template, given)
    prompted = {name: value for name, value in body.items() if name in PROMPTS and name != "extra_vars"}
    refused = {name: value for name, value in prompted.items() if not template.values.get(PROMPTS[name])}
    if ignored:
        refused["extra_vars"] = ignored
    objects.problems += [f"launch of {template.values['name']} ignored {name}: {value}" for name, value in sorted(refused.items())]
    objects.problems += [f"launch has no field {name}" for name in body if name not in PROMPTS]
    values = {name: value for name, value in prompted.items() if name not in refused}
    job = new_job(objects, template, {**values, "launch_type": "manual", "user": user}, accepted)
    return {**shown(objects, job), job.kind.name: job.id, "ignored_fields": refused}


def _variables(template: Object, given: Values) -> tuple[Values, Values]:
    """The variables that a launch sets, and those that it ignores."""
    problems = surveys.problems(template, given)
    if problems:
        raise Refused(400, {"variables_needed_to_start": problems})
    accepted = allowed(template, given)
    return accepted, {name: value for name, value in given.items() if name not in accepted}


def allowed(template: Object, given: Values) -> Values:
    """The variables that a template lets a launch set."""
    if template.values.get("ask_variables_on_launch"):
        return given
    asked = {each["variable"] for each in surveys.questions(template)}
    return {name: value for name, value in given.items() if name in asked}


def new_job(objects: Objects, template: Object, values: Values, variables: Values) -> Object:
    """A pending job of a job template or workflow. ``variables`` come from a launch or from earlier nodes: jobs get them as unsafe."""
    plain = variables_of(template.values.get("extra_vars"))
    asked = surveys.defaults(template)
    is_workflow = template.kind.plural == "workflow_job_templates"
    copied = {name: template.values.get(name) for name in (*_COPIED, *_ALSO_COPIED)}
    copied |= {name: value for name, value in values.items() if name != "credentials"}
    for name in () if is_workflow else ("inventory", "project"):
        if copied[name] is None:
            raise Refused(400, {name: [f"Job Template '{name}' is missing or undefined."]})
    own = {
        "status": "pending",
        "failed": False,
        "artifacts": {},
        "job_explanation": "",
        "extra_vars": json.dumps({**plain, **asked, **variables}),
        "unsafe": {**asked, **variables},
        "unified_job_template": template.id,
        template.kind.name: template.id,
    }
    job = objects.add("workflow_jobs" if is_workflow else "jobs", {**copied, **own}, surveys.passwords(template))
    chosen = values.get("credentials")
    job.related["credentials"] = (
        [objects.get("credentials", each) for each in chosen] if chosen is not None else list(template.related["credentials"])
    )
    if is_workflow:
        _add_nodes(objects, template, job)
    return job


def _add_nodes(objects: Objects, template: Object, job: Object) -> None:
    """The nodes of a workflow job are a copy of those of its template."""
    every = objects.by_kind["workflow_job_template_nodes"].values()
    made: dict[int, Object] = {}
    for each in [each for each in every if each.values["workflow_job_template"] == template.id]:
        names = ("identifier", "unified_job_template", "extra_data", "all_parents_must_converge")
        values = {name: each.values.get(name) for name in names}
        made[each.id] = objects.add("workflow_job_nodes", {**values, "workflow_job": job.id, "job": None, "do_not_run": False})
    for number, node in made.items():
        for edge in EDGES:
            node.related[edge] = [made[each.id] for each in objects.get("workflow_job_template_nodes", number).related[edge]]


def update(objects: Objects, found: Object, user: Object | None) -> Object:
    """A pending update of a project or inventory source."""
    common = {"name": found.values["name"], "status": "pending", "failed": False, "job_explanation": "", "launch_type": "manual"}
    found.values["status"] = "pending"
    if found.kind.plural == "projects":
        if not found.values["scm_type"]:
            raise Refused(405, {"detail": 'Method "POST" not allowed.'})
        return objects.add("project_updates", {**common, "project": found.id, "scm_revision": "", "user": user})
    return objects.add(
        "inventory_updates", {**common, "inventory_source": found.id, "inventory": found.values["inventory"], "user": user}
    )


def launch_info(template: Object) -> Values:
    """What a client learns before a launch."""
    needed = [each["variable"] for each in surveys.questions(template) if each.get("required")]
    return {
        **{ask: bool(template.values.get(ask)) for ask in PROMPTS.values() if ask in template.kind.shown},
        "can_start_without_user_input": not needed,
        "passwords_needed_to_start": [],
        "survey_enabled": bool(template.values.get("survey_enabled")),
        "variables_needed_to_start": needed,
    }
