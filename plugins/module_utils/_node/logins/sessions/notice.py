# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Writes a message to the terminals of sessions. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import re
import typing as t

from ...._core.text import lines_of
from .model import Session

_TERMINAL = re.compile(r"pts/[0-9]+|tty[A-Za-z0-9]+")


def tell(sessions: t.Iterable[Session], message: str) -> None:
    """Write ``message`` to the sessions' terminals. ``wall`` is no substitute: it needs utmp, which newer systems lack."""
    text = "\r\n".join(["", "", *lines_of(message), "", ""]).encode()
    for terminal in sorted({each for session in sessions for each in session.tty.split(",")}):
        if _TERMINAL.fullmatch(terminal):
            try:
                _write(f"/dev/{terminal}", text)
            except OSError:
                pass  # the terminal was closed or stopped meanwhile


def _write(path: str, text: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)
