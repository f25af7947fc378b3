# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed to the desired host keys. Its changes never contain private keys."""

from __future__ import annotations

import typing as t

from ...._core.plan import Change, Plan, Secret, Step
from ...._ssh.public_key import PublicKey
from ..model import FileWrite
from .model import NEXT, SLOTS, FileState, HostKey, State, private_path, public_path


def plan(desired: t.Sequence[HostKey], state: State, *, exact_next: bool = False) -> Plan:
    """One step with all files that differ, so that the two files of a pair always match when sshd reads them.

    :param exact_next: whether the step also removes announced keys that are not desired.
    """
    files: list[FileWrite] = []
    changes: list[Change] = []
    for key in desired:
        new_files, new_changes = _plan_pair(key, state)
        files.extend(new_files)
        changes.extend(new_changes)
    slots = {key.slot for key in desired}
    gone = [slot for slot in SLOTS if exact_next and slot.endswith(NEXT) and slot not in slots]
    for slot in gone:
        there = ((private_path(slot), state.private), (public_path(slot), state.public))
        paths = [path for path, found in there if slot in found]
        files.extend(FileWrite(path, None) for path in paths)
        if paths:
            changes.append(Change("delete", _resource(slot), "fingerprint", _fingerprint(state, slot)))
    if not files:
        return Plan()
    public = {**dict.fromkeys(gone), **{key.slot: key.public for key in desired}}
    effect = _installed({file.path: file for file in files}, public)
    return Plan(steps=(Step("InstallHostKeys", {"files": tuple(files)}, tuple(changes), effect=effect),))


def _installed(files: t.Mapping[str, FileWrite], public: t.Mapping[str, PublicKey | None]) -> t.Callable[[State], State]:
    def written(found: t.Mapping[str, FileState], path_of: t.Callable[[str], str]) -> dict[str, FileState]:
        after = {slot: _after(files[path]) if path in files else found.get(slot) for slot in SLOTS for path in [path_of(slot)]}
        return {slot: each for slot, each in after.items() if each is not None}

    def effect(state: State) -> State:
        return State(
            written(state.private, private_path),
            written(state.public, public_path),
            {slot: key for slot, key in {**state.keys, **public}.items() if key is not None},
            state.ssh_keys_group,
        )

    return effect


def _after(file: FileWrite) -> FileState | None:
    if file.content is None:
        return None
    return FileState(Secret.of(file.content.decode("utf-8", "replace")), file.mode, file.uid, file.gid)


def _resource(slot: str) -> str:
    key_type, following, _end = slot.partition(NEXT)
    return f"next {key_type} host key" if following else f"{key_type} host key"


def _fingerprint(state: State, slot: str) -> str | None:
    return state.keys[slot].fingerprint if slot in state.keys else None


def _plan_pair(key: HostKey, state: State) -> tuple[list[FileWrite], list[Change]]:
    resource = _resource(key.slot)
    old_private, old_public = state.private.get(key.slot), state.public.get(key.slot)
    private = _private_file(key, old_private, state.ssh_keys_group)
    public_text = key.public.line + (f" {key.comment}" if key.comment else "") + "\n"
    public = FileWrite(public_path(key.slot), public_text.encode(), mode=0o644)
    files, changes = [], []
    before = _fingerprint(state, key.slot)
    if old_private is None:
        changes.append(Change("create", resource, "fingerprint", None, key.public.fingerprint))
    elif old_private.content != Secret.of(key.private):
        changes.append(Change("update", resource, "fingerprint", before, key.public.fingerprint))
    elif _attributes(old_private) != _attributes(private):
        changes.append(Change("update", resource, "mode and owner", _attributes(old_private), _attributes(private)))
    if changes:
        files.append(private)
    if old_public is None or old_public.content != Secret.of(public_text) or _attributes(old_public) != "0644 0:0":
        files.append(public)
        if not changes:
            changes.append(Change("update", resource, "public file", before, key.public.fingerprint))
    return files, changes


def _private_file(key: HostKey, old: FileState | None, ssh_keys_group: int | None) -> FileWrite:
    """Keeps a safe mode and owner of the existing file; otherwise uses the distribution's default."""
    mode, gid = (0o600, 0) if ssh_keys_group is None else (0o640, ssh_keys_group)
    if old is not None and old.uid == 0 and (old.mode, old.gid) in ((0o600, 0), (0o640, ssh_keys_group)):
        mode, gid = old.mode, old.gid
    return FileWrite(private_path(key.slot), key.private.encode(), mode=mode, gid=gid)


def _attributes(file: FileState | FileWrite) -> str:
    return f"{file.mode:04o} {file.uid}:{file.gid}"
