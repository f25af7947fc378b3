# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lock on the account files that every tool of the system takes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing as t

from ..._core.failure import Failure

PATH = "/etc/.pwd.lock"


class Locked(Failure):
    """Somebody else held the lock until the deadline."""


@contextlib.contextmanager
def held(path: str = PATH, *, timeout: float = 15.0) -> t.Iterator[None]:
    """Hold what lckpwdf(3) takes, and with it useradd, passwd, vipw and systemd-sysusers."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _wait(descriptor, path, timeout)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                raise Locked(f"{path} is held by another process for more than {timeout:.0f} s") from None
        time.sleep(0.1)
