# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Locks on a node: one writer of ours at a time, and the account files. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing as t

from .._core.failure import Failure

# Not /run/lock: everybody may create files there, so any user could hold this lock for ever.
NODE = "/run/mlfleet-hyperpod.lock"
ACCOUNT_FILES = "/etc/.pwd.lock"
_PAUSE = 0.1


class Locked(Failure):
    """Somebody else held the lock until the deadline."""


def node_lock(*, timeout: float = 60, path: str = NODE) -> contextlib.AbstractContextManager[None]:
    """Hold the node's lock, so that no other run changes it."""
    message = f"Another run is changing this node: it has held {path} for more than {timeout:.0f} s."
    return _held(path, fcntl.flock, timeout, message)


def account_files_lock(*, timeout: float = 15, path: str = ACCOUNT_FILES) -> contextlib.AbstractContextManager[None]:
    """Hold what lckpwdf(3) takes, and with it useradd, passwd, vipw and systemd-sysusers."""
    return _held(path, fcntl.lockf, timeout, f"{path} is held by another process for more than {timeout:.0f} s")


@contextlib.contextmanager
def _held(path: str, take: t.Callable[[int, int], None], timeout: float, message: str) -> t.Iterator[None]:
    """Hold the lock on ``path``; the kernel frees it when the process ends, however it ends."""
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
