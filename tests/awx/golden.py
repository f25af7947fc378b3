# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests of a run, compared with a file: method, path and body, without secrets, and with names in place of ids.

``AWX_GOLDEN=record make awx TESTS=tests/awx/test_fleet.py`` writes the file again. Read its diff before the commit.
"""

from __future__ import annotations

import difflib
import json
import os
import typing as t
import urllib.parse
from pathlib import Path

from lab.awx.below import ASSOCIATED
from lab.awx.calls import Call
from lab.awx.kinds import REFERENCES, TOGETHER
from lab.awx.objects import Object, Objects

FOLDER = Path(__file__).with_name("golden")
RECORD = "AWX_GOLDEN"
LEFT_OUT = "question_description"
"""The field of surveys with the documentation of variables."""
OWN_IDS = ("or__id", "or__name")
"""Parts of a query with the id of an object in the list."""
Request = dict[str, t.Any]


def assert_recorded(name: str, requests: t.Sequence[Request]) -> None:
    """Fail with the difference to the file, or write it if the environment variable orders that."""
    path = FOLDER / name
    if os.environ.get(RECORD) == "record":
        path.write_text("".join(f"{json.dumps(each)}\n" for each in requests))
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    lines = difflib.unified_diff(_lines(recorded), _lines(requests), f"tests/awx/golden/{name}", "this run", lineterm="", n=6)
    difference = "\n".join(lines)
    assert not difference, f"The requests to AWX differ. If that is right: {RECORD}=record make awx TESTS=tests/awx/test_fleet.py\n{difference}"


def requests(calls: t.Iterable[Call], objects: Objects) -> list[Request]:
    """The requests of a log, without repetitions of a GET that waits. The objects must still exist."""
    found: list[Request] = []
    for call in calls:
        path, body = _path(call.path, objects), _body(call, objects)
        request: Request = {"method": call.method, "path": path, **({} if body is None else {"body": body})}
        if call.method != "GET" or request not in found[-1:]:
            found.append(request)
    return found


def _path(path: str, objects: Objects) -> str:
    where, mark, query = path.partition("?")
    plural, *rest = where.split("/")
    if rest[0].isdigit():
        rest[0] = _name(objects.by_kind[plural][int(rest[0])])
    words = []
    for name, value in urllib.parse.parse_qsl(query):
        is_own = name in OWN_IDS and value.isdigit()
        words.append(f"{name}={_of_kind(objects, plural, value) if is_own else _referred(objects, name, value)}")
    return "/".join([plural, *rest]) + mark + "&".join(words)


def _body(call: Call, objects: Objects) -> t.Any:
    if not isinstance(call.body, dict):
        return call.body
    below = call.path.rstrip("/").rpartition("/")[2]
    body = {name: _referred(objects, name, value) for name, value in call.body.items()}
    if below == "survey_spec":
        body["spec"] = [{name: value for name, value in each.items() if name != LEFT_OUT} for each in body["spec"]]
    return {**body, "id": _of_kind(objects, ASSOCIATED[below], body["id"])} if "id" in body and below in ASSOCIATED else body


def _referred(objects: Objects, name: str, value: t.Any) -> t.Any:
    """The name of the object that a field refers to, for example ``organization=2``."""
    return _of_kind(objects, REFERENCES[name], value) if name in REFERENCES and str(value).isdigit() else value


def _of_kind(objects: Objects, plural: str, number: t.Any) -> str:
    ones = objects.together(plural) if plural in TOGETHER else objects.by_kind[plural].values()
    return next(_name(each) for each in ones if each.id == int(number))


def _name(found: Object) -> str:
    if found.kind.plural == "roles":
        owner = found.values["object"]
        return f"{{{found.values['name']} of {owner.kind.name} {owner.values['name']}}}"
    return f"{{{found.values.get('identifier') or found.values.get('name')}}}"


def _lines(requests: t.Iterable[Request]) -> list[str]:
    """One line for each field, for a readable difference."""
    return [line for each in requests for line in f"{each['method']} {each['path']} {_shown(each.get('body'))}".rstrip().split("\n")]


def _shown(body: t.Any) -> str:
    return "" if body is None else json.dumps(body, indent=2)
