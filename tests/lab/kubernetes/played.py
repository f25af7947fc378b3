# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of others that are played beside Kubernetes: they look at what there is again and again, and do what is next."""

from __future__ import annotations

import threading
import traceback

EVERY_SECONDS = 0.3


class Played:
    """Takes turns in a thread of its own, from ``start`` to ``stop``."""

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
            except Exception:  # the next turn looks again; whoever waits for it reads why here
                if not self._ended.is_set():
                    traceback.print_exc()
