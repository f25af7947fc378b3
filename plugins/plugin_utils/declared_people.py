# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users who must have an account: the users of ``hyperpod_users`` and of user files, without offboarded users."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text

from . import shared_users

Users = t.Sequence[t.Any]
"""Entries in their declared form, valid or not."""
Offboarded = t.Mapping[str, t.Mapping[str, t.Any]]
"""The records of offboarded users, keyed by name, with ``owner``, ``since``, ``uid`` and ``other_uids``."""

VARIABLE = "hyperpod_users"


def declared(users: Users, files: t.Sequence[str]) -> list[t.Any]:
    """The users of both sources. For a user in both, the entry in ``users`` completes and overrides the entry in a file.

    :raises BadUsersFile: for a file that can't be read, or two sources with different UIDs for a user.
    """
    if not files:
        return list(users)  # the entries are not evaluated, because they may contain many lookups
    listed = _listed(files)
    sentences = _disagreeing(users, listed)
    if sentences:
        raise shared_users.BadUsersFile(" ".join(sentences))
    base = {each.name: each.user() for each in reversed(listed)}
    named = {_name(user) for user in users}
    own = [_completed(base.get(_name(user), {}), user) if isinstance(user, t.Mapping) else user for user in users]
    return own + [base[name] for name in dict.fromkeys(each.name for each in listed) if name not in named]


def problems(users: Users, files: t.Sequence[str], offboarded: Offboarded) -> list[str]:
    """Sentences about conflicts between entries. Individual entries are validated later."""
    try:
        people = declared(users, files)
    except shared_users.BadUsersFile as error:
        return [str(error)]
    owners = {uid: name for name, record in sorted(offboarded.items()) for uid in uids_of(record)}
    sources = source_of(users, files)
    return [
        refusal_text(
            sources[_name(user)],
            f"the UID {user['uid']} of {user['name']}",
            "a different UID",
            f"this UID belonged to {_gone(owners[int(user['uid'])], offboarded)}, and files on shared storage still have it",
        )
        for user in people
        if _stays(user) and user["name"] not in offboarded and _number(user.get("uid")) in owners
    ]


def honoured(people: t.Sequence[t.Any], offboarded: Offboarded) -> list[t.Any]:
    """The entries, with every offboarded user as ``state: absent``, because nodes may still have the user's account."""
    kept = [user for user in people if _name(user) not in offboarded]
    gone = sorted(offboarded.items())
    return kept + [{"name": name, "state": "absent", "former_uids": uids_of(record)} for name, record in gone]


def notes(users: Users, files: t.Sequence[str], offboarded: Offboarded) -> list[str]:
    """Sentences about offboarded users who are still declared."""
    staying = {_name(user) for user in declared(users, files) if _stays(user)}
    return [
        f"{_gone(name, offboarded)}, is still declared in {source}, but gets no account. Remove the entry"
        for name, source in source_of(users, files).items()
        if name in offboarded and name in staying
    ]


def source_of(users: Users, files: t.Sequence[str]) -> dict[str, str]:
    """Where each user is declared, keyed by name, for messages. A user can be declared in several places."""
    places: dict[str, list[str]] = {}
    for user in users:
        places.setdefault(_name(user), []).append(origin(user))
    for each in _listed(files):
        places.setdefault(each.name, []).append(each.source)
    return {name: " and ".join(dict.fromkeys(found)) for name, found in places.items()}


def origin(user: t.Any) -> str:
    """The file and line of an entry if ansible-core provides them, or else the name of the variable."""
    try:
        from ansible._internal._datatag._tags import Origin
    except ImportError:  # private to ansible-core, so it may move
        return VARIABLE
    values = [user] if not isinstance(user, t.Mapping) else [user.get("name"), user]
    for value in values:
        tag = Origin.get_tag(value)
        if tag is not None and tag.path:
            return f"{tag.path} line {tag.line_num}" if tag.line_num else tag.path
    return VARIABLE


def uids_of(record: t.Mapping[str, t.Any]) -> list[int]:
    """The UIDs of an offboarded user, which must not be reused."""
    numbers = [_number(uid) for uid in (record.get("uid"), *(record.get("other_uids") or ()))]
    return [number for number in numbers if number is not None]


def plain(value: t.Any) -> t.Any:
    """A copy with all nested templates evaluated. An ordinary copy of Ansible's lazy containers would still contain templates."""
    if isinstance(value, t.Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _completed(listed: t.Mapping[str, t.Any], user: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """``user`` merged over the entry of a file. If ``user`` sets a home, the result names no file as ``source``."""
    entry = {**listed, **plain(user)}
    if "source" in listed and plain(user).get("home") is not None:
        entry.pop("source")
    return entry


def _listed(files: t.Sequence[str]) -> list[shared_users.Listed]:
    return [each for path in files for each in shared_users.read(path)]


def _disagreeing(users: Users, listed: t.Sequence[shared_users.Listed]) -> list[str]:
    found: dict[str, dict[int, str]] = {}
    for each in listed:
        found.setdefault(each.name, {}).setdefault(each.uid, each.source)
    for user in users:
        uid = _number(user.get("uid")) if isinstance(user, t.Mapping) else None
        if uid is not None and _name(user) in found:
            found[_name(user)].setdefault(uid, origin(user))
    return [
        f"{name} has several UIDs: {', '.join(f'{uid} ({source})' for uid, source in sorted(uids.items()))}. "
        "Declare only one of them."
        for name, uids in found.items()
        if len(uids) > 1
    ]


def _gone(name: str, offboarded: Offboarded) -> str:
    record = offboarded[name]
    return f"{name}, who was offboarded on {str(record.get('since'))[:10]} by {record.get('owner')}"


def _stays(user: t.Any) -> bool:
    return isinstance(user, t.Mapping) and user.get("state", "present") != "absent"


def _name(user: t.Any) -> str:
    return str(user.get("name")) if isinstance(user, t.Mapping) else ""


def _number(value: t.Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
