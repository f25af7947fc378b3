# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One look at the accelerators, as long as Slurm waits. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time
import typing as t

from ...health import memory
from ...health.judge import Health, judge, remembered
from ...health.look import Look
from ...observe import Observer
from . import settings
from .here import Here
from .hurry import Hurried


class Looked:
    """The node as this look found it."""

    def __init__(self, here: Here, *, asked: t.Collection[str], seconds: float) -> None:
        """
        :param asked: What is asked at all, as for ``Hurried``.
        """
        tools = Hurried(until=time.monotonic() + seconds, asked=asked, remembered=here.hung, paths=here.paths)
        given = settings.read(here.folder)
        expected, limits = settings.limits(given, here.places.sysfs)
        before = memory.load(here.memory, given["instance_id"])
        self._path = here.memory
        self._look = Look(Observer(here.places, tools).observe(), expected, limits, before, time.time())
        self.health: Health = judge(self._look)

    def remember(self) -> None:
        memory.save(self._path, remembered(self._look, self.health))
