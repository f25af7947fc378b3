# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``accelerator_cron_jobs``."""

from __future__ import annotations

import typing as t

from ...._core.text import printable
from ..jobs.model import INSTANCE
from .model import Desired, State
from .plan import left_out


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    left = left_out(desired, state) if desired.present else {}
    return {
        "cron_jobs": [_shown(name, each) for name, each in sorted(state.cron_jobs.items())],
        "left_out": [{"instance_id": iid, "why": why} for iid, why in left.items()],
    }


def _shown(name: str, item: t.Mapping[str, t.Any]) -> dict[str, str]:
    instance = (item["metadata"].get("labels") or {}).get(INSTANCE)
    return {"name": printable(name), "instance_id": printable(instance or ""), "schedule": printable(item["spec"]["schedule"])}
