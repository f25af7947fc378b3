# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wanted objects of AWX. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Template, Verb

from . import rollouts, schedules, workflow
from .fleet import Fleet
from .objects import Object
from .project import playbook
from .rights import TEAMS, may_start, roles_of
from .survey import survey

PROJECT, INVENTORY = "hyperpod", "hyperpod"
"""The names of the project and the inventory, without the prefix."""
AWS_TYPE = "AWS configuration file"
"""A type of credentials for AWS with profiles. AWX's own type has an access key, but no profile."""
AWS_INPUTS = {
    "fields": [{"id": "config", "label": "The text of ~/.aws/config", "type": "string", "secret": True, "multiline": True}],
    "required": ["config"],
}
AWS_INJECTORS = {"file": {"template.config": "{{ config }}"}, "env": {"AWS_CONFIG_FILE": "{{ tower.filename.config }}"}}


@dataclass(frozen=True)
class Title:
    """A job template, and the verb that it runs."""

    name: str
    verb: Verb
    template: Template


def titles(fleet: Fleet, verbs: t.Iterable[Verb]) -> list[Title]:
    known = rollouts.with_rollouts(verbs, rollouts.declared(fleet.rollouts))
    chosen = [verb for verb in known if not fleet.verbs or verb.name in fleet.verbs]
    return [Title(name, verb, each) for verb in chosen for name, each in verb.templates.items()]


def playbooks(fleet: Fleet, verbs: t.Iterable[Verb]) -> list[str]:
    """The playbooks that the project needs."""
    return sorted({playbook(each.verb, each.name) for each in titles(fleet, verbs)})


def wanted(fleet: Fleet, verbs: t.Iterable[Verb]) -> list[Object]:
    """In the order in which AWX accepts them."""
    templates = titles(fleet, verbs)
    return [
        Object("organization", fleet.organization, {"description": fleet.described("organization")}, mark="organization"),
        *_credentials(fleet),
        *_execution_environment(fleet),
        *_notifications(fleet),
        *_project(fleet),
        *(_template(fleet, each) for each in templates),
        *schedules.wanted(fleet, {each.name: each.template.schedule for each in templates}),
        *workflow.wanted(fleet, {each.name for each in templates}),
        *rollouts.wanted(fleet),
        *(_owned(fleet, "team", each, {}, organization=fleet.organization) for each in TEAMS),
        *_rights(fleet, templates),
    ]


def _owned(fleet: Fleet, kind: str, key: str, values: t.Mapping[str, t.Any], text: str = "", **refers: str) -> Object:
    return Object(kind, fleet.named(key), {**values, "description": fleet.described(key, text)}, refers, mark=key)


def _credentials(fleet: Fleet) -> t.Iterator[Object]:
    if any(each["type"] == AWS_TYPE for each in fleet.credentials):
        yield _owned(fleet, "credential_type", AWS_TYPE, {"kind": "cloud", "inputs": AWS_INPUTS, "injectors": AWS_INJECTORS})
    for each in fleet.credentials:
        kind = fleet.named(AWS_TYPE) if each["type"] == AWS_TYPE else each["type"]
        values = {"inputs": each.get("inputs") or {}}
        yield _owned(fleet, "credential", each["name"], values, organization=fleet.organization, credential_type=kind)
    for each in fleet.credentials:
        for field, source in (each.get("sources") or {}).items():
            name = f"{each['name']}: {field}"
            values = {"input_field_name": field, "metadata": source.get("metadata") or {}}
            refers = {"target_credential": fleet.named(each["name"]), "source_credential": _credential(fleet, source["credential"])}
            yield _owned(fleet, "credential_input_source", name, values, **refers)


def _credential(fleet: Fleet, name: str) -> str:
    """The name in AWX: one of this fleet's credentials, otherwise an existing one."""
    return fleet.named(name) if any(each["name"] == name for each in fleet.credentials) else name


