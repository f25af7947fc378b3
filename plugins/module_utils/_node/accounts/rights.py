# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The rights of users: their files of keys and sudo rules, and the steps that write these files."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.finding import Finding, note, pending
from ..._core.plan import Change, Step
from ..._core.text import lines_of
from ..._ssh import authorized_keys
from ..files import FOLDER, PLAIN, FileState
from . import effects
from .model import Desired, State, User, sudoers_text

KEYS_MODE = 0o644
SUDOERS_MODE = 0o440
KEYS_DIR_MODE = 0o755
NOT_KEPT = "files in a folder that other accounts could write to are set aside"


def keys_folder(desired: Desired, state: State) -> list[Step]:
    """The step that creates or corrects the folder of managed keys."""
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
    arguments: dict[str, t.Any] = {"path": desired.authorized_keys_dir, "mode": KEYS_DIR_MODE}
    changes = [change]
    keep: set[str] | None = None
    if state.keys_dir_open:
        keep = _written(desired, state)
        arguments["keep"] = sorted(keep)
        removed = {user.name for user in desired.users if not user.present or user.authorized_keys is not None}
        aside = [name for name in state.key_files if name not in keep | removed]
        if aside:
            changes.append(Change("delete", f"keys in {desired.authorized_keys_dir}", NOT_KEPT, aside, None))
    return [Step("make_keys_dir", arguments, tuple(changes), effect=_closed(keep))]


def _written(desired: Desired, state: State) -> set[str]:
    """The accounts whose key files this plan writes, even if their content is already correct."""
    names = {user.name for user in desired.present_users if user.authorized_keys and _keys_of(user, state)}
    return names if state.operations is None else {*names, state.operations.account.name}


def _closed(keep: set[str] | None) -> effects.Effect:
    """The effect that only root may write to the folder.

    :param keep: the files that stay in the folder; None for all files, if other accounts could not write to the folder before.
    """

    def effect(state: State) -> State:
        keys = {name: here for name, here in state.keys.items() if keep is None or name in keep}
        left = tuple(name for name in state.key_files if keep is None or name in keep)
        return dataclasses.replace(state, authorized_keys_dir=("folder", 0, KEYS_DIR_MODE), keys=keys, key_files=left)

    return effect


def _keys_of(user: User, state: State) -> str:
    return authorized_keys.render(user.authorized_keys or (), now=state.now)


def steps(desired: Desired, state: State) -> list[Step]:
    found: list[Step] = []
    for user in desired.present_users:
        if user.authorized_keys is not None:
            found += _key_file(user.name, _keys_of(user, state), desired, state)
    for user in desired.present_users:
        if user.sudo is not None:
            found += _sudo_file(user.name, sudoers_text(user.name, user.sudo), desired, state)
    return found


def removal_steps(name: str, desired: Desired, state: State) -> list[Step]:
    """Steps that remove both files of a removed account."""
    return [*_key_file(name, "", desired, state), *_removed_sudo_file(name, desired, state)]


def notes(desired: Desired, state: State) -> list[Finding]:
    """Notes about files of keys and rules that the declaration does not mention. They are left unchanged."""
    found = []
    for user in desired.present_users:
        for option, path, here, declared in (
            ("authorized_keys", desired.keys_path(user.name), state.keys, user.authorized_keys),
            ("sudo", desired.sudoers_path(user.name), state.sudoers, user.sudo),
        ):
            if declared is None and user.name in here and not (option == "authorized_keys" and state.keys_dir_open):
                text = f"{option} is not declared for {user.name}, so {path} stays. An empty list removes the file."
                found.append(note("rights-not-declared", text, subject=user.name))
    files = {desired.keys_path(user.name): state.keys.get(user.name) for user in desired.users if user.authorized_keys is not None}
    files.update({desired.sudoers_path(user.name): state.sudoers.get(user.name) for user in desired.users if user.sudo is not None})
    return found + folders_in_the_way(files)


def is_in_the_way(here: FileState | None) -> bool:
    return here is not None and here.kind == FOLDER


def folders_in_the_way(files: t.Mapping[str, FileState | None]) -> list[Finding]:
    """Files that cannot be written because their path is a folder with files in it. An empty folder is replaced by the file."""
    return [
        pending(
            "access-file-waits",
            f"{path} cannot be written, because it is a folder with files in it. Move the folder, then run again.",
            subject=path,
        )
        for path, here in files.items()
        if is_in_the_way(here)
    ]


def key_summaries(text: str) -> list[str]:
    return [entry.summary() for entry in authorized_keys.read(text)]


def rule_lines(text: str) -> list[str]:
    return [line.partition(" ")[2] for line in lines_of(text) if line and not line.startswith("#")]


def _key_file(name: str, wanted: str, desired: Desired, state: State) -> list[Step]:
    path, here, subject = desired.keys_path(name), state.keys.get(name), f"keys of {name}"
    proven = not state.keys_dir_open
    return _file("keys", name, path, here, wanted, mode=KEYS_MODE, subject=subject, shown=key_summaries, proven=proven)


def _sudo_file(name: str, wanted: str, desired: Desired, state: State) -> list[Step]:
    path, here, subject = desired.sudoers_path(name), state.sudoers.get(name), f"sudo rules of {name}"
    return _file("sudoers", name, path, here, wanted, mode=SUDOERS_MODE, subject=subject, shown=rule_lines)


def _removed_sudo_file(name: str, desired: Desired, state: State) -> list[Step]:
    """The change shows the path of the file instead of its rules."""
    if name not in state.sudoers or is_in_the_way(state.sudoers[name]):
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
    proven: bool = True,
) -> list[Step]:
    """The step that gives ``path`` the text ``wanted``, root as owner, and ``mode``. An empty text removes the file.

    :param proven: False if other accounts could have replaced the file until now.
    """
    if is_in_the_way(here):
        return []
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
    if here is not None and here.kind != PLAIN:
        changes.append(Change("update", subject, "kind", here.kind, PLAIN))
    elif here is not None and (not proven or (here.uid, here.gid, here.mode) != (0, 0, mode)):
        changes.append(Change("update", subject, "access", here.access, f"0:0 {mode:04o}"))
    if not changes:
        return []
    written = effects.in_table(table, name, FileState(wanted, 0, 0, mode))
    return [Step("write_file", {"path": path, "text": wanted, "mode": mode}, tuple(changes), effect=written)]
