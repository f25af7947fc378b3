# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the files of host keys on a node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import grp
import os
import stat

from ...._core.plan import Secret
from ...._ssh.public_key import BadKey, PublicKey
from ...files import read_bytes
from .model import SLOTS, FileState, State, private_path, public_path


def public_keys() -> dict[str, PublicKey]:
    """Public keys, keyed by slot, without access to private keys."""
    keys = {}
    for slot in SLOTS:
        try:
            keys[slot] = PublicKey.parse((read_bytes(public_path(slot)) or b"").decode("utf-8", "replace"))
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


def _ssh_keys_group() -> int | None:
    try:
        return grp.getgrnam("ssh_keys").gr_gid
    except KeyError:
        return None
