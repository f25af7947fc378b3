# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One check of the accelerators within the time that Slurm waits. Standard library only, Python 3.9 syntax."""

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


class NodeCheck:
    """The health of the node in this check."""

    def __init__(self, here: Here, *, tools: t.Collection[str], seconds: float) -> None:
        """
        :param tools: the allowed commands, as for ``Hurried``.
        """
        hurried = Hurried(until=time.monotonic() + seconds, tools=tools, remembered=here.hung, paths=here.paths)
        given = settings.read(here.folder)
        expected, limits = settings.limits(given, here.places.sysfs)
        before = memory.load(here.memory, given["instance_id"])
        self._path = here.memory
        self._inputs = Look(Observer(here.places, hurried).observe(), expected, limits, before, time.time())
        self.health: Health = judge(self._inputs)

    def remember(self) -> None:
        memory.save(self._path, remembered(self._inputs, self.health))
