# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A shared file system with root squash: forwards each request with the caller's rights.

Runs in a chroot of the image (it has fusepy): `fsx_daemon.py DATA MOUNTPOINT SOURCE`. Every request is handled with
the file-system uid, gid and groups of the calling process, so that the kernel checks it as a file server would;
uid 0 becomes `nobody`. Nothing is cached, because cached replies would be given to others without a check.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys

import fusepy

NOBODY = 65534
_SETGROUPS = {"x86_64": 116, "aarch64": 159}[platform.machine()]
_libc = ctypes.CDLL(None, use_errno=True)
_Groups = ctypes.c_uint32 * 64


def groups_of(pid: int) -> list[int]:
    """Supplementary groups of a process; none if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("Groups:"):
                    return [int(word) for word in line.split()[1:]]
    except OSError:
        pass
    return []


def become(uid: int, gid: int, pid: int) -> None:
    """Take the caller's rights for this thread only: the raw system calls do not affect other threads."""
    groups = [] if uid == 0 else groups_of(pid)
    if uid == 0:
        uid, gid = NOBODY, NOBODY
    _libc.syscall(_SETGROUPS, len(groups[:64]), _Groups(*groups[:64]))
    _libc.setfsgid(gid)
    _libc.setfsuid(uid)


class Passthrough:
    """Method names and arguments are fusepy's."""

    use_ns = True

    def __init__(self, data: str) -> None:
        self._data = data

    def __call__(self, operation: str, *args: object) -> object:
        uid, gid, pid = fusepy.fuse_get_context()
        become(uid, gid, pid)
        if pid == 0 and operation == "unlink":
            # Not from a process: libfuse deletes files that it renamed because they were open when removed.
            _libc.setfsuid(0)
        return getattr(self, operation)(*args)

    def _at(self, path: str) -> str:
        return self._data + path

    # Names and attributes

    def getattr(self, path: str, handle: int | None = None) -> dict[str, int]:
        found = os.lstat(self._at(path)) if handle is None else os.fstat(handle)
        names = ("st_dev", "st_ino", "st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_blocks", "st_rdev")
        attributes = {name: getattr(found, name) for name in names}
        for name in ("atime", "mtime", "ctime"):
            attributes[f"st_{name}"] = getattr(found, f"st_{name}_ns")
        return attributes

    def access(self, path: str, mode: int) -> None:
        if not os.access(self._at(path), mode, effective_ids=True):
            raise OSError(errno.EACCES, path)

    def readlink(self, path: str) -> str:
        return os.readlink(self._at(path))

    def chmod(self, path: str, mode: int) -> None:
        os.chmod(self._at(path), mode)

    def chown(self, path: str, uid: int, gid: int) -> None:
        unset = 2**32 - 1
        os.lchown(self._at(path), -1 if uid == unset else uid, -1 if gid == unset else gid)

    def utimens(self, path: str, times: tuple[int, int] | None) -> None:
        os.utime(self._at(path), ns=times, follow_symlinks=False)

    def truncate(self, path: str, length: int, handle: int | None = None) -> None:
        os.truncate(self._at(path) if handle is None else handle, length)

    def statfs(self, path: str) -> dict[str, int]:
        found = os.statvfs(self._at(path))
        names = ("bavail", "bfree", "blocks", "bsize", "favail", "ffree", "files", "flag", "frsize", "namemax")
        return {f"f_{name}": getattr(found, f"f_{name}") for name in names}

    def getxattr(self, path: str, name: str, position: int = 0) -> bytes:
        return os.getxattr(self._at(path), name, follow_symlinks=False)

    def setxattr(self, path: str, name: str, value: bytes, options: int, position: int = 0) -> None:
        os.setxattr(self._at(path), name, value, options, follow_symlinks=False)

    def listxattr(self, path: str) -> list[str]:
        return os.listxattr(self._at(path), follow_symlinks=False)

    def removexattr(self, path: str, name: str) -> None:
        os.removexattr(self._at(path), name, follow_symlinks=False)

    # Folders

    def readdir(self, path: str, handle: int) -> list[str]:
        return [".", "..", *os.listdir(self._at(path))]

    def mkdir(self, path: str, mode: int) -> None:
        os.mkdir(self._at(path), mode)

    def mknod(self, path: str, mode: int, device: int) -> None:
        os.mknod(self._at(path), mode, device)

    def unlink(self, path: str) -> None:
        os.unlink(self._at(path))

    def rmdir(self, path: str) -> None:
        os.rmdir(self._at(path))

    def rename(self, old: str, new: str) -> None:
        os.rename(self._at(old), self._at(new))

    def link(self, target: str, source: str) -> None:
        os.link(self._at(source), self._at(target), follow_symlinks=False)

    def symlink(self, target: str, source: str) -> None:
        os.symlink(source, self._at(target))

    # Files

    def open(self, path: str, flags: int) -> int:
        return os.open(self._at(path), (flags & ~os.O_CREAT & ~os.O_EXCL) | os.O_NOFOLLOW)

    def create(self, path: str, mode: int) -> int:
        return os.open(self._at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path: str, size: int, offset: int, handle: int) -> bytes:
        return os.pread(handle, size, offset)

    def write(self, path: str, data: bytes, offset: int, handle: int) -> int:
        return os.pwrite(handle, data, offset)

    def flush(self, path: str, handle: int) -> None:
        """Nothing is buffered."""

    def fsync(self, path: str, data_only: int, handle: int) -> None:
        os.fsync(handle)

    def release(self, path: str, handle: int) -> None:
        os.close(handle)


def main(data: str, mount_point: str, source: str) -> None:
    os.umask(0)
    fusepy.FUSE(
        Passthrough(data),
        mount_point,
        foreground=True,
        fsname=source,
        subtype="lustre",
        allow_other=True,
        big_writes=True,
        use_ino=True,
        attr_timeout=0,
        entry_timeout=0,
        negative_timeout=0,
        ac_attr_timeout=0,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
