# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the node's clock with the control node's. Standard library only, Python 3.9 syntax.

The control node's clock is the reference, because AWS refuses the control node's requests if this clock is off by more than a few
minutes.
"""

from __future__ import annotations

from .._core.failure import Refused

MOST = 300.0
"""In seconds. Munge, which authenticates users of Slurm, refuses credentials that are older than this."""


def check(controller_time: float | None, *, now: float) -> None:
    """
    :raises Refused: if the node's clock is too far off. Keys and certificates would then expire at the wrong time, and Slurm's
        authentication would fail.
    """
    if controller_time is None or abs(now - controller_time) <= MOST:
        return
    minutes = round(abs(now - controller_time) / 60)
    direction = "ahead of" if now > controller_time else "behind"
    text = f"The clock of this node is {minutes} minutes {direction} the control node's. Correct the node's clock (chronyd)."
    raise Refused(text, code="node-clock-wrong")
