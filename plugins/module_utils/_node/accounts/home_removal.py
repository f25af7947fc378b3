# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Removes a home. The contents of other file systems that are mounted in the home stay."""

from __future__ import annotations

import errno
import os
import typing as t

from .. import mounts

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def mounted_in(homes: t.Mapping[str, str], table: t.Sequence[mounts.Mount]) -> dict[str, str]:
    """The first mount point in each home, keyed by the home's owner. Homes without a mount point are omitted."""
    found = {name: [mount.path for mount in table if mounts.below(mount.path, home)] for name, home in homes.items()}
    return {name: paths[0] for name, paths in found.items() if paths}


def remove(home: str) -> None:
    """Remove the home.

    :raises OSError: for example if a folder in the home belongs to a different mount. The folder's contents stay.
    """
    above = os.open(os.path.dirname(home), _FOLDER)
    try:
        _remove(above, os.path.basename(home), home, None)
    finally:
        os.close(above)


def _remove(above: int, name: str, path: str, mount: str | None) -> None:
    folder = os.open(name, _FOLDER, dir_fd=above)
    try:
        here = _mount_of(folder)
        if here != (mount or _mount_of(above)):
            raise OSError(errno.EXDEV, "another file system is mounted there", path)
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for each, is_folder in found:
            if is_folder:
                _remove(folder, each, f"{path}/{each}", here)
            else:
                os.unlink(each, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=above)


def _mount_of(folder: int) -> str:
    """The mount's ID. The device number is no substitute, because a bind mount of a folder has the same device number."""
    with open(f"/proc/self/fdinfo/{folder}", encoding="ascii") as stream:
        return next(line for line in stream if line.startswith("mnt_id:"))
