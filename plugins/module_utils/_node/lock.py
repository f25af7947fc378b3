# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One writer on a node at a time. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing as t

from .._core.failure import Refused

# Not /run/lock: everybody may create files there, so any user could hold this lock for ever.
LOCK_FILE = "/run/mlfleet-hyperpod.lock"


@contextlib.contextmanager
def node_lock(*, timeout: float = 60, path: str = LOCK_FILE) -> t.Iterator[None]:
    """Hold the node's lock; the kernel frees it when the process ends, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        _acquire(descriptor, timeout=timeout, path=path)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, *, timeout: float, path: str) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Refused(
                    f"Another run is changing this node: it has held {path} for more than {timeout:.0f} s."
                ) from None
            time.sleep(0.1)
