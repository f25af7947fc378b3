# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values for a quota."""

from __future__ import annotations

import typing as t

from .model import State


def result(state: State) -> dict[str, t.Any]:
    quota = state.quota
    if quota is None:  # the plan refuses an unknown quota
        return {}
    return {
        "quota": {
            "service_code": quota.service,
            "quota_code": quota.code,
            "name": quota.name,
            "value": quota.value,
            "adjustable": quota.adjustable,
            "pending": state.pending,
        }
    }
