# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The node's clock, compared with the controller's. Standard library only, Python 3.9 syntax.

AWS refuses requests of a controller whose clock is wrong by more than minutes, so the controller's is the measure.
"""

from __future__ import annotations

from .._core.failure import Refused

MOST = 300.0
"""Seconds. Munge, which authenticates users of Slurm, refuses older credentials."""


def check(controller_time: float | None, *, now: float) -> None:
    """
    :raises Refused: for a clock that would end keys and certificates at the wrong time, and break authentication of Slurm.
    """
    if controller_time is None or abs(now - controller_time) <= MOST:
        return
    minutes = round(abs(now - controller_time) / 60)
    direction = "ahead of" if now > controller_time else "behind"
    text = f"The clock of this node is {minutes} minutes {direction} the controller's. Correct it (chronyd)."
    raise Refused(text, code="node-clock-wrong")
