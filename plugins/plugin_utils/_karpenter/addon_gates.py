# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets Kueue's feature gates in the settings of its add-on, if the add-on's schema supports them.

AWS documents no setting for feature gates. This code searches the schema for ``featureGates``, the name of the setting in Kueue's
chart and configuration. The setting may be a mapping, a list of names with ``enabled``, or a text as in the options of Kubernetes
programs.
"""

from __future__ import annotations

import copy
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.schema import problem

SETTING = "featureGates"
DEEPEST = 20
"""The maximum depth, for schemas that refer to themselves."""

Path = tuple[str, ...]
Settings = dict[str, t.Any]


def with_gates(schema: t.Any, have: t.Mapping[str, t.Any], gates: t.Mapping[str, bool]) -> Settings | None:
    """The settings ``have`` with these gates; None if the add-on does not support them."""
    found = _place(schema, schema)
    if found is None:
        return None
    path, kind = found
    settings = copy.deepcopy(dict(have))
    inner = settings
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
        if not isinstance(inner, dict):
            return None
    inner[path[-1]] = KINDS[kind](inner.get(path[-1]), gates)
    return settings if problem(schema, settings, path="configuration") is None else None


def _place(root: t.Any, schema: t.Any, path: Path = ()) -> tuple[Path, str] | None:
    """The path and the type of the topmost setting ``featureGates``."""
    schema = _meant(root, schema)
    if len(path) > DEEPEST or not isinstance(schema, dict):
        return None
    known = schema.get("properties") or {}
    if SETTING in known:
        kind = (_meant(root, known[SETTING]) or {}).get("type")
        return ((*path, SETTING), kind) if kind in KINDS else None
    places = (_place(root, part, (*path, name)) for name, part in sorted(known.items()))
    return next((place for place in places if place is not None), None)


def _meant(root: t.Any, schema: t.Any) -> t.Any:
    """The schema, or the schema in the same document to which its ``$ref`` points; None if that does not exist."""
    for _step in range(DEEPEST):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for part in filter(None, reference.lstrip("#").split("/")):
            schema = schema.get(part) if isinstance(schema, dict) else None
    return None


def _mapping(have: t.Any, gates: t.Mapping[str, bool]) -> Settings:
    return {**(have if isinstance(have, dict) else {}), **gates}


def _listed(have: t.Any, gates: t.Mapping[str, bool]) -> list[Settings]:
    entries = [each for each in have if isinstance(each, dict)] if isinstance(have, list) else []
    others = [each for each in entries if each.get("name") not in gates]
    return [*others, *({"name": name, "enabled": on} for name, on in gates.items())]


def _text(have: t.Any, gates: t.Mapping[str, bool]) -> str:
    entries = [each.partition("=") for each in have.split(",") if each] if isinstance(have, str) else []
    others = {name: value for name, _equals, value in entries if name not in gates}
    wanted = {name: str(on).lower() for name, on in gates.items()}
    return ",".join(f"{name}={value}" for name, value in {**others, **wanted}.items())


KINDS: dict[str, t.Callable[[t.Any, t.Mapping[str, bool]], t.Any]] = {"object": _mapping, "array": _listed, "string": _text}
"""Functions that merge gates into the existing gates, keyed by type of the setting."""
