# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Mount points. They are read without access to the file systems, because a dead file system would hang."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .._core.text import lines_of

_OCTAL = re.compile(r"\\([0-7]{3})")
_NETWORK = ("nfs", "nfs4", "lustre", "cifs", "ceph", "beegfs", "gpfs", "glusterfs", "wekafs", "afs", "9p")


@dataclass(frozen=True)
class Mount:
    path: str
    type: str

    @property
    def network(self) -> bool:
        return self.type in _NETWORK or self.type.startswith("fuse.")


def read(path: str = "/proc/self/mounts") -> tuple[Mount, ...]:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        return parse(stream.read())


def parse(text: str) -> tuple[Mount, ...]:
    fields = (line.split(" ") for line in lines_of(text))
    return tuple(Mount(_plain(field[1]), field[2]) for field in fields if len(field) > 2)


def covering(mounts: t.Sequence[Mount], path: str) -> Mount | None:
    """The mount that contains ``path``: the one with the longest mount point above ``path``. If a mount point has several mounts,
    the last one hides the others."""
    best: Mount | None = None
    for mount in mounts:
        if below(path, mount.path) and (best is None or len(mount.path) >= len(best.path)):
            best = mount
    return best


def below(path: str, root: str) -> bool:
    """Whether ``path`` is ``root`` or is inside it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), text)
