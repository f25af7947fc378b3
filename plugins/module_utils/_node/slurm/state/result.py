# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``slurm_state``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from .model import State


def result(state: State) -> dict[str, t.Any]:
    return {"slurm_state": {"waiting": state.saved.time if state.saved else "", "unseen": state.unseen}}
