# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Budget and timeouts of the role remediation, checked before any request."""

from __future__ import annotations

import typing as t

from .._accelerators.remediation import approval, route
from . import limits
from .variables import Known

BUDGET = {"remediation_at_once": (1, 25), "remediation_per_day": (1, 1000), "remediation_group_percent": (0, 100)}
TIMES = {"remediation_jobs_timeout": (0, 86400), "remediation_wait_timeout": (1, 86400)}
"""Minimum and maximum, in seconds."""


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    approved = approval.problems("remediation_approve", values.get("remediation_approve", []))
    routed = route.problems(values) if route.OPTION in values else []
    return [*limits.range_problems(values, {**BUDGET, **TIMES}, known), *routed, *approved]
