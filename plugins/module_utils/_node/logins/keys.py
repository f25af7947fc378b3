# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The keys that allow logins to an account, from all files that sshd reads. Files in a home are read as the account."""

from __future__ import annotations

import typing as t

from ..._ssh import key_file
from .. import child, mounts
from ..accounts.model import Account
from ..sshd import files as sshd_files, lockout as sshd_lockout

_HOME_SECONDS = 10.0


class KeyFiles:
    """Reads the key files of accounts, one account after the other. Storage that did not respond is not read again."""

    def __init__(
        self,
        effective: sshd_files.Effective,
        *,
        shared_roots: t.Sequence[str],
        shared_homes: bool,
        table: t.Sequence[mounts.Mount],
    ) -> None:
        self._effective = effective
        self._shared_roots = shared_roots
        self._shared_homes = shared_homes
        self._table = table
        self._silent: set[str] = set()
        self.unread: list[str] = []

    def of(self, account: Account) -> list[dict[str, t.Any]]:
        found = []
        who = sshd_lockout.Account(account.name, account.uid, account.home, ())
        for file in sshd_lockout.authorized_keys_files(self._effective, account=who):
            if file.unknown:
                self._say(f"Keys in {file.pattern} could not be read: {sshd_lockout.no_such_token(file)}.")
                continue
            at_home = mounts.below(file.path, account.home)
            for key in self._keys(file.path, account, at_home=at_home):
                found.append({**key, "place": "home" if at_home else "managed"})
        return found

    def _keys(self, path: str, account: Account, *, at_home: bool) -> t.Sequence[key_file.Key]:
        root = self._storage(path)
        if root and not self._shared_homes:
            return ()
        mount = mounts.covering(self._table, path)
        if root and (mount is None or mount.path == "/"):
            self._say(f"Keys below {root} could not be read: nothing is mounted there.")
            return ()
        if mount is not None and mount.path in self._silent:
            return ()
        identity = child.Identity(account.name, account.uid, account.gid) if at_home else None
        try:
            keys, remarks = child.run(lambda: _read(path), timeout=_HOME_SECONDS, identity=identity)
        except child.Hung:
            where = mount.path if mount is not None else path
            self._silent.add(where)
            self._say(f"Keys below {where} could not be read: the file system did not respond.")
        except child.ChildFailed as error:
            self._say(f"{path} could not be read: {error}.")
        else:
            for remark in remarks:
                self._say(remark)
            return keys
        return ()

    def _storage(self, path: str) -> str:
        """The root of the shared storage that contains ``path``, or an empty text."""
        for root in self._shared_roots:
            if mounts.below(path, root):
                return root
        mount = mounts.covering(self._table, path)
        return mount.path if mount is not None and mount.network else ""

    def _say(self, sentence: str) -> None:
        if sentence not in self.unread:
            self.unread.append(sentence)


def _read(path: str) -> list[t.Any]:
    found = key_file.read(path)
    return [list(found.keys), list(found.remarks)]
