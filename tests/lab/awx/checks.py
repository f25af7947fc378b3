# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of a request's body: those that the declaration of the kind implies, and those of single kinds."""

from __future__ import annotations

import copy
import re
import typing as t

from .kinds import REFERENCES, Field, Kind
from .objects import ENCRYPTED, Object, Objects, Refused, Values

REQUIRED = "This field is required."
_START = re.compile(r"DTSTART(;TZID=[A-Za-z_/]+)?:\d{8}T\d{6}Z?\s")
_TYPES = {"boolean": (bool,), "integer": (int,), "string": (str, int), "json": (dict, list, str), "id": (int,)}
_WRONG_TYPE = {
    "boolean": "Must be a valid boolean.",
    "id": "Incorrect type. Expected pk value, received {}.",
    "integer": "A valid integer is required.",
    "json": "Value must be valid JSON.",
    "string": "Not a valid string.",
}
_WEBHOOK: Values = {"http_method": "POST", "disable_ssl_verification": False, "username": "", "password": ""}
"""The defaults of a webhook's configuration."""


def checked(objects: Objects, kind: Kind, body: Values, found: Object | None = None) -> Values:
    """The values of a new object, or the changed values of ``found``.

    :raises Refused: with all problems by field, as AWX.
    """
    objects.problems += [f"{kind.plural} has no field {name}" for name in body if name not in {*kind.writable, *kind.shown}]
    given = {name: _plain(kind.writable[name], value) for name, value in body.items() if name in kind.writable}
    problems: dict[str, list[str]] = {}
    if found is None:
        problems = {name: [REQUIRED] for name, each in kind.writable.items() if each.required and name not in given}
        if kind.plural == "users" and not given.get("password"):
            problems["password"] = ["Password required for new User."]
    for name, value in given.items():
        problem = _of_field(objects, kind.writable[name], value)
        if problem:
            problems[name] = [problem]
    if problems:
        raise Refused(400, problems)
    values = given if found else {**{name: copy.deepcopy(each.default) for name, each in kind.writable.items()}, **given}
    whole = {**(found.values if found else {}), **values}
    _of_kind(objects, kind, whole, found)
    _unique(objects, kind, whole, found)
    return _kept(values, found)


def record_read_only(objects: Objects, kind: Kind, body: Values, answer: Values) -> None:
    """Record the fields of a body that only AWX sets, if their values differ."""
    differing = [name for name, value in body.items() if name not in kind.writable and name in answer and answer[name] != value]
    objects.problems += [f"{kind.plural} keeps its {name}" for name in differing]


def secrets_of(objects: Objects, kind: Kind, values: Values) -> list[str]:
    """The names of the inputs that AWX never returns."""
    if kind.plural == "credentials":
        return [each["id"] for each in _inputs(objects, values["credential_type"]) if each.get("secret")]
    return ["password", "token"] if kind.plural == "notification_templates" else []


def _plain(field: Field, value: t.Any) -> t.Any:
    """An empty reference is none."""
    return None if field.type == "id" and value == "" else value


def _inputs(objects: Objects, credential_type: int) -> list[Values]:
    return objects.get("credential_types", credential_type).values["inputs"].get("fields", [])


def _of_field(objects: Objects, field: Field, value: t.Any) -> str:
    if value is None:
        return "This field may not be null." if field.required else ""
    if field.choices and value not in field.choices:
        return f'"{value}" is not a valid choice.'
    if field.longest is not None and len(str(value)) > field.longest:
        return f"Ensure this field has no more than {field.longest} characters."
    if field.type in _TYPES and not isinstance(value, _TYPES[field.type]):
        return _WRONG_TYPE[field.type].format(type(value).__name__)
    if field.type == "id" and field.name in REFERENCES and objects.referred(field.name, value) is None:
        return f'Invalid pk "{value}" - object does not exist.'
    return ""


def _unique(objects: Objects, kind: Kind, whole: Values, found: Object | None) -> None:
    for each in objects.by_kind[kind.plural].values():
        if each is not found and all(each.values.get(name, each.id) == whole.get(name) for name in kind.unique):
            if len(kind.unique) == 1:
                name = kind.unique[0]
                raise Refused(400, {name: [f"{kind.title} with this {name.title()} already exists."]})
            words = " and ".join(name.replace("_", " ").capitalize() for name in kind.unique)
            raise Refused(400, {"__all__": [f"{kind.title} with this {words} already exists."]})


