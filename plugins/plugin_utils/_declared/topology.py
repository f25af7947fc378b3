# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of the role topology's variables, checked before any request."""

from __future__ import annotations

import typing as t

from . import limits
from .variables import Known

NUMBERS = {"topology_nodes_needed": (0, 10_000)}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return limits.range_problems(values, NUMBERS, known)