def _execution_environment(fleet: Fleet) -> t.Iterator[Object]:
    if fleet.image:
        refers = {"credential": _credential(fleet, fleet.image_credential)} if fleet.image_credential else {}
        values = {"image": fleet.image, "pull": "missing"}
        yield _owned(fleet, "execution_environment", PROJECT, values, organization=fleet.organization, **refers)


def _notifications(fleet: Fleet) -> t.Iterator[Object]:
    for each in fleet.notifications:
        values = {"notification_type": each["type"], "notification_configuration": each.get("configuration") or {}}
        yield _owned(fleet, "notification_template", each["name"], values, organization=fleet.organization)


def _project(fleet: Fleet) -> t.Iterator[Object]:
    """The project at one revision. Jobs do not update it, so they run the checked revision."""
    refers = {"organization": fleet.organization}
    if fleet.project["credential"]:
        refers["credential"] = _credential(fleet, fleet.project["credential"])
    values = {
        "scm_type": "git",
        "scm_url": fleet.project["url"],
        "scm_branch": fleet.project["revision"],
        "scm_update_on_launch": False,
        "allow_override": False,
    }
    yield _owned(fleet, "project", PROJECT, values, **refers)
    yield _owned(fleet, "inventory", INVENTORY, {}, organization=fleet.organization)
    values = {"source": "scm", "source_path": fleet.inventory_file, "overwrite": True, "update_on_launch": True}
    refers = {"inventory": fleet.named(INVENTORY), "source_project": fleet.named(PROJECT)}
    if fleet.image:
        refers["execution_environment"] = fleet.named(PROJECT)
    yield _owned(fleet, "inventory_source", INVENTORY, values, **refers)


def _template(fleet: Fleet, title: Title) -> Object:
    spec = survey(title.verb, without={*title.template.vars, *title.template.extra_vars})
    values = {
        "description": fleet.described(title.name, title.verb.title),
        "job_type": title.verb.job_type,
        "playbook": playbook(title.verb, title.name),
        "forks": fleet.forks,
        "timeout": fleet.timeout + title.template.waits,
        "job_slice_count": 1,
        "job_tags": ",".join(title.template.job_tags),
        "extra_vars": dict(title.template.extra_vars),
        "survey_enabled": bool(spec["spec"]),
        **({"survey_spec": spec} if spec["spec"] else {}),
        "allow_simultaneous": title.template.simultaneous,
        "ask_limit_on_launch": False,
        "ask_variables_on_launch": False,
    }
    refers: dict[str, str | None] = {"project": fleet.named(PROJECT), "inventory": fleet.named(INVENTORY)}
    if fleet.image:
        refers["execution_environment"] = fleet.named(PROJECT)
    lists = {"credentials": tuple(_credential(fleet, each) for each in fleet.job_credentials)}
    if fleet.notifications and title.template.schedule not in schedules.TOO_OFTEN and not title.template.simultaneous:
        lists["notification_templates_error"] = tuple(fleet.named(each["name"]) for each in fleet.notifications)
    return Object("job_template", fleet.named(title.name), values, refers, lists, mark=title.name)


def _rights(fleet: Fleet, templates: t.Sequence[Title]) -> t.Iterator[Object]:
    """One object for each team, right and kind of objects."""
    repairs = (workflow.NAME,) if workflow.possible({each.name for each in templates}) else ()
    names = {
        "workflows": tuple(fleet.named(each) for each in (*repairs, *(each.title for each in rollouts.declared(fleet.rollouts)))),
        "projects": (fleet.named(PROJECT),),
        "inventories": (fleet.named(INVENTORY),),
        "organizations": (fleet.organization,),
    }
    for team in TEAMS:
        started = tuple(fleet.named(each.name) for each in templates if may_start(team, each.verb.role))
        yield from _right(fleet, team, "execute", "job_templates", started)
        for right, kind in roles_of(team):
            yield from _right(fleet, team, right, kind, names[kind])


def _right(fleet: Fleet, team: str, right: str, kind: str, names: tuple[str, ...]) -> t.Iterator[Object]:
    if names:
        yield Object("role", f"{fleet.named(team)}: {right} {kind}", {"role": right}, {"team": fleet.named(team)}, {kind: names})
