# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts the options of ``accelerator_cron_jobs`` to the desired CronJobs, and refuses invalid options."""

from __future__ import annotations

import re
import typing as t

from ...._core.checks import check_number
from ...._core.failure import refuse_option
from ...._kubernetes.names import SCHEDULE, SCHEDULE_ALLOWED
from ..jobs import options as of_checks
from .model import Desired

SPEC: dict[str, dict[str, t.Any]] = {
    **{name: spec for name, spec in of_checks.SPEC.items() if name not in ("batch", "batch_timeout")},
    "nodes": {**of_checks.SPEC["nodes"], "required": False, "default": []},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "schedule": {"type": "str", "default": ""},
    "pod_timeout": {"type": "int", "default": 300},
}


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    present, schedule = params["state"] == "present", params["schedule"]
    if schedule and not re.fullmatch(SCHEDULE, schedule):
        refuse_option("schedule", schedule, SCHEDULE_ALLOWED)
    seconds = check_number("pod_timeout", params["pod_timeout"], 10, 3600)
    of_teams = not present  # earlier versions accepted such a namespace, and their objects can be removed
    checks = of_checks.desired({**params, "batch": 1, "batch_timeout": seconds}, of_teams=of_teams)
    return Desired(checks, present, schedule)
