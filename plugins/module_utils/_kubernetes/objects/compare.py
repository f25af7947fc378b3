# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The differences between an object and its declaration. No I/O.

Fields of other owners and fields that the API server added are ignored.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..client import Object
from .model import US

Path = tuple[str, ...]
_MISSING = object()


@dataclass(frozen=True)
class Difference:
    path: Path
    before: t.Any
    after: t.Any

    @property
    def field(self) -> str:
        return ".".join(self.path)


def differences(wanted: Object, live: Object) -> list[Difference]:
    """The fields that differ from the declaration, and the fields that we declared earlier but no longer do."""
    body = {name: value for name, value in wanted.items() if name not in ("apiVersion", "kind")}
    return [*_differing((), body, live), *_left(body, live)]


def _differing(path: Path, wanted: t.Any, live: t.Any) -> t.Iterator[Difference]:
    if isinstance(wanted, dict) and isinstance(live, dict):
        for name, value in wanted.items():
            yield from _differing((*path, str(name)), value, live.get(name, _MISSING))
    elif not _same(wanted, live):
        yield Difference(path, None if live is _MISSING else live, wanted)


def _same(wanted: t.Any, live: t.Any) -> bool:
    """Whether ``live`` has all of ``wanted``. Elements of lists may have more fields, which the API server added."""
    if isinstance(wanted, dict) and isinstance(live, dict):
        return all(_same(value, live.get(name, _MISSING)) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(live, list):
        return len(wanted) == len(live) and all(map(_same, wanted, live))
    if live is _MISSING:
        return wanted is None
    return bool(wanted == live)


def _left(wanted: Object, live: Object) -> t.Iterator[Difference]:
    for entry in (live.get("metadata") or {}).get("managedFields") or ():
        if entry.get("manager") != US or entry.get("operation") != "Apply" or entry.get("subresource"):
            continue
        for path in _owned((), entry.get("fieldsV1") or {}):
            there, ours = _at(live, path), _at(wanted, path)
            if ours is _MISSING and there is not _MISSING:
                yield Difference(path, there, None)
            elif isinstance(there, dict) and isinstance(ours, dict) and ours:  # an atomic map: it is owned as one field
                yield from (Difference((*path, name), there[name], None) for name in there if name not in ours)


def _owned(path: Path, fields: Object) -> t.Iterator[Path]:
    """The paths of a field set. A path consists of names only, so a list counts as one field."""
    inner = {name[2:]: value for name, value in fields.items() if name.startswith("f:")}
    if not inner:
        yield path
    for name, value in inner.items():
        yield from _owned((*path, name), value)


def _at(there: t.Any, path: Path) -> t.Any:
    for name in path:
        if not isinstance(there, dict) or name not in there:
            return _MISSING
        there = there[name]
    return there
