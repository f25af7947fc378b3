# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From what is wanted and what is there to the steps between them; pure.

Order: records first, so that who goes is locked out at once; then files; then sessions end; the records of those who
go are removed last, so that a run that died is continued by the next; homes are made when their owners exist.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.plan import Change, Plan, Step
from ..._core.text import lines_of
from ..._ssh import authorized_keys
from ..files import FileState
from . import leave as accounts_leave
from . import operations
from .files import Edit
from .model import Account, Desired, Home, LocalGroup, State, User, sudoers_text

KEYS_MODE = 0o644
SUDOERS_MODE = 0o440
KEYS_DIR_MODE = 0o755


def make_plan(desired: Desired, state: State, *, notes: t.Sequence[str] = ()) -> Plan:
    records = _Records(state)
    for group in desired.groups:
        if group.present and group.name not in state.groups:
            records.add_group(group.name, t.cast(int, group.gid))
    for user in desired.present_users:
        records.settle(user)
    records.extend(*accounts_leave.lock(desired, state))
    files = [*_keys_dir(desired, state), *_key_files(desired, state), *_sudo_files(desired, state)]
    leaving = accounts_leave.steps(desired, state)
    earlier = operations.steps(state.earlier_operations)
    steps = (*records.step(), *earlier, *files, *leaving, *_homes(desired, state))
    predicted = _predict(desired, state, records)
    told = (*notes, *_untouched(desired, state), *accounts_leave.notes(desired, state))
    return Plan(steps=steps, predicted=predicted, notes=told)


def pending(desired: Desired, state: State) -> list[str]:
    """What waits for something that this module does not change, as sentences."""
    sentences = []
    for user in desired.present_users:
        home = state.homes.get(user.name)
        if home is not None:
            reason = _home_waits(user, home)
            if reason is not None:
                sentences.append(f"The home {user.home} of {user.name} waits: {reason}.")
    return sentences + accounts_leave.pending(desired, state)


def _home_waits(user: User, home: Home) -> str | None:
    if home.kind == "unmounted":
        return "its shared storage is not mounted on this node"
    if home.kind == "silent":
        return "its file system does not answer"
    if home.kind == "folder" and home.owner != user.uid:
        return f"the folder belongs to UID {home.owner}, not {user.uid}, and is never given to someone else"
    if home.kind == "missing" and home.writer is None:
        return f"neither the user nor root may write to {home.parent}; make the folder there, owned by UID {user.uid}"
    return None


