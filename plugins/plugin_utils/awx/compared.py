# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a wanted object of AWX is compared with the one found. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import LARGEST_TEXT, NotYaml, document

from .objects import KINDS, SECRET, Object

NOT_SHOWN = "(not shown)"
WITH_DEFAULTS = ("notification_configuration",)
"""Fields whose values AWX completes with defaults."""
NAMED_BY_SCOPE = ("credential_input_source", "role")
"""Kinds without a name in AWX. Ours begins with the name of the object that they belong to."""


def differences(wanted: Object, found: Object, kept: t.Container[str]) -> list[str]:
    """The fields that differ, and those with secrets that are written again.

    :param kept: the names of secrets that are not written.
    """
    hidden = KINDS[wanted.kind].hidden
    rewritten = [name for name in hidden for each in secrets(wanted, found) if each not in kept]
    different = [name for name, value in wanted.fields.items() if not _equal(name, value, found.fields.get(name))]
    return list(dict.fromkeys((*different, *rewritten)))


def secrets(wanted: Object, found: Object) -> tuple[str, ...]:
    """The names of wanted values that AWX has but does not return."""
    pairs = [(wanted.values.get(name) or {}, found.values.get(name) or {}) for name in KINDS[wanted.kind].hidden]
    return tuple(name for ours, theirs in pairs for name in ours if theirs.get(name) == SECRET)


def shown(each: Object, fields: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Fields for a diff, without the values that can be secrets."""
    hidden = KINDS[each.kind].hidden
    return {name: dict.fromkeys(value or (), NOT_SHOWN) if name in hidden else value for name, value in fields.items()}


def as_if_renamed(found: t.Sequence[Object], names: t.Mapping[str, str]) -> list[Object]:
    """The objects with their present names, and with references to objects as if these were already renamed."""
    return [_referring(each, names) for each in found] if names else list(found)


def _referring(each: Object, names: t.Mapping[str, str]) -> Object:
    refers = {name: names.get(value or "", value) for name, value in each.refers.items()}
    lists = {field: tuple(names.get(name, name) for name in values) for field, values in each.lists.items()}
    own = each.name
    if each.kind in NAMED_BY_SCOPE:
        scope, _colon, rest = own.partition(": ")
        own = f"{names.get(scope, scope)}: {rest}"
    return dataclasses.replace(each, name=own, refers=refers, lists=lists)


def _equal(name: str, wanted: t.Any, found: t.Any) -> bool:
    if isinstance(wanted, dict):
        theirs = found if isinstance(found, dict) else _read(found)
        return isinstance(theirs, dict) and _equal_dictionaries(wanted, theirs, only_wanted=name in WITH_DEFAULTS)
    return bool(wanted == found) or (wanted in ("", None) and found in ("", None))


def _equal_dictionaries(wanted: dict[str, t.Any], found: dict[str, t.Any], *, only_wanted: bool) -> bool:
    """Equal, as far as AWX returns the values."""
    names = wanted.keys() == found.keys() or (only_wanted and wanted.keys() <= found.keys())
    return names and all(found[name] in (SECRET, value) for name, value in wanted.items())


def _read(text: t.Any) -> t.Any:
    """AWX returns variables as a text with JSON, or with the YAML that a person entered."""
    try:
        return document(str(text or ""), largest=LARGEST_TEXT) or {}
    except NotYaml:
        return text
