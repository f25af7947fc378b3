# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The edits of the account files that create or correct records, as one step."""

from __future__ import annotations

import typing as t

from ..._core.plan import Change, Step
from .effects import edited
from .model import LONG_AGO, Account, State, User
from .records import Edit


def edit_step(edits: t.Sequence[Edit], changes: t.Sequence[Change], state: State) -> Step:
    """One step that rewrites the account files. Shadow files are edited only if they exist."""
    lacking = {"shadow": not state.has_shadow, "gshadow": not state.has_gshadow}
    kept = tuple(edit for edit in edits if not lacking.get(edit.file, False))
    return Step("edit_accounts", {"edits": kept}, tuple(changes), effect=edited(kept))


class RecordEdits:
    """Collects edits of the account files, and the changes that they make."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._after = state
        self._edits: list[Edit] = []
        self._changes: list[Change] = []

    def steps(self) -> tuple[Step, ...]:
        return (edit_step(self._edits, self._changes, self._state),) if self._edits else ()

    def extend(self, edits: t.Iterable[Edit], changes: t.Iterable[Change]) -> None:
        self._add(*edits)
        self._changes += changes

    def add_group(self, name: str, gid: int) -> None:
        self._add(Edit("gshadow", name, {}), Edit("group", name, {"gid": str(gid)}))
        self._changes.append(Change("create", f"group {name}", None, None, {"gid": gid}))

    def settle(self, user: User) -> None:
        """Add the edits that create or correct the records of ``user``."""
        uid, gid = t.cast(int, user.uid), t.cast(int, user.gid)
        if user.private_group and not any(group.gid == gid for group in self._after.groups.values()):
            if gid not in self._state.elsewhere.gids:
                self.add_group(user.name, gid)
        here = self._state.users.get(user.name)
        comment = user.comment if user.comment is not None else (here.comment if here is not None else "")
        wanted = Account(user.name, uid, gid, comment, user.home, user.shell, password="none")
        if here is None:
            self._create(user, wanted)
        else:
            self._update(here, wanted)
        if user.groups is not None:
            self._memberships(user, gid, new=here is None)

    def _create(self, user: User, wanted: Account) -> None:
        today = str(self._state.now // 86400)
        self._add(
            Edit("shadow", wanted.name, {"password": "*", "changed": today, "expire": ""}),
            Edit("passwd", wanted.name, _passwd_values(wanted)),
        )
        after = {name: getattr(wanted, name) for name in ("uid", "gid", "comment", "home", "shell")}
        after["groups"] = list(user.groups or ())
        self._changes.append(Change("create", f"user {wanted.name}", None, None, after))

    def _update(self, here: Account, wanted: Account) -> None:
        values = {}
        for name in ("comment", "home", "shell"):
            if getattr(here, name) != getattr(wanted, name):
                values[name] = getattr(wanted, name)
                before, after = getattr(here, name), getattr(wanted, name)
                self._changes.append(Change("update", f"user {here.name}", name, before, after))
        if values:
            self._add(Edit("passwd", here.name, values))
        shadow = {}
        # Without PAM, sshd refuses a locked account even with a key; "*" means that there is no password.
        if here.password in ("locked", "empty", "missing"):
            shadow["password"] = "*"
            self._changes.append(Change("update", f"user {here.name}", "password", here.password, "none"))
        if here.expires == LONG_AGO:
            shadow["expire"] = ""
            self._changes.append(Change("update", f"user {here.name}", "expired", True, False))
        if shadow:
            self._add(Edit("shadow", here.name, shadow))

    def _memberships(self, user: User, gid: int, *, new: bool) -> None:
        groups = self._after.groups.values()
        primary = {group.name for group in groups if group.gid == gid}
        current = {group.name for group in groups if user.name in group.members} - primary
        wanted = set(user.groups or ()) - primary
        for name in sorted(current ^ wanted):
            added = name in wanted
            names = {"add_members": (user.name,)} if added else {"remove_members": (user.name,)}
            self._add(Edit("gshadow", name, {}, **names), Edit("group", name, {}, **names))
        if current != wanted and not new:
            self._changes.append(Change("update", f"user {user.name}", "groups", sorted(current), sorted(wanted)))

    def _add(self, *edits: Edit) -> None:
        self._edits += edits
        self._after = edited(edits)(self._after)


def _passwd_values(account: Account) -> dict[str, str]:
    return {
        "uid": str(account.uid),
        "gid": str(account.gid),
        "comment": account.comment,
        "home": account.home,
        "shell": account.shell,
    }
