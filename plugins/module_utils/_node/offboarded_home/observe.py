# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a home and the keys in it as its owner, because root has no rights on storage with root squash."""

from __future__ import annotations

import os
import stat
import typing as t

from ..._core.text import printable
from ..._ssh import key_file
from .. import child, mounts
from ..accounts import homes
from .model import Desired, State

_KEY_FILES = (".ssh/authorized_keys", ".ssh/authorized_keys2")
_SECONDS = 20.0


def observe(desired: Desired) -> State:
    table = mounts.read()
    root = next((root for root in desired.shared_roots if mounts.below(desired.home, root)), None)
    if root is not None and not homes.mounted(root, table):
        return State("unmounted", desired.home)
    try:
        kind, path, owner, keys, taken, remarks = child.run(lambda: _look(desired), timeout=_SECONDS, identity=desired.identity)
    except child.Hung:
        return State("silent", desired.home)
    return State(kind, path, owner, keys, taken, tuple(remarks))


def _look(desired: Desired) -> list[t.Any]:
    home, archived = _status(desired.home), _status(desired.archived)
    taken = archived is not None
    if home is None:
        if archived is not None and archived.st_uid == desired.uid:
            return ["archived", desired.archived, desired.uid, *_key_files(desired.archived, taken)]
        return ["missing", desired.home, None, {}, taken, []]
    if not stat.S_ISDIR(home.st_mode):
        return ["other", desired.home, home.st_uid, {}, taken, []]
    if home.st_uid != desired.uid:
        return ["foreign", desired.home, home.st_uid, {}, taken, []]
    return ["folder", desired.home, home.st_uid, *_key_files(desired.home, taken)]


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _key_files(home: str, taken: bool) -> list[t.Any]:
    """``keys``, ``taken`` and ``remarks`` of the state. If ``.ssh`` is a link, all keys are listed under the link's path. A run
    removes only the link, because its target may belong to a different user."""
    keys: dict[str, list[key_file.Key]] = {}
    remarks: list[str] = []
    for name in _KEY_FILES:
        path = os.path.join(home, name)
        try:
            found = key_file.read(path)
        except OSError as error:
            found = key_file.Found(remarks=(f"{path} could not be read: {error.strerror}.",))
        folder = os.path.dirname(path)
        shown = folder if os.path.islink(folder) else path
        if shown == folder or _removable(shown):
            keys[shown] = [*keys.get(shown, ()), *found.keys]
        remarks += found.remarks
        if shown == folder:
            remarks.append(f"{folder} is a symbolic link to {printable(os.readlink(folder))}.")
    return [keys, taken, list(dict.fromkeys(remarks))]


def _removable(path: str) -> bool:
    """Whether the path is a file or a link. sshd reads nothing else."""
    status = _status(path)
    return status is not None and (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode))
