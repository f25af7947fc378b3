# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Limits this user's processes on this machine to two session starts per second.

AWS allows three StartSession calls per second for an account and Region. The third remains for people.
Standard library only and no imports from the collection: the SSM wrapper loads this file by its path.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
import typing as t

PER_SECOND = 2.0
LONGEST_QUEUE = 600.0
"""In seconds, longer than any queue for slots. If the next slot is further away, the clock was set back, so the slot is ignored."""


def take_slot(
    directory: str,
    key: str,
    *,
    now: t.Callable[[], float] = time.time,
    sleep: t.Callable[[float], None] = time.sleep,
) -> float:
    """Wait for the next free slot of ``key`` (account and Region), and return the number of seconds waited.

    The file contains the time of the next free slot. It is locked only while a slot is taken, not during the wait.
    """
    os.makedirs(directory, mode=0o700, exist_ok=True)
    path = os.path.join(directory, "throttle-" + re.sub(r"[^A-Za-z0-9_.-]", "_", key))
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        moment = now()
        slot = _slot(os.read(handle, 64), moment)
        os.lseek(handle, 0, os.SEEK_SET)
        os.ftruncate(handle, 0)
        os.write(handle, repr(slot + 1 / PER_SECOND).encode())
    finally:
        os.close(handle)
    pause = max(0.0, slot - moment)
    if pause:
        sleep(pause)
    return pause


def _slot(content: bytes, moment: float) -> float:
    try:
        free = float(content)
    except ValueError:
        return moment
    return free if moment < free <= moment + LONGEST_QUEUE else moment
