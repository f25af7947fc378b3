# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists in pages, with AWX's filters: those that awx.awx uses, and the common comparisons of single fields."""

from __future__ import annotations

import typing as t
import urllib.parse

from .answers import shown
from .kinds import REFERENCES, Kind
from .objects import Object, Objects, Refused, Values

PAGE, LARGEST_PAGE = 25, 200
Query = t.Sequence[tuple[str, str]]
_CONTROLS = ("page", "page_size", "order_by")
_COMPARISONS: dict[str, t.Callable[[str, str], bool]] = {
    "contains": lambda own, value: value in own,
    "endswith": lambda own, value: own.endswith(value),
    "exact": lambda own, value: own == value,
    "icontains": lambda own, value: value.lower() in own.lower(),
    "iexact": lambda own, value: own.lower() == value.lower(),
    "in": lambda own, value: own in value.split(","),
    "startswith": lambda own, value: own.startswith(value),
}


def page(objects: Objects, found: t.Sequence[Object], kind: Kind, query: Query, path: str) -> Values:
    """The page of a list that a query selects.

    :raises Refused: for a field that the kind does not have, or a page that does not exist.
    """
    controls = {name: value for name, value in query if name in _CONTROLS}
    chosen = [each for each in _listed(found) if _matches(objects, each, kind, [pair for pair in query if pair[0] not in _CONTROLS])]
    if "order_by" in controls:
        name = controls["order_by"].removeprefix("-")
        chosen.sort(key=lambda each: (str(each.values.get(name, "")), each.id), reverse=controls["order_by"].startswith("-"))
    size = min(int(controls.get("page_size", PAGE)), LARGEST_PAGE)
    number = int(controls.get("page", 1))
    if number > 1 and (number - 1) * size >= len(chosen):
        raise Refused(404, {"detail": "Invalid page."})
    results = [shown(objects, each) for each in chosen[(number - 1) * size : number * size]]
    following = _other_page(path, query, number + 1) if len(chosen) > number * size else None
    preceding = _other_page(path, query, number - 1) if number > 1 else None
    return {"count": len(chosen), "next": following, "previous": preceding, "results": results}


def _listed(found: t.Sequence[Object]) -> list[Object]:
    """Without new objects that lists do not have yet."""
    hidden = [each for each in found if each.hidden]
    for each in hidden:
        each.hidden -= 1
    return [each for each in found if each not in hidden]


def _other_page(path: str, query: Query, number: int) -> str:
    pairs = [pair for pair in query if pair[0] != "page"]
    return f"{path}?{urllib.parse.urlencode([*pairs, ('page', number)])}"


def _matches(objects: Objects, found: Object, kind: Kind, wanted: Query) -> bool:
    """Whether an object has all wanted values, and one of those with the prefix ``or__``."""
    alternatives = [_has(objects, found, kind, name[4:], value) for name, value in wanted if name.startswith("or__")]
    needed = [_has(objects, found, kind, name, value) for name, value in wanted if not name.startswith("or__")]
    return all(needed) and (not alternatives or any(alternatives))


def _has(objects: Objects, found: Object, kind: Kind, name: str, value: str) -> bool:
    if name.startswith("not__"):
        return not _has(objects, found, kind, name[5:], value)
    first, _mark, rest = name.partition("__")
    if first not in kind.shown:
        raise Refused(400, {"detail": f"{kind.title} has no field named '{first}'"})
    own = found.id if first == "id" else found.values.get(first, kind.shown[first])
    if rest == "isnull":
        return (own is None) == (value.lower() in ("true", "1"))
    if not rest or rest in _COMPARISONS:
        return _COMPARISONS[rest or "exact"](_text(own), value.lower() if isinstance(own, bool) else value)
    if first not in REFERENCES:
        raise Refused(400, {"detail": f"Unsupported lookup '{rest}' for field '{first}'"})
    other = objects.referred(first, own)
    return other is not None and _has(objects, other, other.kind, rest, value)


def _text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
