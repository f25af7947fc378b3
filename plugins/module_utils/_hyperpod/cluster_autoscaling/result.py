# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned autoscaler."""

from __future__ import annotations

import typing as t

from .model import State


def result(state: State) -> dict[str, t.Any]:
    return {
        "autoscaling": {
            "mode": state.mode,
            "status": state.status,
            "failure_message": state.failure,
            "cluster_role": state.role,
        }
    }
