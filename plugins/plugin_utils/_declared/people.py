# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks declared users and groups. Each problem names the user or group, the entry and the field."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import options as account_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import authorized_keys, user_key
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import GROUP_SPEC, KEY_SPEC, SPEC, USER_SPEC
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import VARIABLE, plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import nearest

from .shapes import kind_of, shape_problem

Entries = t.Any
"""The declared users or groups. A valid value is a list of mappings, but an invalid one may have any type."""
_INTERNAL_FIELDS = ("former_uids", "source")
"""Fields that the collection sets."""


@dataclass(frozen=True)
class Form:
    """The form of a user's or a group's entry."""

    kind: str
    fields: t.Mapping[str, t.Mapping[str, t.Any]]
    example: str


USERS = Form("user", USER_SPEC, "{name: alice, uid: 20001}")
GROUPS = Form("group", GROUP_SPEC, "{name: research, gid: 30001}")
FORMS = {"users": USERS, "groups": GROUPS}


def account_problems(options: t.Mapping[str, t.Any], names: t.Mapping[str, str]) -> list[str]:
    """Refusals of the module ``mlfleet.hyperpod.accounts`` that do not depend on a node.

    ``names``: the variables of ``users`` and ``groups``, for the messages.
    """
    given = plain(options)
    checked = ArgumentSpecValidator(SPEC).validate(given)
    shapes: list[str] = []
    if checked.error_messages:
        for option, form in FORMS.items():
            if option in given:
                shapes += shape_problems(names.get(option, option), given[option], form)
                given[option] = [entry for entry in _listed(given[option]) if not _entry_problems("", entry, form)]
        checked = ArgumentSpecValidator(SPEC).validate(given)
        if checked.error_messages:
            return shapes or list(checked.error_messages)
    return shapes + [_named(sentence, names) for sentence in account_options.desired(checked.validated_parameters).problems]


def shape_problems(name: str, entries: Entries, form: Form) -> list[str]:
    """The problems that Ansible would report without naming the entry."""
    if entries is None:
        return []
    if not isinstance(entries, (list, tuple)):
        allowed = f"a list, with an entry such as - {form.example} for each {form.kind}"
        return [refusal_text(name, kind_of(entries), allowed)]
    return [
        sentence
        for index, entry in enumerate(entries)
        for sentence in _entry_problems(_label(name, entry, index), entry, form)
    ]


def notes(people: t.Sequence[t.Any], *, names: t.Mapping[str, str], now: int) -> list[str]:
    """Notes about valid declarations with which some or all users cannot log in."""
    staying = [user for user in people if isinstance(user, t.Mapping) and user.get("state", "present") != "absent"]
    if not staying:
        return [f"{VARIABLE}: no users are declared, so no accounts are created."]
    return [sentence for user in staying for sentence in _expired(user, names["users"], now)]


def _expired(user: t.Mapping[str, t.Any], name: str, now: int) -> list[str]:
    keys = user.get("authorized_keys")
    if not keys:
        return []
    ends = [str(key.get("expires") or "") for key in keys]
    if not all(ends):
        return []
    last = max(map(authorized_keys.parse_expires, ends))
    if last > now:
        return []
    expired = "the only key expired on" if len(ends) == 1 else f"all {len(ends)} keys expired, the last on"
    return [f"{name}[{user['name']}]: {expired} {iso_epoch(last)}; no declared key is valid."]


def _listed(entries: Entries) -> t.Sequence[t.Any]:
    return entries if isinstance(entries, (list, tuple)) else []


def _label(name: str, entry: t.Any, index: int) -> str:
    named = entry.get("name") if isinstance(entry, t.Mapping) else None
    return f"{name}[{printable(named)[:40]}]" if isinstance(named, str) and named else f"{name}[{index}]"


def _entry_problems(label: str, entry: t.Any, form: Form) -> list[str]:
    if not isinstance(entry, t.Mapping):
        return [refusal_text(label, kind_of(entry), f"a mapping, as in {form.example}")]
    sentences = [] if entry.get("name") is not None else [f"{label}.name: missing; each {form.kind} must have a name."]
    for field, value in entry.items():
        if field not in form.fields:
            sentences.append(_unknown(label, str(field), form))
        elif field == "authorized_keys":
            sentences += _key_problems(f"{label}.{field}", value)
        else:
            sentences.append(shape_problem(f"{label}.{field}", value, form.fields[field]))
    return [sentence for sentence in sentences if sentence]


def _unknown(label: str, field: str, form: Form) -> str:
    fields = sorted(each for each in form.fields if each not in _INTERNAL_FIELDS)
    return refusal_text(label, _field(field), ", ".join(fields), _suggestion(field, fields, form))


def _suggestion(field: str, fields: t.Sequence[str], form: Form) -> str:
    """A suggestion for an unknown field; empty without one."""
    near = nearest(field, fields)
    if near:
        return f"the nearest field of a {form.kind} is {near}"
    of_key = nearest(field, KEY_SPEC, likeness=0.8) if form is USERS else None
    return f"{of_key} is a field of a key in authorized_keys" if of_key else ""


def _field(name: t.Any) -> str:
    return f"the field {printable(name)[:40]}"


def _key_problems(label: str, keys: t.Any) -> list[str]:
    if keys is None:
        return []
    if not isinstance(keys, (list, tuple)):
        return [refusal_text(label, kind_of(keys), f"a list, as in [{_as_entry(keys)}]")]
    sentences = []
    for index, key in enumerate(keys):
        if not isinstance(key, t.Mapping):
            sentences.append(refusal_text(f"{label}[{index}]", kind_of(key), _as_entry(key)))
            continue
        sentences += [
            refusal_text(f"{label}[{index}]", _field(field), ", ".join(KEY_SPEC)) for field in key if field not in KEY_SPEC
        ]
        if key.get("key") is None:
            sentences.append(f"{label}[{index}].key: missing; set it to the line of the .pub file.")
        sentences += [
            shape_problem(f"{label}[{index}].{field}", key[field], spec)
            for field, spec in KEY_SPEC.items()
            if field in key
        ]
    return [sentence for sentence in sentences if sentence]


def _as_entry(text: t.Any) -> str:
    """The correct form of a key that was declared as a text. The text is not shown, because it may be a private key."""
    kind = text.split(None, 1)[0] if isinstance(text, str) and text.split() else ""
    return f'{{key: "{kind} …"}}' if kind in user_key.ALGORITHMS else '{key: "ssh-ed25519 …"}'


def _named(sentence: str, names: t.Mapping[str, str]) -> str:
    return re.sub(r"^(users|groups)(?=\[)", lambda found: names.get(found[1], found[1]), sentence)
