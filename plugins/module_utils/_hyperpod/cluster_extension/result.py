# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned extension."""

from __future__ import annotations

import typing as t

from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    found = state.extension
    if found is None:
        return {"extension": {"exists": False, "name": desired.name}}
    return {
        "extension": {
            "exists": True,
            "name": desired.name,
            "extension_arn": found.arn,
            "version": found.version,
            "status": found.status,
            "configuration": dict(found.configuration),
            "issues": list(found.issues),
        }
    }
