# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The host keys of a node: options to Desired, files to State, both to Plan.

Standard library only, Python 3.9 syntax. Private keys never enter State or Plan's changes.
"""

from __future__ import annotations

import grp
import os
import stat
import typing as t
from dataclasses import dataclass, field, replace

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Secret, Step
from ..._ssh.keys import ALGORITHMS, HOST_KEY_TYPES, BadKey, PublicKey, parse_private, parse_public
from ..files import read_bytes
from ..system import CommandFailed, run
from .change import FileWrite

FOLDER = "/etc/ssh"
NEXT = "_next"
"""Ends the name of a slot whose key is announced beside the one that is presented."""
SLOTS = (*HOST_KEY_TYPES, *(key_type + NEXT for key_type in HOST_KEY_TYPES))


@dataclass(frozen=True)
class HostKey:
    """A wanted pair, checked to belong together."""

    public: PublicKey
    comment: str
    private: str = field(repr=False)
    is_next: bool = False

    @property
    def type(self) -> str:
        return self.public.type

    @property
    def slot(self) -> str:
        return self.type + NEXT if self.is_next else self.type


@dataclass(frozen=True)
class FileState:
    """A file as found; ``content`` is only a fingerprint."""

    content: Secret
    mode: int
    uid: int
    gid: int


@dataclass(frozen=True)
class State:
    """The host keys on a node, by slot: private file, public file, and the public key that the latter holds."""

    private: t.Mapping[str, FileState]
    public: t.Mapping[str, FileState]
    keys: t.Mapping[str, PublicKey]
    ssh_keys_group: int | None


def private_path(slot: str) -> str:
    key_type, following, _end = slot.partition(NEXT)
    return f"{FOLDER}/ssh_host_{key_type}_key{following}"


def public_path(slot: str) -> str:
    return private_path(slot) + ".pub"


def desired_next(keys: t.Mapping[str, t.Mapping[str, str]], current: t.Sequence[HostKey]) -> tuple[HostKey, ...]:
    """Check the option ``next_keys``, which may be empty.

    :raises Refused: also for a key that is presented already: clients ignore an announcement that names a key twice.
    """
    if not any(keys.values()):
        return ()
    found = desired_from(keys, option="next_keys")
    for key in found:
        if key.public in [each.public for each in current]:
            raise Refused(f"next_keys.{key.type}: {key.public.fingerprint} is among keys, too; give another key.")
    return tuple(replace(key, is_next=True) for key in found)


def desired_from(keys: t.Mapping[str, t.Mapping[str, str]], *, option: str = "keys") -> tuple[HostKey, ...]:
    """Check the option ``keys``; what is wrong is refused without a word of key text."""
    given = {key_type: pair for key_type, pair in keys.items() if pair}
    if not given:
        raise Refused(
            f"{option}: an empty set is not allowed; give a pair for at least one of {', '.join(HOST_KEY_TYPES)}."
        )
    return tuple(
        _checked_pair(f"{option}.{key_type}", key_type, given[key_type])
        for key_type in HOST_KEY_TYPES
        if key_type in given
    )


def _checked_pair(option: str, key_type: str, pair: t.Mapping[str, str]) -> HostKey:
    try:
        public = parse_public(pair["public"])
    except BadKey as error:
        raise Refused(f"{option}.public: {error}; a public key of type {key_type} is allowed.") from None
    try:
        inside = parse_private(pair["private"])
    except BadKey as error:
        raise Refused(f"{option}.private: {error}; an unencrypted OPENSSH private key is allowed.") from None
    for name, key in (("public", public), ("private", inside)):
        if key.algorithm not in ALGORITHMS[key_type]:
            raise Refused(
                f"{option}.{name}: a key of type {key.type} is not allowed; a {key_type} key is expected here."
            )
    if inside != public:
        raise Refused(
            f"{option}: private key {inside.fingerprint} and public key {public.fingerprint} are not a pair; "
            "give both halves of one key."
        )
    comment = " ".join(pair["public"].split()[2:])
    return HostKey(public=public, comment=comment, private=pair["private"].strip() + "\n")


def check_with_ssh_keygen(wanted: t.Iterable[HostKey]) -> None:
    """Let ssh-keygen derive the public half from the secret numbers; the container's clear copy could be another's."""
    for key in wanted:
        option = f"{'next_keys' if key.is_next else 'keys'}.{key.type}"
        try:
            derived = parse_public(
                run(["ssh-keygen", "-y", "-P", "", "-f", "/dev/stdin"], stdin=key.private).stdout.strip()
            )
        except (CommandFailed, BadKey):
            raise Refused(f"{option}.private: ssh-keygen can't read this key; give an intact one.") from None
        if derived != key.public:
            raise Refused(
                f"{option}: the private key belongs to {derived.fingerprint}, not to the public key "
                f"{key.public.fingerprint}; give both halves of one key."
            )


def public_keys() -> dict[str, PublicKey]:
    """By slot, without a look at private keys."""
    keys = {}
    for slot in SLOTS:
        try:
            keys[slot] = parse_public((read_bytes(public_path(slot)) or b"").decode("utf-8", "replace"))
        except BadKey:
            continue
    return keys


def observe() -> State:
    private: dict[str, FileState] = {}
    public: dict[str, FileState] = {}
    for slot in SLOTS:
        for path, found in ((private_path(slot), private), (public_path(slot), public)):
            content = read_bytes(path)
            if content is not None:
                info = os.stat(path)
                found[slot] = FileState(
                    Secret.of(content.decode("utf-8", "replace")), stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid
                )
    return State(private, public, public_keys(), _ssh_keys_group())


def plan(wanted: t.Sequence[HostKey], state: State, *, exact_next: bool = False) -> Plan:
    """One step with all files that differ: sshd never sees a half of a pair that stays.

    With ``exact_next`` the announced keys that are not wanted go, in the same step.
    """
    files: list[FileWrite] = []
    changes: list[Change] = []
    for key in wanted:
        new_files, new_changes = _plan_pair(key, state)
        files.extend(new_files)
        changes.extend(new_changes)
    slots = {key.slot for key in wanted}
    gone = [slot for slot in SLOTS if exact_next and slot.endswith(NEXT) and slot not in slots]
    for slot in gone:
        there = ((private_path(slot), state.private), (public_path(slot), state.public))
        paths = [path for path, found in there if slot in found]
        files.extend(FileWrite(path, None) for path in paths)
        if paths:
            changes.append(Change("delete", _resource(slot), "fingerprint", _fingerprint(state, slot)))
    steps = (Step("InstallHostKeys", {"files": tuple(files)}, tuple(changes)),) if files else ()
    kept = {slot: found for slot, found in state.keys.items() if slot in state.private and slot not in gone}
    predicted = State(state.private, state.public, {**kept, **{key.slot: key.public for key in wanted}}, None)
    return Plan(steps=steps, predicted=predicted)


def describe(wanted: t.Sequence[HostKey], state: State) -> list[dict[str, t.Any]]:
    managed = {key.slot for key in wanted}
    return [
        {
            "type": state.keys[slot].type,
            "public_key": state.keys[slot].line,
            "fingerprint": state.keys[slot].fingerprint,
            "managed": slot in managed,
            "next": slot.endswith(NEXT),
        }
        for slot in SLOTS
        if slot in state.keys
    ]


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
    """Mode and owner that this distribution gives host keys: as found when safe, else its default."""
    mode, gid = (0o600, 0) if ssh_keys_group is None else (0o640, ssh_keys_group)
    if old is not None and old.uid == 0 and (old.mode, old.gid) in ((0o600, 0), (0o640, ssh_keys_group)):
        mode, gid = old.mode, old.gid
    return FileWrite(private_path(key.slot), key.private.encode(), mode=mode, gid=gid)


def _attributes(file: FileState | FileWrite) -> str:
    return f"{file.mode:04o} {file.uid}:{file.gid}"


def _ssh_keys_group() -> int | None:
    try:
        return grp.getgrnam("ssh_keys").gr_gid
    except KeyError:
        return None
