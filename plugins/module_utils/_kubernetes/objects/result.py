# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The objects as the module returns them."""

from __future__ import annotations

import typing as t

from .model import Found, State


def result(state: State) -> dict[str, t.Any]:
    return {"objects": [_shown(each) for each in state.found if each.live is not None]}


def _shown(found: Found) -> dict[str, t.Any]:
    """The object without ``managedFields``, which are longer than the rest of the object."""
    live = dict(found.live or {})
    live["metadata"] = {name: value for name, value in live["metadata"].items() if name != "managedFields"}
    return live
