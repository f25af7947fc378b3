# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Leftovers of a killed run. Another run may be active, so only objects too old for that count: pure, no I/O.

All times are those of the API server.
"""

from __future__ import annotations

import typing as t

from ..._core.times import moment_of
from ..client import Object
from .mark import NEEDED

LEAVING_SECONDS = 90
"""A pod that is being deleted is gone by then, unless a process of it does not end."""


def left_behind(items: t.Iterable[Object], now: str) -> list[str]:
    """Names of objects that are no longer needed."""
    return [each["metadata"]["name"] for each in items if _age(each["metadata"]["creationTimestamp"], now) > _needed(each)]


def stuck(pods: t.Iterable[Object], now: str) -> dict[str, str]:
    """Pods that should be gone, by node."""
    leaving = [each for each in pods if _age(each["metadata"].get("deletionTimestamp") or now, now) > LEAVING_SECONDS]
    return {each["spec"]["nodeName"]: each["metadata"]["name"] for each in leaving if each["spec"].get("nodeName")}


def _age(since: str, now: str) -> float:
    return (moment_of(now) - moment_of(since)).total_seconds()


def _needed(item: Object) -> float:
    """Number of seconds; 0 if missing."""
    seconds = (item["metadata"].get("annotations") or {}).get(NEEDED, "")
    return float(seconds) if seconds.isdecimal() else 0.0
