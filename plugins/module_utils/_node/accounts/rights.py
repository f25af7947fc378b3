# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What users may do: their files of keys and of sudo rules, and the steps that write them; pure."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.finding import Finding, note
from ..._core.plan import Change, Step
from ..._core.text import lines_of
from ..._ssh import authorized_keys
from ..files import FileState
from . import effects
from .model import Desired, State, sudoers_text

KEYS_MODE = 0o644
SUDOERS_MODE = 0o440
KEYS_DIR_MODE = 0o755


def keys_folder(desired: Desired, state: State) -> list[Step]:
    """The folder of all managed keys."""
    if state.authorized_keys_dir is None:
        if state.operations is None and not any(user.authorized_keys for user in desired.present_users):
            return []
        change = Change("create", f"folder {desired.authorized_keys_dir}", None, None, {"owner": 0, "mode": "0755"})
    else:
        _kind, owner, mode = state.authorized_keys_dir
        if (owner, mode) == (0, KEYS_DIR_MODE):
            return []
        before = {"owner": owner, "mode": f"{mode:04o}"}
        change = Change("update", f"folder {desired.authorized_keys_dir}", None, before, {"owner": 0, "mode": "0755"})
    after = ("folder", 0, KEYS_DIR_MODE)
    return [
        Step(
            "make_keys_dir",
            {"path": desired.authorized_keys_dir, "mode": KEYS_DIR_MODE},
            (change,),
            effect=lambda state: dataclasses.replace(state, authorized_keys_dir=after),
        )
    ]


def steps(desired: Desired, state: State) -> list[Step]:
    found: list[Step] = []
    for user in desired.present_users:
        if user.authorized_keys is not None:
            found += _key_file(user.name, authorized_keys.render(user.authorized_keys, now=state.now), desired, state)
    for user in desired.present_users:
        if user.sudo is not None:
            found += _sudo_file(user.name, sudoers_text(user.name, user.sudo), desired, state)
    return found


def removal_steps(name: str, desired: Desired, state: State) -> list[Step]:
    """Both files of an account that goes."""
    return [*_key_file(name, "", desired, state), *_removed_sudo_file(name, desired, state)]


def notes(desired: Desired, state: State) -> list[Finding]:
    """Rights given earlier that the declaration no longer mentions: left alone, but never silently."""
    found = []
    for user in desired.present_users:
        for option, path, here, declared in (
            ("authorized_keys", desired.keys_path(user.name), state.keys, user.authorized_keys),
            ("sudo", desired.sudoers_path(user.name), state.sudoers, user.sudo),
        ):
            if declared is None and user.name in here:
                text = f"{user.name} declares no {option}, so {path} stays; an empty list removes it."
                found.append(note("rights-not-declared", text, subject=user.name))
    return found


def key_summaries(text: str) -> list[str]:
    return [entry.summary() for entry in authorized_keys.read(text)]


def rule_lines(text: str) -> list[str]:
    return [line.partition(" ")[2] for line in lines_of(text) if line and not line.startswith("#")]


def _key_file(name: str, wanted: str, desired: Desired, state: State) -> list[Step]:
    path, here, subject = desired.keys_path(name), state.keys.get(name), f"keys of {name}"
    return _file("keys", name, path, here, wanted, mode=KEYS_MODE, subject=subject, shown=key_summaries)


def _sudo_file(name: str, wanted: str, desired: Desired, state: State) -> list[Step]:
    path, here, subject = desired.sudoers_path(name), state.sudoers.get(name), f"sudo rules of {name}"
    return _file("sudoers", name, path, here, wanted, mode=SUDOERS_MODE, subject=subject, shown=rule_lines)


def _removed_sudo_file(name: str, desired: Desired, state: State) -> list[Step]:
    """What an account could do that goes is told by its file."""
    if name not in state.sudoers:
        return []
    path = desired.sudoers_path(name)
    change = Change("delete", f"sudo rules of {name}", None, path, None)
    return [Step("remove_file", {"path": path}, (change,), effect=effects.in_table("sudoers", name, None))]


def _file(
    table: str,
    name: str,
    path: str,
    here: FileState | None,
    wanted: str,
    *,
    mode: int,
    subject: str,
    shown: t.Callable[[str], list[str]],
) -> list[Step]:
    """The step that gives ``path`` the text ``wanted`` (none: no file), root as owner, and ``mode``."""
    if not wanted:
        if here is None:
            return []
        change = Change("delete", subject, None, shown(here.text), None)
        return [Step("remove_file", {"path": path}, (change,), effect=effects.in_table(table, name, None))]
    changes = []
    if here is None:
        changes.append(Change("create", subject, None, None, shown(wanted)))
    elif here.text != wanted:
        before, after = shown(here.text), shown(wanted)
        if before == after:
            before = ["(other text)", *before]
        changes.append(Change("update", subject, None, before, after))
    if here is not None and (here.uid, here.gid, here.mode) != (0, 0, mode):
        before_access = f"{here.uid}:{here.gid} {here.mode:04o}"
        changes.append(Change("update", subject, "access", before_access, f"0:0 {mode:04o}"))
    if not changes:
        return []
    written = effects.in_table(table, name, FileState(wanted, 0, 0, mode))
    return [Step("write_file", {"path": path, "text": wanted, "mode": mode}, tuple(changes), effect=written)]
