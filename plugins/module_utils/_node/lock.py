# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Locks on a node: the lock that allows one run at a time, and the lock of the account files. Standard library only, Python 3.9
syntax."""

from __future__ import annotations

import contextlib
import fcntl

from .._core.files import locked

# Not in /run/lock: every user may create files there, so any user could hold this lock permanently.
NODE = "/run/mlfleet-hyperpod.lock"
ACCOUNT_FILES = "/etc/.pwd.lock"


def node_lock(*, timeout: float = 60, path: str = NODE) -> contextlib.AbstractContextManager[None]:
    """Hold the node's lock, so that no other run changes the node."""
    message = f"Another run is changing this node: it has held {path} for more than {timeout:.0f} s. Run again after it has ended."
    return locked(path, fcntl.flock, timeout=timeout, message=message)


def account_files_lock(*, timeout: float = 15, path: str = ACCOUNT_FILES) -> contextlib.AbstractContextManager[None]:
    """Hold the lock of lckpwdf(3), which useradd, passwd, vipw and systemd-sysusers also acquire."""
    message = f"Another process has held the lock of the account files, {path}, for more than {timeout:.0f} s. Run again."
    return locked(path, fcntl.lockf, timeout=timeout, message=message)
