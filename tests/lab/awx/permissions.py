# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users may do, by the roles that they and their teams have. A subset of AWX's rules, and not recorded.

AWX answers 403 if the user lacks the right, also for GET and if the user may not even read the object. Only an object that does not
exist gets 404: AWX selects the object among all of its kind and checks the right afterwards (``check_get_permissions`` in
``awx/api/permissions.py``). Lists leave out what the user may not read.
"""

from __future__ import annotations

import typing as t

from .objects import Object, Objects, Refused, Values

FORBIDDEN = {"detail": "You do not have permission to perform this action."}
ACTIONS = {
    "Admin": ("read", "change", "execute", "use", "update", "approve"),
    "Approve": ("read", "approve"),
    "Auditor": ("read",),
    "Execute": ("read", "execute"),
    "Member": ("read",),
    "Read": ("read",),
    "Update": ("read", "update"),
    "Use": ("read", "use"),
}
OF_ORGANIZATION = ("Admin", "Approve", "Auditor", "Execute")
"""The roles of an organization that also count for its objects. Other roles only let people read the organization."""
PUBLIC = ("credential_types", "execution_environments", "instance_groups")
"""Kinds that everybody may read, if their objects have no organization."""
USED = {"project": "projects", "inventory": "inventories", "credential": "credentials", "source_project": "projects"}
"""Fields that need the role to use the object."""


class Access:
    """The rights of a user. Without a user everything is allowed."""

    def __init__(self, objects: Objects, user: Object | None) -> None:
        self.objects, self.user = objects, user
        self.is_superuser = user is None or bool(user.values.get("is_superuser"))

    def may(self, action: str, found: Object) -> bool:
        if self.is_superuser or (action == "read" and self.user.values.get("is_system_auditor")):
            return True
        is_own = found is self.user or found.values.get("user") in (self.user, self.user.id)
        if is_own and (action == "read" or found.kind.plural == "tokens"):
            return True
        each: Object | None = found
        while each is not None:
            if any(action in ACTIONS.get(role, ()) for role in self._roles(each) if each is found or self._counts_below(each, role)):
                return True
            each = self.objects.owner(each)
        return action == "read" and self._is_public(found)

    def require(self, action: str, found: Object) -> None:
        """:raises Refused: if the action is not allowed."""
        if not self.may(action, found):
            raise Refused(403, FORBIDDEN)

    def require_superuser(self) -> None:
        if not self.is_superuser:
            raise Refused(403, FORBIDDEN)

    def require_use(self, values: Values) -> None:
        """The objects that new values refer to."""
        for name, plural in USED.items():
            if isinstance(values.get(name), int) and values[name] in self.objects.by_kind[plural]:
                self.require("use", self.objects.by_kind[plural][values[name]])

    def readable(self, found: t.Iterable[Object]) -> list[Object]:
        return [each for each in found if self.may("read", each)]

    def _roles(self, found: Object) -> list[str]:
        """The names of the roles that the user has for an object."""
        roles = [role.values["name"] for role in found.related["object_roles"] if self._has(role)]
        if found.kind.plural == "organizations":
            roles += ["Member"] * (self.user in found.related["users"]) + ["Admin"] * (self.user in found.related["admins"])
        if found.kind.plural == "teams":
            roles += ["Member"] * (self.user in found.related["users"])
        return roles

    def _has(self, role: Object) -> bool:
        return self.user in role.related["users"] or any(self.user in team.related["users"] for team in role.related["teams"])

    def _is_public(self, found: Object) -> bool:
        if found.kind.plural == "users":
            organizations = self.objects.by_kind["organizations"].values()
            return any({self.user.id, found.id} <= {each.id for each in one.related["users"]} for one in organizations)
        return found.kind.plural in PUBLIC and found.values.get("organization") is None

    @staticmethod
    def _counts_below(owner: Object, role: str) -> bool:
        return owner.kind.plural != "organizations" or role in OF_ORGANIZATION
