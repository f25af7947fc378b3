# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Small local files: read whole, replaced whole."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass

_LABEL = "security.selinux"


@dataclass(frozen=True)
class FileState:
    text: str
    uid: int
    gid: int
    mode: int


def read(path: str) -> FileState | None:
    """The file, or None where there is none. A link or anything else that is no plain file has no text of ours."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a plain file")
        return FileState(stream.read(), status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode))


def replace(path: str, text: str, *, uid: int, gid: int, mode: int, durable: bool = False) -> None:
    """Put ``text`` at ``path`` in one step; readers see the old file or the new one. An SELinux label is kept.

    Only for folders that nobody but root may write to. The new file has a fixed name, so that what a killed run left is
    replaced by the next; with a dot in it, sudo passes over it in sudoers.d, and no account has it.
    """
    temporary = f"{path}.mlfleet-new"
    remove(temporary)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fchown(stream.fileno(), uid, gid)
            os.fchmod(stream.fileno(), mode)
            _copy_label(path, temporary)
            if durable:
                os.fsync(stream.fileno())
        os.rename(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _copy_label(source: str, target: str) -> None:
    # OSError: the file is new, or the system has no SELinux.
    with contextlib.suppress(OSError):
        os.setxattr(target, _LABEL, os.getxattr(source, _LABEL))
