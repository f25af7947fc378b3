# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests that AWX answers, from their method and path to objects. No HTTP."""

from __future__ import annotations

import secrets
import typing as t
import urllib.parse

from . import managed
from .answers import shown
from .below import below
from .checks import checked, record_read_only, secrets_of
from .kinds import NO_LIST, OWNER, TOGETHER, Kind, kinds
from .launches import update
from .lists import Query, page
from .objects import Object, Objects, Refused, Values
from .permissions import Access

Answer = tuple[int, t.Any]
ROOT = "/api/v2/"
NOT_FOUND = {"detail": "The requested resource could not be found."}
IN_USE = ("credential_types",)
"""Kinds whose objects AWX removes only if nothing refers to them."""
SYNCED = ("scm_type", "scm_url", "scm_branch", "scm_refspec")
"""A change of these fields of a project starts an update."""
_TOGETHER_SHOWN = dict.fromkeys(("description", "id", "name", "organization", "status", "type"))


class Awx:
    """One AWX. Its projects and jobs stay pending until :class:`jobs.Jobs` continues them."""

    def __init__(self, password: str = "password") -> None:
        self.objects = Objects()
        managed.add_to(self.objects, password)
        self.admin = next(iter(self.objects.by_kind["users"].values()))

    def call(self, method: str, path: str, body: t.Any = None, user: Object | None = None) -> Answer:
        """The status and the answer; paths begin after ``/api/v2/``. Without a user, the administrator's request."""
        before, _mark, query = path.partition("?")
        parts = [part for part in before.split("/") if part]
        try:
            return _Request(self.objects, user or self.admin, urllib.parse.parse_qsl(query)).answer(method, parts, body)
        except Refused as refused:
            return refused.status, refused.answer


class _Request:
    """One request of a user."""

    def __init__(self, objects: Objects, user: Object, query: Query) -> None:
        self.objects, self.user, self.query = objects, user, query
        self.access = Access(objects, user)

    def answer(self, method: str, parts: t.Sequence[str], body: t.Any) -> Answer:
        plural, *rest = parts or ("",)
        if plural in TOGETHER and not rest and method == "GET":
            kind = Kind(plural, {}, _TOGETHER_SHOWN)
            return 200, self._page(self.objects.together(plural), kind)
        if plural not in self.objects.by_kind or (plural in NO_LIST and not rest):
            self.objects.problems.append(f"{method} {'/'.join(parts)}/: unknown path")
            raise Refused(404, NOT_FOUND)
        if not rest:
            return self._list(method, kinds()[plural], body)
        found = self.objects.get(plural, rest[0])
        if len(rest) == 1:
            return self._one(method, found, body)
        return below(self.objects, self.access, method, found, "/".join(rest[1:]), self.query, body)

    def _page(self, found: t.Sequence[Object], kind: Kind) -> Values:
        return page(self.objects, self.access.readable(found), kind, self.query, f"{ROOT}{kind.plural}/")

    def _list(self, method: str, kind: Kind, body: t.Any) -> Answer:
        if method == "POST" and kind.writable:
            self._require_creation(kind, body or {})
            made = create(self.objects, kind, body or {}, self.user)
            answer = shown(self.objects, made)
            record_read_only(self.objects, kind, body or {}, answer)
            return 201, answer | ({"token": made.values["token"]} if kind.plural == "tokens" else {})
        if method != "GET":
            raise Refused(405, {"detail": f'Method "{method}" not allowed.'})
        return 200, self._page(list(self.objects.by_kind[kind.plural].values()), kind)

    def _require_creation(self, kind: Kind, body: Values) -> None:
        """Whoever may change the owner of a new object may create it."""
        if self.access.is_superuser or kind.plural == "tokens":
            return None
        name = "project" if kind.plural == "job_templates" else OWNER.get(kind.plural, "organization")
        owner = self.objects.referred(name, body.get(name))
        if kind.plural == "job_templates" and owner is not None:
            self.access.require("use", owner)
            owner = self.objects.owner(owner)
        if owner is None:
            return self.access.require_superuser()
        self.access.require("change", owner)
        return self.access.require_use(body)

    def _one(self, method: str, found: Object, body: t.Any) -> Answer:
        self.access.require("read" if method == "GET" else "change", found)
        if method in ("PATCH", "PUT"):
            self.access.require_use(body or {})
            values = checked(self.objects, found.kind, body or {}, found)
            moved = [name for name in SYNCED if name in values and values[name] != found.values.get(name)]
            self.objects.change(found, values)
            if found.kind.plural == "projects" and moved:
                update(self.objects, found, self.user)
            record_read_only(self.objects, found.kind, body or {}, shown(self.objects, found))
        elif method == "DELETE":
            self._delete(found)
            return 204, None
        elif method != "GET":
            raise Refused(405, {"detail": f'Method "{method}" not allowed.'})
        return 200, shown(self.objects, found)

    def _delete(self, found: Object) -> None:
        if found.kind.plural in IN_USE and self.objects.users_of(found):
            raise Refused(403, {"detail": f"{found.kind.title.capitalize()}s that are in use cannot be deleted"})
        active = self.objects.active_jobs(found)
        if active:
            jobs = [{"id": each.id, "type": each.kind.name} for each in active]
            raise Refused(409, {"error": "Resource is being used by running jobs.", "active_jobs": jobs})
        self.objects.remove(found)


def create(objects: Objects, kind: Kind, body: Values, user: Object) -> Object:
    values = checked(objects, kind, body)
    if kind.plural == "tokens":
        values |= {"user": user.id, "token": secrets.token_hex(16)}
    if kind.plural == "job_templates":
        values["organization"] = objects.get("projects", values["project"]).values["organization"]
    if kind.plural == "inventory_sources":
        values["status"] = "never updated"
    if kind.plural == "projects":
        values |= {"status": "", "scm_revision": "", "playbooks": []}
    made = objects.add(kind.plural, values, secrets_of(objects, kind, values))
    if kind.plural == "projects" and values["scm_type"]:
        update(objects, made, user)
    return made
