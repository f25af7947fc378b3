# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads small local files completely, and replaces them atomically."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import typing as t
from dataclasses import dataclass

from . import system

_LABEL = "security.selinux"
_OTHERS_WRITE = 0o022
_SET_ASIDE, _NAME_BYTES = ".set-aside-", 200
PLAIN, LINK, FOLDER, EMPTY_FOLDER, SPECIAL = "file", "link", "folder", "empty folder", "special file"


@dataclass(frozen=True)
class FileState:
    text: str
    """Empty unless the file is a plain file."""
    uid: int
    gid: int
    mode: int
    kind: str = PLAIN

    @property
    def is_folder(self) -> bool:
        return self.kind in (FOLDER, EMPTY_FOLDER)

    @property
    def access(self) -> str:
        return f"{self.uid}:{self.gid} {self.mode:04o}"

    def only_written_by(self, *uids: int) -> bool:
        """Whether one of ``uids`` owns the file, and neither group nor others may write to it, as sshd's StrictModes requires."""
        return self.kind != LINK and self.uid in uids and not self.mode & _OTHERS_WRITE


def read_bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def read(path: str) -> FileState | None:
    """The file, or None if it does not exist. A link or a special file raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a plain file")
        return FileState(stream.read(), status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode))


def look(path: str) -> FileState | None:
    """Like :func:`read`, but a link, a folder or a special file is returned with its ``kind`` and without text."""
    try:
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            return read(path)
    except FileNotFoundError:
        return None
    return FileState("", status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), _kind(path, status.st_mode))


def _kind(path: str, mode: int) -> str:
    if stat.S_ISLNK(mode):
        return LINK
    if not stat.S_ISDIR(mode):
        return SPECIAL
    try:
        return FOLDER if os.listdir(path) else EMPTY_FOLDER
    except OSError:  # the account may not read the folder, or it no longer exists
        return FOLDER


def replace_file(path: str, content: bytes, *, mode: int, uid: int = 0, gid: int = 0, durable: bool = True) -> None:
    """Replace ``path`` atomically. Readers see the previous or the new file; if ``durable`` is set, also after a power failure.

    No user but the owner may be able to write to the folder. The temporary file has a fixed name, so that the next run replaces
    the file of a killed run. The name contains dots, so sudo ignores the file in sudoers.d, and no account has this name. The
    SELinux label is kept.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.mlfleet-new")
    try:
        remove(temporary)
    except IsADirectoryError:  # a different account created it while it could write to the folder
        shutil.rmtree(temporary)
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
    """Like :func:`replace_file`, for text that :func:`read` returned."""
    replace_file(path, text.encode("utf-8", "surrogateescape"), mode=mode, uid=uid, gid=gid, durable=durable)


def remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def remove_entry(path: str) -> None:
    """Remove a file, a link (without following it) or an empty folder.

    :raises OSError: for a folder that is not empty.
    """
    try:
        remove(path)
    except IsADirectoryError:
        os.rmdir(path)


def remove_folder(path: str) -> None:
    """Remove an empty folder; leave anything else unchanged.

    :raises OSError: for a folder that is not empty.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.rmdir(path)


def set_aside(path: str, choose: t.Callable[[str, os.stat_result], bool]) -> None:
    """Rename the chosen entries of the folder ``path``, so that programs no longer find them."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for name in os.listdir(folder):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if _SET_ASIDE not in name and choose(name, status):
                kept = os.fsdecode(os.fsencode(name)[:_NAME_BYTES])
                new = f".{kept.lstrip('.')}{_SET_ASIDE}{secrets.token_hex(4)}"
                os.rename(name, new, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


def sync_directory(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restore_label(path: str) -> None:
    """Give ``path`` the SELinux label that the node's policy requires. Confined services can read only files with this label."""
    if shutil.which("restorecon", path=system.SEARCH_PATH):
        system.run(["restorecon", "-F", path], check=False)


def _copy_label(source: str, target: str) -> None:
    # OSError: the file is new, or the system has no SELinux.
    with contextlib.suppress(OSError):
        os.setxattr(target, _LABEL, os.getxattr(source, _LABEL))
