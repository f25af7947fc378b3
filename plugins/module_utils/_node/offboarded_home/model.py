# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The home of a removed user on shared storage, desired and observed."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from .. import child

SUFFIX = ".offboarded"


@dataclass(frozen=True)
class Desired:
    name: str
    uid: int
    gid: int
    home: str
    remove_keys: bool
    archive: bool
    shared_roots: tuple[str, ...]

    @property
    def archived(self) -> str:
        return self.home + SUFFIX

    @property
    def identity(self) -> child.Identity:
        return child.Identity(self.name, self.uid, self.gid)


@dataclass(frozen=True)
class State:
    """``kind``: ``folder``, ``missing``, ``archived`` (has the new name), ``foreign`` (has another owner), ``other`` (a file),
    ``unmounted`` (its storage is not mounted) or ``silent`` (its storage hangs).
    """

    kind: str
    path: str
    owner: int | None = None
    keys: t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]] = dataclasses.field(default_factory=dict)
    """Keys, keyed by file, for each file that sshd would read. A file without readable keys has an empty list."""
    taken: bool = False
    """Whether something already exists at the new path."""
    remarks: t.Sequence[str] = ()
    """Sentences that explain why the home may have more keys than ``keys``."""
