# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The predicted effects of steps on the state."""

from __future__ import annotations

import dataclasses
import typing as t

from ..files import FileState
from .model import Account, Home, LocalGroup, State
from .records import Edit, password_kind

Effect = t.Callable[[State], State]


def edited(edits: t.Sequence[Edit]) -> Effect:
    """The state after the edits. ``leaving_homes`` and ``leaving_mounts`` then have no entries of removed accounts."""

    def effect(state: State) -> State:
        users, groups = dict(state.users), dict(state.groups)
        for edit in edits:
            if edit.file == "passwd":
                _set(users, edit.name, _account(users.get(edit.name), edit))
            elif edit.file == "group":
                _set(groups, edit.name, _group(groups.get(edit.name), edit))
        for edit in edits:
            if edit.file == "shadow" and edit.name in users:
                users[edit.name] = _with_shadow(users[edit.name], edit)
        return dataclasses.replace(
            state,
            users=users,
            groups=groups,
            leaving_homes={name: home for name, home in state.leaving_homes.items() if name in users},
            leaving_mounts={name: path for name, path in state.leaving_mounts.items() if name in users},
        )

    return effect


def in_table(table: str, name: str, value: FileState | Home | None) -> Effect:
    """Sets ``name`` to ``value`` in the table ``keys``, ``sudoers`` or ``homes``; None removes the entry."""

    def effect(state: State) -> State:
        after: dict[str, t.Any] = dict(getattr(state, table))
        _set(after, name, value)
        changed: dict[str, t.Any] = {table: after}
        return dataclasses.replace(state, **changed)

    return effect


def without_leftovers(name: str, *fields: str) -> Effect:
    """Empties the named fields of the account's leftovers."""

    def effect(state: State) -> State:
        if name not in state.leftovers:
            return state
        cleared = dataclasses.replace(state.leftovers[name], **dict.fromkeys(fields, ()))
        return dataclasses.replace(state, leftovers={**state.leftovers, name: cleared})

    return effect


def _account(before: Account | None, edit: Edit) -> Account | None:
    if edit.values is None:
        return None
    numbers = {name: int(edit.values[name]) for name in ("uid", "gid") if name in edit.values}
    here = before or Account(edit.name, 0, 0, "", "", "", password="missing")
    return dataclasses.replace(here, **{**edit.values, **t.cast("dict[str, t.Any]", numbers)})


def _with_shadow(account: Account, edit: Edit) -> Account:
    values = edit.values or {}
    password = password_kind(values["password"]) if "password" in values else account.password
    return dataclasses.replace(account, password=password, expires=values.get("expire", account.expires))


def _group(before: LocalGroup | None, edit: Edit) -> LocalGroup | None:
    if edit.values is None:
        return None
    here = before or LocalGroup(edit.name, 0, ())
    return LocalGroup(edit.name, int(edit.values.get("gid", here.gid)), edit.members(here.members))


def _set(table: dict[str, t.Any], name: str, value: t.Any) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
