# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations by settings. A shorter setting also applies to a running duration, so tests do not depend on the time of a call."""

from __future__ import annotations

import time
import typing as t

from . import cloud


def pause() -> None:
    """Wait for the duration of a state without real work, or for one of ``transition_steps``."""
    settings = cloud.current().settings

    def step() -> bool:
        steps = settings["transition_steps"]
        settings["transition_steps"] = max(steps - 1, 0)
        return steps > 0

    wait(lambda: settings["transition_seconds"], step)


def wait(seconds: t.Callable[[], float], ended: t.Callable[[], bool] = lambda: False) -> None:
    """Wait for ``seconds``, or until a change of the settings after which ``ended`` is true."""
    here, begin = cloud.current(), time.monotonic()
    with here.changed:
        while (left := begin + seconds() - time.monotonic()) > 0 and not ended():
            here.changed.wait(left)


class Delay:
    """A delay that begins now, for as long as the setting says. A longer setting does not apply to it."""

    def __init__(self, setting: str) -> None:
        self._setting, self._begin = setting, time.monotonic()
        self._most = self._seconds

    @property
    def is_over(self) -> bool:
        if time.monotonic() - self._begin >= min(self._most, self._seconds):
            self._most = 0.0
        return self._most <= 0

    @property
    def _seconds(self) -> float:
        return float(cloud.current().settings[self._setting])
