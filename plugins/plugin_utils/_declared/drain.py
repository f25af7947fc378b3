# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of the role drain's variables, checked before any request."""

from __future__ import annotations

import typing as t

from . import limits
from .variables import Known

LONGEST_WAIT, LONGEST_SETTLE = 86400, 900
NUMBERS = {"drain_timeout": (0, LONGEST_WAIT), "drain_settle": (0, LONGEST_SETTLE)}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return limits.range_problems(values, NUMBERS, known)
