# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts the module's parameters to the desired state, and collects all problems of the declaration itself."""

from __future__ import annotations

import dataclasses
import posixpath
import re
import typing as t

from ..._core.failure import not_allowed
from ..._core.finding import WARNING, Finding, note
from ..._core.times import iso_epoch
from ..._ssh import authorized_keys, key_options, user_key
from ..._ssh.public_key import BadKey
from . import home_nesting, operations, operations_access
from .model import IMAGE_ACCOUNTS, Desired, Group, User

_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}\Z")
NAME_ALLOWED = "1 to 32 characters of a-z, 0-9, _ and -, beginning with a letter or _"
_ID_LAST = 4294967294
_ID_RESERVED = (65534, 65535)
ID_ALLOWED = (
    f"a whole number from 1000 to {_ID_LAST}, except 65534 and 65535 (lower numbers belong to the image)"
)
_SYSTEM_FOLDERS = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr")
PATH_ALLOWED = "an absolute path of printable characters without '..', '//', ':' and spaces"
HOME_ALLOWED = "a folder at least two levels deep, outside system folders, that is not a shared root itself"
_MODES = {"0700": 0o700, "0710": 0o710, "0711": 0o711, "0750": 0o750, "0751": 0o751, "0755": 0o755}
_OPTIONS_ALLOWED = "options of sshd's authorized_keys, separated by commas without spaces"


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """The desired state with its problems. If there are any, the state has only the entries that can be compared with a node."""
    problems: list[str] = []
    found = Desired(
        groups=tuple(_group(entry, index, problems) for index, entry in enumerate(params["groups"])),
        users=tuple(_user(entry, index, problems) for index, entry in enumerate(params["users"])),
        authorized_keys_dir=_path("authorized_keys_dir", params["authorized_keys_dir"], problems),
        shared_roots=tuple(_path("shared_home_roots", root, problems) for root in params["shared_home_roots"]),
        create_homes=params["create_homes"],
        home_mode=_MODES.get(params["home_mode"], 0o700),
        operations_user=params["operations_user"],
        connecting_user=params["connecting_user"],
        remove_home=params["remove_home"],
        spare_jobs=params["spare_jobs"],
        operations_key=operations_access.key_of(params.get("operations_key"), problems),
    )
    if params["home_mode"] not in _MODES:
        problems.append(not_allowed("home_mode", params["home_mode"], ", ".join(_MODES)))
    problems += _doubles(found)
    problems += _nested(found)
    problems += _protected(found)
    problems += [
        not_allowed(f"users[{user.name}].home", user.home, HOME_ALLOWED)
        for user in found.present_users
        if user.home in found.shared_roots and user.home.count("/") > 1
    ]
    return dataclasses.replace(found, **_comparable(found), problems=tuple(problems)) if problems else found


def _comparable(desired: Desired) -> dict[str, t.Any]:
    groups = tuple(group for group in desired.groups if _NAME.match(group.name) and (group.gid or not group.present))
    users = tuple(
        user
        for user in desired.users
        if _NAME.match(user.name)
        and (user.uid or not user.present)
        and not _path_problem(user.shell)
        and not _path_problem(user.home)
    )
    return {"groups": groups, "users": users}


def notes(desired: Desired, *, now: int) -> list[Finding]:
    """Settings that are allowed but suspicious: expired keys, and keys that several accounts have."""
    found = []
    owners: dict[str, list[str]] = {}
    for user in desired.present_users:
        for entry in user.authorized_keys or ():
            owners.setdefault(entry.key.fingerprint, []).append(user.name)
            if entry.expired(now):
                when = iso_epoch(t.cast(int, entry.expires))
                text = f"The key {entry.key.fingerprint} of {user.name} expired at {when} and is not installed."
                found.append(note("key-expired", text, severity=WARNING, subject=user.name))
    for fingerprint, names in owners.items():
        if len(names) > 1:
            text = f"The key {fingerprint} allows logins to several accounts: {', '.join(names)}."
            found.append(note("key-shared", text, subject=fingerprint))
    return found


def _group(entry: t.Mapping[str, t.Any], index: int, problems: list[str]) -> Group:
    name = entry["name"]
    label = _label("groups", name, index, problems)
    present = entry["state"] == "present"
    if entry["gid"] is None and present:
        problems.append(not_allowed(f"{label}.gid", None, ID_ALLOWED, "a group with state present requires a GID"))
    else:
        _check_id(f"{label}.gid", entry["gid"], problems)
    return Group(name=name, gid=entry["gid"], present=present)


