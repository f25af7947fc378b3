# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Signals that end a process. They are raised as failures, but only at defined points.

Standard library only, Python 3.9 syntax: this file may also run on cluster nodes.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import typing as t

from .failure import Failure

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Interrupted(Failure):
    """This process received a signal that ends it."""


class Interrupts:
    """Stores the first signal and raises it at the next wait, so that a removal in progress finishes first."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._awaited = False

    @property
    def came(self) -> bool:
        """Whether a signal has arrived."""
        return self._number is not None

    @contextlib.contextmanager
    def caught(self) -> t.Iterator[None]:
        """Store signals inside this context, so that they do not end the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._came) for number in ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def awaited(self) -> t.Iterator[None]:
        """:raises Interrupted: for a signal that arrives inside this context, or arrived before it."""
        self._awaited = True
        try:
            self._raise()
            yield
        finally:
            self._awaited = False

    def _came(self, number: int, _frame: t.Any) -> None:
        if self._number is None:
            self._number = number
            self._raise()

    def _raise(self) -> None:
        if self._awaited and self._number is not None:
            raise Interrupted(f"The run was interrupted by {signal.Signals(self._number).name}.")
