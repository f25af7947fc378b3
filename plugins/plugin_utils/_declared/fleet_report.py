# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the role fleet_report's variables, and the report store that it needs, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run, place

from . import limits
from .variables import Known

NUMBERS = {"fleet_report_old_hours": (1, 8760)}
NO_STORE = f"{place.OPTION}: missing. Allowed: {place.ALLOWED}. The fleet report reads the report store."


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return [*limits.range_problems(values, NUMBERS, known), *([] if of_run.place_of_run() else [NO_STORE])]