def _of_kind(objects: Objects, kind: Kind, whole: Values, found: Object | None) -> None:
    check = _CHECKS.get(kind.plural)
    if check:
        check(objects, whole, found)


def _credential(objects: Objects, whole: Values, _found: Object | None) -> None:
    known = {each["id"] for each in _inputs(objects, whole["credential_type"])}
    for name in whole["inputs"] or {}:
        if name not in known:
            raise Refused(400, {"inputs": [f"Additional properties are not allowed ('{name}' was unexpected)"]})


def _input_source(objects: Objects, whole: Values, _found: Object | None) -> None:
    target, source = (objects.get("credentials", whole[name]) for name in ("target_credential", "source_credential"))
    known = [each["id"] for each in _inputs(objects, target.values["credential_type"])]
    if whole["input_field_name"] not in known:
        raise Refused(400, {"input_field_name": [f"Input field must be defined on target credential (options are {', '.join(known)})."]})
    if objects.get("credential_types", source.values["credential_type"]).values["kind"] != "external":
        raise Refused(400, {"source_credential": ["Source must be an external credential"]})


def _notification(_objects: Objects, whole: Values, _found: Object | None) -> None:
    if whole["notification_type"] == "webhook":
        missing = [name for name in ("url", "headers") if name not in whole["notification_configuration"]]
        if missing:
            raise Refused(400, {"__all__": [f"Missing required fields for Notification Configuration: {missing}."]})
        for name, default in _WEBHOOK.items():
            whole["notification_configuration"].setdefault(name, default)


def _project(objects: Objects, whole: Values, found: Object | None) -> None:
    if not whole["scm_type"] and found is None:
        raise Refused(400, {"local_path": ["This path is already being used by another manual project."]})


def _job_template(objects: Objects, whole: Values, _found: Object | None) -> None:
    if whole.get("project") is None:
        raise Refused(400, {"project": ["This field may not be null."]})
    project = objects.get("projects", whole["project"])
    if whole["playbook"] not in project.values["playbooks"]:
        raise Refused(400, {"playbook": ["Playbook not found for project."]})
    if whole.get("inventory") is None and not whole["ask_inventory_on_launch"]:
        raise Refused(400, {"inventory": ["Either provide an inventory or check the option to prompt on launch."]})


def _source(objects: Objects, whole: Values, _found: Object | None) -> None:
    if whole["source"] == "scm" and whole.get("source_project") is None:
        raise Refused(400, {"source_project": ["Project required for scm type sources."]})


def _schedule(_objects: Objects, whole: Values, _found: Object | None) -> None:
    problems = []
    start = _START.match(whole["rrule"])
    if not start:
        problems.append("Valid DTSTART required in rrule. Value should start with: DTSTART:YYYYMMDDTHHMMSSZ")
        problems.append("rrule parsing failed validation: A valid TZID must be provided (e.g., America/New_York)")
    if "RRULE:" not in whole["rrule"]:
        problems.append("RRULE required in rrule.")
    elif "INTERVAL=" not in whole["rrule"]:
        problems.append("INTERVAL required in rrule.")
    if problems:
        raise Refused(400, {"rrule": problems})


_CHECKS: dict[str, t.Callable[[Objects, Values, Object | None], None]] = {
    "credential_input_sources": _input_source,
    "credentials": _credential,
    "inventory_sources": _source,
    "job_templates": _job_template,
    "notification_templates": _notification,
    "projects": _project,
    "schedules": _schedule,
}


def _kept(values: Values, found: Object | None) -> Values:
    """``$encrypted$`` in a change keeps the value."""
    if found is None:
        return values
    kept = {}
    for name in ("inputs", "notification_configuration"):
        if isinstance(values.get(name), dict):
            kept[name] = {key: found.values[name].get(key) if value == ENCRYPTED else value for key, value in values[name].items()}
    return {**values, **kept}
