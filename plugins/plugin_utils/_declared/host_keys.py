# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of the role host_keys's variables, checked before any request."""

from __future__ import annotations

import typing as t

from . import limits
from .variables import Known

VALID_DAYS, RENEW_DAYS = "host_keys_certificate_days", "host_keys_certificate_renew_days"
NUMBERS = {VALID_DAYS: (1, 3650), RENEW_DAYS: (0, 3649), "host_keys_rotation_minimum_days": (0, 3650)}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return limits.range_problems(values, NUMBERS, known)
