# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects, their ids, roles and associations. No HTTP."""

from __future__ import annotations

import collections
import datetime
import typing as t
from dataclasses import dataclass, field

from .kinds import JOBS, OWNER, REFERENCES, TOGETHER, Kind, kinds

ENCRYPTED = "$encrypted$"
ACTIVE = ("new", "pending", "waiting", "running")
"""The statuses of jobs that have not ended."""
ROLES = {
    "credentials": ("Admin", "Use", "Read"),
    "instance_groups": ("Admin", "Use", "Read"),
    "inventories": ("Admin", "Update", "Ad Hoc", "Use", "Read"),
    "job_templates": ("Admin", "Execute", "Read"),
    "organizations": (
        *("Admin", "Execute", "Project Admin", "Inventory Admin", "Credential Admin", "Workflow Admin", "Notification Admin"),
        *("Job Template Admin", "Execution Environment Admin", "Auditor", "Member", "Read", "Approve"),
    ),
    "projects": ("Admin", "Use", "Update", "Read"),
    "teams": ("Admin", "Member", "Read"),
    "workflow_job_templates": ("Admin", "Execute", "Read", "Approve"),
}
"""The roles that an object of each kind has."""
UPDATES = {"projects": ("project_updates", "project"), "inventory_sources": ("inventory_updates", "inventory_source")}
"""The updates of a kind, and their field with the object."""
_CASCADES = frozenset(OWNER) - frozenset(JOBS)
_SEQUENCES = {plural: name for name, together in TOGETHER.items() for plural in together}
Values = dict[str, t.Any]


@dataclass(eq=False)
class Object:
    kind: Kind
    id: int
    values: Values
    secret: frozenset[str] = frozenset()
    """Names of inputs that answers show as ``$encrypted$``."""
    related: dict[str, list[Object]] = field(default_factory=lambda: collections.defaultdict(list))
    """Associated objects by the name of the association, in the order of their addition."""
    survey: Values = field(default_factory=dict)
    hidden: int = 0
    """The number of further lists that lack the object."""

    @property
    def url(self) -> str:
        return f"/api/v2/{self.kind.plural}/{self.id}/"

    @property
    def is_active(self) -> bool:
        """Whether this is a job that has not ended."""
        return self.kind.plural in JOBS and self.values.get("status") in ACTIVE


class Refused(Exception):
    """The answer to a request that AWX refuses."""

    def __init__(self, status: int, answer: t.Any) -> None:
        super().__init__(status, answer)
        self.status, self.answer = status, answer


class Objects:
    """All objects of one AWX."""

    def __init__(self) -> None:
        self.by_kind: dict[str, dict[int, Object]] = {name: {} for name in kinds()}
        self._last: collections.Counter[str] = collections.Counter()
        self.problems: list[str] = []
        """What AWX ignores without an error, such as fields that a kind does not have. Tests must look for them."""

    def add(self, plural: str, values: Values, secret: t.Iterable[str] = ()) -> Object:
        """Store a valid object, with its roles."""
        sequence = _SEQUENCES.get(plural, plural)
        self._last[sequence] += 1
        times = {"created": now(), "modified": now()}
        made = Object(kinds()[plural], self._last[sequence], {**values, **times}, frozenset(secret))
        self.by_kind[plural][made.id] = made
        for name in ROLES.get(plural, ()):
            role = self.add("roles", {"name": name, "description": "", "object": made})
            made.related["object_roles"].append(role)
        return made

    def change(self, found: Object, values: Values) -> None:
        found.values |= {**values, "modified": now()}

    def remove(self, found: Object) -> None:
        """Remove an object and those that it owns. Other objects lose their references to it."""
        self.by_kind[found.kind.plural].pop(found.id, None)
        for role in found.related["object_roles"]:
            self.by_kind["roles"].pop(role.id, None)
        for each in self.all():
            for associated in each.related.values():
                associated[:] = [one for one in associated if one is not found]
            for name in self.references(each, found):
                if each.kind.plural in _CASCADES and OWNER[each.kind.plural] == name:
                    self.remove(each)
                else:
                    each.values[name] = None

    def all(self) -> list[Object]:
        return [each for objects in self.by_kind.values() for each in objects.values()]

    def get(self, plural: str, number: t.Any) -> Object:
        """:raises Refused: if there is no such object."""
        wanted = int(number) if str(number).isdigit() else -1
        found = self.by_kind.get(plural, {}).get(wanted)
        if found is None:
            raise Refused(404, {"detail": f"No {kinds()[plural].title if plural in kinds() else plural} matches the given query."})
        return found

    def together(self, name: str) -> list[Object]:
        """The objects of all kinds that AWX lists together."""
        return [each for plural in TOGETHER[name] for each in self.by_kind[plural].values()]

    def referred(self, name: str, number: t.Any) -> Object | None:
        """The object that a field of type ``id`` refers to."""
        if not isinstance(number, int):
            return None
        plural = REFERENCES[name]
        if plural in TOGETHER:
            return next((each for each in self.together(plural) if each.id == number), None)
        return self.by_kind[plural].get(number)

    def owner(self, found: Object) -> Object | None:
        """The object that an object belongs to: a role's object, a job's template, in the end the organization."""
        if found.kind.plural == "roles":
            return found.values["object"]
        for name in (OWNER.get(found.kind.plural, ""), "organization"):
            owner = self.referred(name, found.values.get(name)) if name else None
            if owner is not None:
                return owner
        if found.kind.plural == "workflow_approval_templates":
            nodes = self.by_kind["workflow_job_template_nodes"].values()
            return next((each for each in nodes if each.values.get("unified_job_template") == found.id), None)
        return None

    def references(self, each: Object, found: Object) -> list[str]:
        """The fields of ``each`` that refer to ``found``."""
        plurals = (found.kind.plural, _SEQUENCES.get(found.kind.plural))
        names = [name for name, plural in REFERENCES.items() if plural in plurals]
        return [name for name in names if each.values.get(name) == found.id and name in {*each.kind.shown, *each.kind.writable}]

    def users_of(self, found: Object) -> list[Object]:
        """The objects that refer to an object."""
        return [each for each in self.all() if self.references(each, found)]

    def active_jobs(self, found: Object) -> list[Object]:
        """The jobs that have not ended, and use an object or what belongs to it."""
        seen: dict[int, Object] = {}
        waiting = [found]
        while waiting:
            each = waiting.pop()
            if id(each) not in seen:
                seen[id(each)] = each
                waiting += self.users_of(each) if each.kind.plural not in JOBS else []
        return [each for each in seen.values() if each.is_active]

    def updates_of(self, found: Object) -> list[Object]:
        """The project or inventory updates of an object, the latest last."""
        plural, name = UPDATES.get(found.kind.plural, ("", ""))
        return [each for each in self.by_kind.get(plural, {}).values() if each.values[name] == found.id]


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
