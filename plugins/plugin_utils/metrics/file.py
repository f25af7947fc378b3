# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with the metrics of all runs, which each run reads and replaces."""

from __future__ import annotations

import fcntl
import os
import stat

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.files import locked, write_file

from .runs import Report, with_run

LARGEST = 8 << 20
"""The largest file that is read, in bytes."""
LOCK_SECONDS = 10


def add(path: str, report: Report) -> None:
    """Add a run to the file, unless it was in check mode. Other runs that end at the same time wait.

    :raises OSError: if the file can't be read or written.
    :raises Failure: if the file is not a metrics file, or another run holds its lock.
    """
    if report["check_mode"]:
        return
    path = os.path.abspath(os.path.expanduser(path))
    folder, name = os.path.split(path)
    held = f"{path} is locked by another run"
    with locked(os.path.join(folder, f".{name}.lock"), fcntl.flock, timeout=LOCK_SECONDS, message=held):
        write_file(path, with_run(_content(path), report), mode=0o644)


def _content(path: str) -> str:
    """The content of the file, which other programs may have written. Bytes that are not UTF-8 become surrogates."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    with open(descriptor, "rb") as file:
        content = file.read(LARGEST + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    if content is None:
        raise Failure(f"{path} is not a regular file")
    if len(content) > LARGEST:
        raise Failure(f"{path} has more than {LARGEST} bytes, so it is no file of this collection")
    return content.decode("utf-8", "surrogateescape")
