# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of requests, without their secrets."""

from __future__ import annotations

import dataclasses
import json
import typing as t

from . import surveys
from .objects import ENCRYPTED, Objects

ALWAYS_SECRET = ("password", "token")


@dataclasses.dataclass
class Call:
    method: str
    path: str
    """After ``/api/v2/``, with the query."""
    body: t.Any
    user: str = ""
    status: int = 0
    """0 if there was no reply."""
    fault: str = ""
    problems: list[str] = dataclasses.field(default_factory=list)
    """What AWX ignored without an error."""

    @property
    def is_change(self) -> bool:
        return self.method != "GET" and not self.path.startswith("tokens/")

    def shown(self) -> dict[str, t.Any]:
        return {**dataclasses.asdict(self), "changing": self.is_change}


def without_secrets(objects: Objects, body: t.Any) -> t.Any:
    """A copy of a body whose secrets are replaced as in AWX's answers."""
    names = {*ALWAYS_SECRET}
    for each in objects.by_kind["credential_types"].values():
        names |= {one["id"] for one in each.values["inputs"].get("fields", []) if one.get("secret")}
    for each in [*objects.by_kind["job_templates"].values(), *objects.by_kind["workflow_job_templates"].values()]:
        names |= surveys.passwords(each)
    return _replaced(body, names)


def _replaced(value: t.Any, names: t.Container[str]) -> t.Any:
    if isinstance(value, dict):
        return {
            name: ENCRYPTED if name in names and isinstance(each, str) else _replaced(each, names) for name, each in value.items()
        }
    if isinstance(value, list):
        return [_replaced(each, names) for each in value]
    if isinstance(value, str) and value[:1] == "{":
        try:
            return json.dumps(_replaced(json.loads(value), names))
        except ValueError:
            return value
    return value
