# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Suspends the readiness gate's watcher while a run changes the node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import os
import time

from ..files import replace_file
from .watch import HOLD

SECONDS = 900.0
"""Added to the time in which a new login must confirm a change of sshd. The sum is at most ``watch.LONGEST_HOLD``."""


def begin(*, seconds: float, path: str = HOLD) -> None:
    """Suspend the watcher until ``end`` is called, but at most for ``seconds`` or until a reboot, in case the run dies."""
    replace_file(path, f"{time.monotonic() + seconds}\n".encode(), mode=0o600)


def end(*, path: str = HOLD) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
