# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of simulated controllers: they repeatedly read the state and make the next steps."""

from __future__ import annotations

import threading
import traceback

EVERY_SECONDS = 0.3


class Played:
    """Takes turns in a separate thread, from ``start`` to ``stop``."""

    def __init__(self) -> None:
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._follow, daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def turn(self) -> None:
        raise NotImplementedError

    def _follow(self) -> None:
        while not self._ended.wait(EVERY_SECONDS):
            try:
                self.turn()
            except Exception:  # the next turn retries; the traceback helps tests that wait for it
                if not self._ended.is_set():
                    traceback.print_exc()
