# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Kueue as a module returns it."""

from __future__ import annotations

import typing as t

from ..kueue_gates import is_on, version_text
from .model import Desired, State

NOTHING: dict[str, t.Any] = {"installed": False, "enabled": False, "kueue_version": None, "feature_gates": {}}


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    manager = state.manager
    if manager is None:
        return {"topology_scheduling": {**NOTHING, "node_pools": list(state.node_pools)}}
    version = desired.version or manager.version
    return {
        "topology_scheduling": {
            "installed": True,
            "enabled": version is not None and is_on(version, manager.gates),
            "kueue_version": version_text(version) if version else None,
            "feature_gates": dict(manager.gates),
            "node_pools": list(state.node_pools),
        }
    }
