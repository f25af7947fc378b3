# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The log of the reasons why ssh could not connect to a node.

With ControlPersist, which Ansible sets, ssh discards what its ProxyCommand writes to stderr. The user would then see only
"Connection closed by UNKNOWN port 65535". So the reasons are also written to a file in the state folder.
Standard library only and no imports from the collection: the SSM wrapper loads this file by its path.
"""

from __future__ import annotations

import os
import re
import time

NAME = "ssm-proxy.log"
TIME = "%Y-%m-%dT%H:%M:%SZ"
LARGEST = 256 * 1024
"""Size in bytes. A larger log is rotated, and the previous one is kept as ``ssm-proxy.log.1``."""


def now() -> str:
    """The time in UTC. ``time.gmtime()`` alone uses a coarser clock, which is late by up to some milliseconds."""
    return time.strftime(TIME, time.gmtime(time.time()))


def note(state_dir: str, message: str) -> None:
    """Append one line with the time in UTC."""
    path = os.path.join(state_dir, NAME)
    try:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > LARGEST:
            os.replace(path, f"{path}.1")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{now()} {' '.join(message.split())}\n")
    except OSError:
        pass  # if the disk is full, the message on stderr remains


def last(state_dir: str, names: list[str], *, since: str) -> str | None:
    """The newest message since ``since`` (UTC, as in the log) that contains one of ``names`` as a word."""
    wanted = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, names)) + r")(?![\w.-])")
    try:
        with open(os.path.join(state_dir, NAME), encoding="utf-8") as file:
            lines = [line.rstrip("\n").partition(" ") for line in file]
    except FileNotFoundError:
        return None
    found = [text for moment, _space, text in lines if moment >= since and wanted.search(text)]
    return found[-1] if found else None