def _user(entry: t.Mapping[str, t.Any], index: int, problems: list[str]) -> User:
    name = entry["name"]
    label = _label("users", name, index, problems)
    present = entry["state"] == "present"
    if entry["uid"] is None and present:
        problems.append(not_allowed(f"{label}.uid", None, ID_ALLOWED, "a user with state present requires a UID"))
    _check_id(f"{label}.uid", entry["uid"], problems)
    if entry["gid"] is not None and entry["gid"] != 100:
        _check_id(f"{label}.gid", entry["gid"], problems)
    for group in entry["groups"] or ():
        if not _NAME.match(group):
            problems.append(not_allowed(f"{label}.groups", group, NAME_ALLOWED))
    if entry["comment"] is not None and (":" in entry["comment"] or not entry["comment"].isprintable()):
        problems.append(not_allowed(f"{label}.comment", entry["comment"], "one line of printable characters without ':'"))
    return User(
        name=name,
        present=present,
        uid=entry["uid"],
        gid=entry["uid"] if entry["gid"] is None else entry["gid"],
        private_group=entry["gid"] is None or entry["gid"] == entry["uid"],
        groups=None if entry["groups"] is None else tuple(sorted(set(entry["groups"]))),
        comment=entry["comment"],
        shell=_path(f"{label}.shell", entry["shell"], problems),
        home=_home(f"{label}.home", entry["home"], name, problems),
        authorized_keys=_keys(label, entry["authorized_keys"], problems),
        sudo=_sudo(f"{label}.sudo", entry["sudo"], problems),
        source=entry["source"] or "",
        former_uids=_former_uids(f"{label}.former_uids", entry.get("former_uids") or (), problems),
    )


def _former_uids(option: str, uids: t.Sequence[int], problems: list[str]) -> tuple[int, ...]:
    for uid in uids:
        _check_id(option, uid, problems)
    return tuple(dict.fromkeys(uids))


def _label(option: str, name: str, index: int, problems: list[str]) -> str:
    if _NAME.match(name):
        return f"{option}[{name}]"
    problems.append(not_allowed(f"{option}[{index}].name", name, NAME_ALLOWED))
    return f"{option}[{index}]"


def _check_id(option: str, value: int | None, problems: list[str]) -> None:
    if value is not None and (not 1000 <= value <= _ID_LAST or value in _ID_RESERVED):
        problems.append(not_allowed(option, value, ID_ALLOWED))


def _path(option: str, value: str, problems: list[str]) -> str:
    if _path_problem(value):
        problems.append(not_allowed(option, value, PATH_ALLOWED))
    return value


def _path_problem(value: str) -> bool:
    plain = value.startswith("/") and not value.startswith("//") and posixpath.normpath(value) == value
    return not plain or re.search(r"[:\s]", value) is not None or not value.isprintable()


def _home(option: str, value: str | None, name: str, problems: list[str]) -> str:
    if value is None:
        return f"/fsx/{name}"
    known = len(problems)
    _path(option, value, problems)
    in_system = any(value == folder or value.startswith(folder + "/") for folder in _SYSTEM_FOLDERS)
    if len(problems) == known and (value.count("/") < 2 or in_system):
        problems.append(not_allowed(option, value, HOME_ALLOWED))
    return value


def _keys(
    label: str, entries: t.Sequence[t.Mapping[str, t.Any]] | None, problems: list[str]
) -> tuple[authorized_keys.Entry, ...] | None:
    if entries is None:
        return None
    found: list[authorized_keys.Entry] = []
    for index, entry in enumerate(entries):
        option = f"{label}.authorized_keys[{index}]"
        try:
            key = user_key.parse(entry["key"])
        except BadKey as error:
            problems.append(not_allowed(f"{option}.key", error.shown, user_key.ALLOWED, str(error)))
            continue
        if operations.is_marked(key.comment):
            why = f"{operations.MARK} marks the key of an operations account, which node_access manages"
            problems.append(not_allowed(f"{option}.key", key.fingerprint, "a key with a different comment", why))
        if any(key.blob == other.key.blob for other in found):
            problems.append(not_allowed(f"{option}.key", key.fingerprint, "each key of a user once"))
        options, expires = _key_options(option, entry, problems), _expires(option, entry, problems)
        found.append(authorized_keys.Entry(key=key, options=options, expires=expires))
    return tuple(found)


