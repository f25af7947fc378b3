# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tells Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from ...._core.plan import Step
from ...system import run

_AT_ONCE = 200


def apply(step: Step) -> None:
    names = step.arguments["names"]
    for begin in range(0, len(names), _AT_ONCE):
        listed = ",".join(names[begin : begin + _AT_ONCE])
        run(["scontrol", "update", f"nodename={listed}", *step.arguments["values"]], timeout=60)
