# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths below an object: its lists and associations, its survey, its launch, and the output and end of its jobs."""

from __future__ import annotations

import typing as t

from . import surveys
from .answers import EDGES, shown
from .checks import checked
from .kinds import BELOW, kinds
from .launches import launch, launch_info, update
from .lists import Query, page
from .objects import Object, Objects, Refused, Values, now
from .permissions import Access

Answer = tuple[int, t.Any]
OWNED = {
    "input_sources": ("credential_input_sources", "target_credential"),
    "inventory_sources": ("inventory_sources", "inventory"),
    "schedules": ("schedules", "unified_job_template"),
    "workflow_nodes": ("workflow_job_template_nodes", "workflow_job_template"),
}
"""Lists below an object that create objects: their kind, and the field with the object."""
NOTIFIED = ("notification_templates_started", "notification_templates_success", "notification_templates_error")
ASSOCIATED = {
    **dict.fromkeys((*NOTIFIED, "notification_templates_approvals"), "notification_templates"),
    **dict.fromkeys(EDGES, "workflow_job_template_nodes"),
    "credentials": "credentials",
    "galaxy_credentials": "credentials",
    "labels": "labels",
    "instance_groups": "instance_groups",
    "users": "users",
    "admins": "users",
    "teams": "teams",
    "roles": "roles",
    "object_roles": "roles",
}
"""Lists below an object that associate existing objects, and the kind of these."""
NOT_FOUND = {"detail": "The requested resource could not be found."}


class Text(str):
    """An answer that is plain text, not JSON."""


def below(objects: Objects, access: Access, method: str, found: Object, name: str, query: Query, body: t.Any) -> Answer:
    """Answer a request to a path below an object.

    :raises Refused: if the object does not have the path, or the user lacks the right.
    """
    if name not in BELOW.get(found.kind.plural, ()):
        objects.problems.append(f"{method} {found.url}{name}/: unknown path")
        raise Refused(404, NOT_FOUND)
    own = _OWN.get((method, name))
    if own is not None:
        action, answer = own
        if name in ("approve", "deny") and not access.may(action, found):
            raise Refused(403, {"detail": "User does not have permission to approve or deny this workflow."})
        access.require(action, found)
        return answer(objects, access, found, body or {})
    access.require("read" if method == "GET" else "change", found)
    if found.kind.plural == "workflow_jobs" and name == "workflow_nodes":
        nodes = [each for each in objects.by_kind["workflow_job_nodes"].values() if each.values["workflow_job"] == found.id]
        return 200, page(objects, nodes, kinds()["workflow_job_nodes"], query, f"{found.url}{name}/")
    if method not in ("GET", "POST") or (name not in OWNED and name not in ASSOCIATED):
        raise Refused(405, {"detail": f'Method "{method}" not allowed.'})
    if name in OWNED:
        plural, owner = OWNED[name]
        if method == "POST":
            return 201, shown(objects, _add(objects, plural, {**(body or {}), owner: found.id}))
        mine = [each for each in objects.by_kind[plural].values() if each.values.get(owner) == found.id]
        return 200, page(objects, access.readable(mine), kinds()[plural], query, f"{found.url}{name}/")
    if method == "POST":
        return _associate(objects, access, found, name, body or {})
    return 200, page(objects, access.readable(found.related[name]), kinds()[ASSOCIATED[name]], query, f"{found.url}{name}/")


def _add(objects: Objects, plural: str, body: Values) -> Object:
    values = checked(objects, kinds()[plural], body)
    return objects.add(plural, {**values, "status": "never updated"} if plural == "inventory_sources" else values)


