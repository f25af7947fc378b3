# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The host keys of a node and their files. Private keys are never in State. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ...._core.plan import Secret
from ...._ssh.public_key import HOST_KEY_TYPES, PublicKey

FOLDER = "/etc/ssh"
NEXT = "_next"
"""Suffix of a slot whose key sshd announces but does not present."""
SLOTS = (*HOST_KEY_TYPES, *(key_type + NEXT for key_type in HOST_KEY_TYPES))


@dataclass(frozen=True)
class HostKey:
    """A desired pair of keys. It was checked that the two keys match."""

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
    """A file on the node. ``content`` is only a fingerprint."""

    content: Secret
    mode: int
    uid: int
    gid: int


@dataclass(frozen=True)
class State:
    """The host keys on a node, keyed by slot: the private file, the public file, and the public key in the public file."""

    private: t.Mapping[str, FileState]
    public: t.Mapping[str, FileState]
    keys: t.Mapping[str, PublicKey]
    ssh_keys_group: int | None


def private_path(slot: str) -> str:
    key_type, following, _end = slot.partition(NEXT)
    return f"{FOLDER}/ssh_host_{key_type}_key{following}"


def public_path(slot: str) -> str:
    return private_path(slot) + ".pub"
