# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``slurm_health_hooks``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from .model import SCRIPT, Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    running = state.slurm.running if state.slurm else None
    return {
        "slurm_health_hooks": {
            "program": desired.program if desired.program in state.files else "",
            "slurm_conf": state.slurm.conf.path if state.slurm else "",
            "health_check": running.health_check[0] == desired.program if running else None,
            "prolog": SCRIPT in running.prologs if running else None,
        }
    }