class _Records:
    """Collects the edits of the account files, and what they change."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._edits: list[Edit] = []
        self._changes: list[Change] = []
        self.users: dict[str, Account] = dict(state.users)
        self.groups: dict[str, LocalGroup] = dict(state.groups)

    def step(self) -> tuple[Step, ...]:
        return (accounts_leave.edit_step(self._edits, self._changes, self._state),) if self._edits else ()

    def extend(self, edits: t.Iterable[Edit], changes: t.Iterable[Change]) -> None:
        self._edits += edits
        self._changes += changes

    def add_group(self, name: str, gid: int) -> None:
        self._edits += [Edit("gshadow", name, {}), Edit("group", name, {"gid": str(gid)})]
        self._changes.append(Change("create", f"group {name}", None, None, {"gid": gid}))
        self.groups[name] = LocalGroup(name, gid, ())

    def settle(self, user: User) -> None:
        """Make the records of ``user`` what they should be."""
        uid, gid = t.cast(int, user.uid), t.cast(int, user.gid)
        if user.private_group and not any(group.gid == gid for group in self.groups.values()):
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
        self._edits += [
            Edit("shadow", wanted.name, {"password": "*", "changed": today, "expire": ""}),
            Edit("passwd", wanted.name, _passwd_values(wanted)),
        ]
        after = {name: getattr(wanted, name) for name in ("uid", "gid", "comment", "home", "shell")}
        after["groups"] = list(user.groups or ())
        self._changes.append(Change("create", f"user {wanted.name}", None, None, after))
        self.users[wanted.name] = wanted

    def _update(self, here: Account, wanted: Account) -> None:
        values = {}
        for name in ("comment", "home", "shell"):
            if getattr(here, name) != getattr(wanted, name):
                values[name] = getattr(wanted, name)
                before, after = getattr(here, name), getattr(wanted, name)
                self._changes.append(Change("update", f"user {here.name}", name, before, after))
        if values:
            self._edits.append(Edit("passwd", here.name, values))
        shadow = {}
        # sshd without PAM refuses a locked account even with a key; "*" is no password at all.
        if here.password in ("locked", "empty", "missing"):
            shadow["password"] = "*"
            self._changes.append(Change("update", f"user {here.name}", "password", here.password, "none"))
        if here.expires == accounts_leave.LONG_AGO:
            shadow["expire"] = ""
            self._changes.append(Change("update", f"user {here.name}", "expired", True, False))
        if shadow:
            self._edits.append(Edit("shadow", here.name, shadow))
        password = "none" if "password" in shadow else here.password
        expires = "" if "expire" in shadow else here.expires
        self.users[here.name] = dataclasses.replace(here, **values, password=password, expires=expires)

    def _memberships(self, user: User, gid: int, *, new: bool) -> None:
        primary = {group.name for group in self.groups.values() if group.gid == gid}
        current = {group.name for group in self.groups.values() if user.name in group.members} - primary
        wanted = set(user.groups or ()) - primary
        for name in sorted(current ^ wanted):
            added = name in wanted
            names = {"add_members": (user.name,)} if added else {"remove_members": (user.name,)}
            self._edits += [Edit("gshadow", name, {}, **names), Edit("group", name, {}, **names)]
            kept = tuple(member for member in self.groups[name].members if member != user.name)
            members = (*kept, user.name) if added else kept
            self.groups[name] = dataclasses.replace(self.groups[name], members=members)
        if current != wanted and not new:
            self._changes.append(Change("update", f"user {user.name}", "groups", sorted(current), sorted(wanted)))


def _passwd_values(account: Account) -> dict[str, str]:
    return {
        "uid": str(account.uid),
        "gid": str(account.gid),
        "comment": account.comment,
        "home": account.home,
        "shell": account.shell,
    }


def _keys_dir(desired: Desired, state: State) -> list[Step]:
    if state.keys_dir is None:
        if not any(user.authorized_keys for user in desired.present_users):
            return []
        change = Change("create", f"folder {desired.keys_dir}", None, None, {"owner": 0, "mode": "0755"})
    else:
        _kind, owner, mode = state.keys_dir
        if (owner, mode) == (0, KEYS_DIR_MODE):
            return []
        before = {"owner": owner, "mode": f"{mode:04o}"}
        change = Change("update", f"folder {desired.keys_dir}", None, before, {"owner": 0, "mode": "0755"})
    return [Step("make_keys_dir", {"path": desired.keys_dir, "mode": KEYS_DIR_MODE}, (change,))]


def _key_files(desired: Desired, state: State) -> list[Step]:
    steps = []
    for user in desired.present_users:
        if user.authorized_keys is not None:
            wanted = authorized_keys.render(user.authorized_keys, now=state.now)
            path, here = desired.keys_path(user.name), state.keys.get(user.name)
            steps += file_steps(path, here, wanted, mode=KEYS_MODE, subject=f"keys of {user.name}", shown=key_summaries)
    return steps


def _sudo_files(desired: Desired, state: State) -> list[Step]:
    steps = []
    for user in desired.present_users:
        if user.sudo is not None:
            wanted = sudoers_text(user.name, user.sudo)
            path, here = desired.sudoers_path(user.name), state.sudoers.get(user.name)
            subject = f"sudo rules of {user.name}"
            steps += file_steps(path, here, wanted, mode=SUDOERS_MODE, subject=subject, shown=rule_lines)
    return steps


def file_steps(
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
        return [Step("remove_file", {"path": path}, (Change("delete", subject, None, shown(here.text), None),))]
    write = {"path": path, "text": wanted, "mode": mode}
    if here is None:
        return [Step("write_file", write, (Change("create", subject, None, None, shown(wanted)),))]
    changes = []
    if here.text != wanted:
        before, after = shown(here.text), shown(wanted)
        if before == after:
            before = ["(other text)", *before]
        changes.append(Change("update", subject, None, before, after))
    if (here.uid, here.gid, here.mode) != (0, 0, mode):
        before_access = f"{here.uid}:{here.gid} {here.mode:04o}"
        changes.append(Change("update", subject, "access", before_access, f"0:0 {mode:04o}"))
    return [Step("write_file", write, tuple(changes))] if changes else []


def key_summaries(text: str) -> list[str]:
    return [entry.summary() for entry in authorized_keys.read(text)]


def rule_lines(text: str) -> list[str]:
    return [line.partition(" ")[2] for line in lines_of(text) if line and not line.startswith("#")]


def _homes(desired: Desired, state: State) -> list[Step]:
    steps = []
    for user in desired.present_users:
        home = state.homes.get(user.name)
        if home is not None and home.kind == "missing" and home.writer is not None:
            arguments = {
                "name": user.name,
                "uid": user.uid,
                "gid": user.gid,
                "groups": user.groups or (),
                "home": user.home,
                "mode": desired.home_mode,
            }
            after = {"owner": user.uid, "mode": f"{desired.home_mode:04o}"}
            steps.append(Step("make_home", arguments, (Change("create", f"home {user.home}", None, None, after),)))
    return steps


def _untouched(desired: Desired, state: State) -> list[str]:
    """Rights given earlier that the declaration no longer mentions: left alone, but never silently."""
    notes = []
    for user in desired.present_users:
        for option, path, here, declared in (
            ("authorized_keys", desired.keys_path(user.name), state.keys, user.authorized_keys),
            ("sudo", desired.sudoers_path(user.name), state.sudoers, user.sudo),
        ):
            if declared is None and user.name in here:
                notes.append(f"{user.name} declares no {option}, so {path} stays; an empty list removes it.")
    return notes


def _predict(desired: Desired, state: State, records: _Records) -> State:
    keys, sudoers, homes = dict(state.keys), dict(state.sudoers), dict(state.homes)
    for user in desired.present_users:
        if user.authorized_keys is not None:
            _set(keys, user.name, authorized_keys.render(user.authorized_keys, now=state.now), KEYS_MODE)
        if user.sudo is not None:
            _set(sudoers, user.name, sudoers_text(user.name, user.sudo), SUDOERS_MODE)
        home = homes.get(user.name)
        if home is not None and home.kind == "missing" and home.writer is not None:
            homes[user.name] = Home("folder", owner=user.uid)
    after = dataclasses.replace(
        state, users=records.users, groups=records.groups, keys=keys, sudoers=sudoers, homes=homes, earlier_operations=()
    )
    return accounts_leave.predict(desired, after)


def _set(table: dict[str, FileState], name: str, text: str, mode: int) -> None:
    table.pop(name, None)
    if text:
        table[name] = FileState(text, 0, 0, mode)
