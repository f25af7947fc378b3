# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Atomic replacement of files, and file locks with a deadline.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
import typing as t

from .failure import Failure

_PAUSE = 0.1


class Locked(Failure):
    """Another process held the lock until the deadline."""


def write_file(path: str, text: str, *, mode: int = 0o600) -> None:
    """Replace ``path`` atomically. Readers see the previous or the new file, and the new file has the mode from the start."""
    folder, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextlib.contextmanager
def locked(
    path: str, take: t.Callable[[int, int], None], *, timeout: float, message: str
) -> t.Iterator[None]:
    """Hold the lock on ``path``. The kernel releases it when the process ends for any reason.

    :param take: ``fcntl.flock``; or ``fcntl.lockf`` for locks that other programs acquire with lockf(3).
    :raises Locked: with ``message``, if other processes hold the lock for ``timeout`` seconds.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _taken(descriptor, take):
            if time.monotonic() >= deadline:
                raise Locked(message)
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int, take: t.Callable[[int, int], None]) -> bool:
    try:
        take(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
