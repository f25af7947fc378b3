# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks whether sshd, with given effective settings, would accept a key login of a user. Standard library only, Python 3.9
syntax."""

from __future__ import annotations

import grp
import ipaddress
import itertools
import os
import pathlib
import pwd
import re
import stat
import typing as t
from dataclasses import dataclass

from ..._ssh.public_key import BY_ALGORITHM
from .files import Effective


@dataclass(frozen=True)
class Account:
    """The properties of a user that sshd's access rules need."""

    name: str
    uid: int
    home: str
    groups: tuple[str, ...]


TOKENS: t.Mapping[str, t.Callable[[Account], str]] = {
    "%": lambda account: "%",
    "h": lambda account: account.home,
    "U": lambda account: str(account.uid),
    "u": lambda account: account.name,
}
"""All tokens that AuthorizedKeysFile accepts (sshd_config(5), TOKENS). sshd ends the login at any other token."""


def find_account(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    groups = []
    for gid in os.getgrouplist(name, entry.pw_gid):
        try:
            groups.append(grp.getgrgid(gid).gr_name)
        except KeyError:
            continue
    return Account(name, entry.pw_uid, entry.pw_dir, tuple(groups))


def obstacles(
    effective: Effective,
    *,
    account: Account,
    address: str,
    keys_in: t.Callable[[str, Account], list[str]] | None = None,
) -> list[str]:
    """The reasons why sshd would refuse a key login of ``account`` from ``address``; empty if none is known."""
    found = []
    if effective.get("pubkeyauthentication", ("yes",))[0] != "yes":
        found.append("PubkeyAuthentication is off")
    methods = " ".join(effective.get("authenticationmethods", ("any",))).split()
    if not any(method in ("any", "publickey") for method in methods):
        found.append(f"AuthenticationMethods requires more than a key ({' '.join(methods)})")
    if account.uid == 0 and effective.get("permitrootlogin", ("",))[0] not in (
        "yes",
        "without-password",
        "prohibit-password",
    ):
        found.append("PermitRootLogin does not allow root")
    command = effective.get("forcecommand", ("none",))[0]
    if command != "none":
        found.append(f"ForceCommand runs {command!r} instead of Ansible's commands")
    if effective.get("maxsessions", ("10",))[0] == "0":
        found.append("MaxSessions 0 allows no session")
    found.extend(_access_rules(effective, account=account, address=address))
    if effective.get("authorizedkeyscommand", ("none",))[0] == "none":
        found.extend(_key_rules(effective, account=account, keys_in=keys_in or keys_in_file))
    return found


@dataclass(frozen=True)
class KeysFile:
    """A file in AuthorizedKeysFile."""

    pattern: str
    path: str
    """Empty if the pattern has an unknown token."""
    unknown: str = ""
    """A token that is not in ``TOKENS``."""


def authorized_keys_files(effective: Effective, *, account: Account) -> list[KeysFile]:
    patterns = " ".join(effective.get("authorizedkeysfile", ())).split()
    return [_keys_file(pattern, account) for pattern in patterns if pattern != "none"]


def _keys_file(pattern: str, account: Account) -> KeysFile:
    unknown = next((found.group() for found in re.finditer("%(.?)", pattern) if found.group(1) not in TOKENS), None)
    if unknown is not None:
        return KeysFile(pattern, "", unknown)
    path = re.sub("%(.)", lambda found: TOKENS[found.group(1)](account), pattern)
    return KeysFile(pattern, os.path.join(account.home, path))


def no_such_token(file: KeysFile) -> str:
    return f"sshd_config(5) lists no token {file.unknown} for AuthorizedKeysFile"


def keys_in_file(path: str, account: Account) -> list[str]:
    """The algorithms of the keys that sshd would find in ``path``.

    With StrictModes, sshd ignores a file if other users may write to it, or to one of its folders up to the home.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            info = os.fstat(file.fileno())
            folders = (os.stat(folder) for folder in _folders(path, account.home))
            if not stat.S_ISREG(info.st_mode) or not all(_only_written_by(account, each) for each in (info, *folders)):
                return []
            # Options may precede the algorithm. The encoded key after the algorithm always begins with AAAA.
            keys = (re.search(r"(?:^|\s)(\S+)\s+AAAA", line) for line in file if not line.lstrip().startswith("#"))
            return [key.group(1) for key in keys if key]
    except OSError:
        return []


def _folders(path: str, home: str) -> t.Iterator[str]:
    """The folders above a file, up to the home if the file is in it."""
    for folder in pathlib.PurePath(os.path.realpath(path)).parents:
        yield str(folder)
        if str(folder) == os.path.realpath(home):
            return


def _only_written_by(account: Account, info: os.stat_result) -> bool:
    return info.st_uid in (0, account.uid) and not info.st_mode & 0o022


def _key_rules(
    effective: Effective, *, account: Account, keys_in: t.Callable[[str, Account], list[str]]
) -> t.Iterator[str]:
    """Why sshd would accept no key of the account. sshd reads the files in order, so files after an unknown token are ignored."""
    files = authorized_keys_files(effective, account=account)
    paths = [file.path for file in itertools.takewhile(lambda file: not file.unknown, files)]
    keys = {algorithm for path in paths for algorithm in keys_in(path, account)}
    if not keys:
        unknown = next((file for file in files if file.unknown), None)
        if unknown is not None:
            yield f"the keys in {unknown.pattern} are unknown ({no_such_token(unknown)})"
        else:
            yield f"no key was found in {', '.join(paths) or 'any file'}"
        return
    keyword = "PubkeyAcceptedAlgorithms"
    if keyword.lower() not in effective:
        keyword = "PubkeyAcceptedKeyTypes"  # the name before OpenSSH 8.5
    accepted = ",".join(effective.get(keyword.lower(), ("*",))).split(",")
    signatures = {signature for key in keys for signature in _signatures(key)}
    if not any(_matches(pattern, signature) for pattern in accepted for signature in signatures):
        yield f"{keyword} accepts no key of {account.name} ({', '.join(sorted(keys))})"


def _signatures(algorithm: str) -> tuple[str, ...]:
    """The algorithms that a key can sign with."""
    known = BY_ALGORITHM.get(algorithm)
    return (algorithm, *(known.signatures if known else ()))


def _access_rules(effective: Effective, *, account: Account, address: str) -> t.Iterator[str]:
    def users(keyword: str) -> list[str]:
        return " ".join(effective.get(keyword, ())).split()

    if any(_user_matches(pattern, account.name, address) for pattern in users("denyusers")):
        yield f"DenyUsers names {account.name}"
    if users("allowusers") and not any(
        _user_matches(pattern, account.name, address) for pattern in users("allowusers")
    ):
        yield f"AllowUsers does not name {account.name}"
    denied = [group for group in account.groups if any(_matches(item, group) for item in users("denygroups"))]
    if denied:
        yield f"DenyGroups names {denied[0]}"
    allowed = users("allowgroups")
    if allowed and not any(_matches(pattern, group) for pattern in allowed for group in account.groups):
        yield f"AllowGroups names no group of {account.name}"


def _user_matches(pattern: str, user: str, address: str) -> bool:
    name, at, host = pattern.rpartition("@") if "@" in pattern else (pattern, "", "")
    if not _matches(name, user):
        return False
    if not at:
        return True
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(host, strict=False)
    except ValueError:
        return _matches(host, address)


def _matches(pattern: str, text: str) -> bool:
    """Matches OpenSSH's patterns, whose only wildcards are ``*`` and ``?``."""
    expression = "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern)
    return re.fullmatch(expression, text) is not None
