# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned records of a cluster."""

from __future__ import annotations

import typing as t

from ..._core.finding import WARNING, note, to_result
from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    bad = state.bad if desired.present else ()
    found = [note("record-not-readable", str(each), severity=WARNING, subject=each.path) for each in bad]
    return {"records": state.records, **to_result(found)}