def _key_options(option: str, entry: t.Mapping[str, t.Any], problems: list[str]) -> str:
    options = (entry["options"] or "").strip()
    if not options:
        return ""
    if not options.isprintable():
        problems.append(not_allowed(f"{option}.options", options, "one line of printable characters"))
        return options
    try:
        key_options.check(options)
    except key_options.BadOptions as error:
        problems.append(not_allowed(f"{option}.options", options, _OPTIONS_ALLOWED, str(error)))
    return options


def _expires(option: str, entry: t.Mapping[str, t.Any], problems: list[str]) -> int | None:
    if not entry["expires"]:
        return None
    try:
        return authorized_keys.parse_expires(entry["expires"])
    except (ValueError, OverflowError):
        problems.append(not_allowed(f"{option}.expires", entry["expires"], authorized_keys.EXPIRES_ALLOWED))
        return None


def _sudo(option: str, value: t.Any, problems: list[str]) -> tuple[str, ...] | None:
    if value is None:
        return None
    rules = [value] if isinstance(value, str) else value
    allowed = "one line without the user's name, as in 'ALL=(ALL) NOPASSWD: ALL'"
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        problems.append(not_allowed(option, value, "one rule or a list of rules, each " + allowed))
        return None
    known = len(problems)
    for rule in rules:
        broken = not rule.replace("\t", " ").isprintable() or rule.rstrip().endswith("\\")
        if broken or (rule.strip() and "=" not in rule) or rule.lstrip().startswith(("#", "@")):
            problems.append(not_allowed(option, rule, allowed))
    return tuple(rule.strip() for rule in rules if rule.strip()) if len(problems) == known else None


def _doubles(desired: Desired) -> list[str]:
    """Refusals of names, numbers and homes that are declared more than once."""
    users, groups = desired.users, desired.groups
    present = [group for group in groups if group.present]
    return [
        *_repeated("users", "name", [(user.name, user.name) for user in users]),
        *_repeated("users", "uid", [(user.uid, user.name) for user in users if user.uid is not None]),
        *_repeated("users", "home", [(user.home, user.name) for user in desired.present_users]),
        *_repeated("groups", "name", [(group.name, group.name) for group in groups]),
        *_repeated("groups", "gid", [(group.gid, group.name) for group in present if group.gid is not None]),
    ]


def _nested(desired: Desired) -> list[str]:
    homes = {user.name: user.home for user in desired.present_users}
    return [
        not_allowed(
            f"users[{name}].home",
            homes[name],
            "a home outside other homes",
            f"it is inside the home of {owner} ({homes[owner]}), who could replace it",
        )
        for name, owner in home_nesting.within(homes, homes)
        if homes[name] != homes[owner]
    ]


def _repeated(option: str, field: str, owners: t.Sequence[tuple[t.Any, str]]) -> list[str]:
    names: dict[t.Any, list[str]] = {}
    for value, name in owners:
        names.setdefault(value, []).append(name)
    return [
        not_allowed(f"{option}[].{field}", value, "each value once", f"it is declared {len(found)} times ({', '.join(found)})")
        for value, found in names.items()
        if len(found) > 1
    ]


def _protected(desired: Desired) -> list[str]:
    """Problems with accounts that a run itself needs."""
    problems = []
    for user in desired.users:
        if user.name in ("root", desired.operations_user):
            why = "root and the operations account cannot be declared; node_access manages the operations account"
            problems.append(not_allowed("users[].name", user.name, "the name of a user", why))
        elif user.name == desired.connecting_user:
            problems += _connecting(user)
        elif user.name in IMAGE_ACCOUNTS and not user.present:
            why = "it is an account of the image and is never removed"
            problems.append(not_allowed(f"users[{user.name}].state", "absent", "present", why))
    return problems


def _connecting(user: User) -> list[str]:
    label = f"users[{user.name}]"
    reason = "it is the account that this run connects with, and it must keep its access"
    if not user.present:
        return [not_allowed(f"{label}.state", "absent", "present", reason)]
    problems = []
    if user.authorized_keys == ():
        problems.append(not_allowed(f"{label}.authorized_keys", [], "at least one key", reason))
    if posixpath.basename(user.shell) in operations_access.NO_SHELLS:
        problems.append(not_allowed(f"{label}.shell", user.shell, "a shell that allows logins", reason))
    return problems
