# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Small local files: read whole, replaced whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from dataclasses import dataclass

from . import system

_LABEL = "security.selinux"


@dataclass(frozen=True)
class FileState:
    text: str
    uid: int
    gid: int
    mode: int


def read_bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


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


def replace_file(path: str, content: bytes, *, mode: int, uid: int = 0, gid: int = 0, durable: bool = True) -> None:
    """Put ``content`` at ``path`` in one step: readers see the old file or the new one, ``durable`` also after a power cut.

    Only for folders that nobody but their owner may write to. The new file has a fixed name, so that what a killed run left
    is replaced by the next; with dots in it, sudo passes over it in sudoers.d, and no account has it. It keeps an SELinux label.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.mlfleet-new")
    remove(temporary)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchown(stream.fileno(), uid, gid)
            os.fchmod(stream.fileno(), mode)
            _copy_label(path, temporary)
            if durable:
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    if durable:
        sync_directory(folder)


def replace_text(path: str, text: str, *, mode: int, uid: int = 0, gid: int = 0, durable: bool = True) -> None:
    """As :func:`replace_file`, for text that :func:`read` gave."""
    replace_file(path, text.encode("utf-8", "surrogateescape"), mode=mode, uid=uid, gid=gid, durable=durable)


def remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def sync_directory(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restore_label(path: str) -> None:
    """Give ``path`` the SELinux label of the node's policy, where there is one: confined services read nothing else."""
    if shutil.which("restorecon", path=system.SEARCH_PATH):
        system.run(["restorecon", "-F", path], check=False)


def _copy_label(source: str, target: str) -> None:
    # OSError: the file is new, or the system has no SELinux.
    with contextlib.suppress(OSError):
        os.setxattr(target, _LABEL, os.getxattr(source, _LABEL))