def _associate(objects: Objects, access: Access, found: Object, name: str, body: Values) -> Answer:
    """Add an object to a list, or remove it; a second time changes nothing. A label without an id is created first."""
    plural, removed = ASSOCIATED[name], bool(body.get("disassociate"))
    is_new = plural == "labels" and "id" not in body
    other = _add(objects, plural, body) if is_new else objects.get(plural, body.get("id"))
    if name == "roles":
        access.require("change", other)
    if plural in ("credentials", "instance_groups"):
        access.require("use", other)
    if name in EDGES and not removed:
        _check_edge(found, name, other)
    pairs = [(found.related[name], other)]
    if found.kind.plural == "roles":  # a team or user lists its roles, and a role its teams and users
        pairs.append((other.related["roles"], found))
    elif name == "roles":
        pairs.append((other.related[found.kind.plural], found))
    for there, each in pairs:
        if removed:
            there[:] = [one for one in there if one is not each]
        elif each not in there:
            there.append(each)
    return (201, shown(objects, other)) if is_new else (204, None)


def _check_edge(parent: Object, name: str, child: Object) -> None:
    if any(child in parent.related[edge] for edge in EDGES if edge != name):
        raise Refused(400, {"Error": "Relationship not allowed."})
    waiting, seen = [child], set()
    while waiting:
        each = waiting.pop()
        if each is parent:
            raise Refused(400, {"Error": "Cycle detected."})
        if each.id not in seen:
            seen.add(each.id)
            waiting += [one for edge in EDGES for one in each.related[edge]]


def _approval_template(objects: Objects, _access: Access, node: Object, body: Values) -> Answer:
    kind = kinds()["workflow_approval_templates"]
    values = {**checked(objects, kind, body), "status": "never updated", "last_job_failed": False}
    made = objects.add(kind.plural, values)
    objects.change(node, {"unified_job_template": made.id})
    return 201, shown(objects, made)


def _launch(objects: Objects, access: Access, template: Object, body: Values) -> Answer:
    return 201, launch(objects, template, body, access.user)


def _update(objects: Objects, access: Access, found: Object, _body: Values) -> Answer:
    made = update(objects, found, access.user)
    return 202, {**shown(objects, made), made.kind.name: made.id}


def _decide(status: str) -> t.Callable[[Objects, Access, Object, Values], Answer]:
    def decide(_objects: Objects, _access: Access, approval: Object, _body: Values) -> Answer:
        if approval.values["status"] != "pending":
            raise Refused(400, {"error": "This workflow step has already been approved or denied."})
        approval.values |= {"status": status, "failed": status == "failed", "finished": now()}
        return 204, None

    return decide


def _cancel(_objects: Objects, _access: Access, job: Object, _body: Values) -> Answer:
    if not job.is_active:
        raise Refused(405, {"detail": 'Method "POST" not allowed.'})
    job.values["is_canceled"] = True
    return 202, None


def _survey(method: str) -> t.Callable[[Objects, Access, Object, Values], Answer]:
    return lambda _objects, _access, found, body: surveys.answer(method, found, body)


_OWN: dict[tuple[str, str], tuple[str, t.Callable[[Objects, Access, Object, Values], Answer]]] = {
    ("GET", "launch"): ("execute", lambda _objects, _access, found, _body: (200, launch_info(found))),
    ("GET", "playbooks"): ("read", lambda _objects, _access, found, _body: (200, found.values["playbooks"])),
    ("GET", "stdout"): ("read", lambda _objects, _access, found, _body: (200, Text(found.values.get("stdout", "")))),
    ("GET", "survey_spec"): ("read", _survey("GET")),
    ("DELETE", "survey_spec"): ("change", _survey("DELETE")),
    ("POST", "survey_spec"): ("change", _survey("POST")),
    ("POST", "approve"): ("approve", _decide("successful")),
    ("POST", "cancel"): ("execute", _cancel),
    ("POST", "create_approval_template"): ("change", _approval_template),
    ("POST", "deny"): ("approve", _decide("failed")),
    ("POST", "launch"): ("execute", _launch),
    ("POST", "update"): ("update", _update),
}
"""The right and the answer for a method and path, where the path is no list."""
