# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds leftovers of killed runs. An object is a leftover only if no run that may still be active can need it. No I/O.

A run that holds a Lease knows that no other run is active, and uses ``of_other_runs``. The other functions compare times.

All times are the API server's.
"""

from __future__ import annotations

import typing as t

from ..._core.times import moment_of
from ..client import Object
from ..objects.model import MANAGED_BY, US
from .mark import NEEDED, Mark

LEAVING_SECONDS = 90
"""Seconds within which a Pod's deletion ends, unless one of its processes does not end."""


def left_behind(items: t.Iterable[Object], now: str) -> list[str]:
    """The names of objects that are no longer needed."""
    return [each["metadata"]["name"] for each in items if _age(each["metadata"]["creationTimestamp"], now) > _needed(each)]


def of_other_runs(items: t.Iterable[Object], mark: Mark) -> list[str]:
    """The names of our objects that other runs created. Users may set the label of ``mark`` on their own objects."""
    ours = [each["metadata"] for each in items if (each["metadata"].get("labels") or {}).get(MANAGED_BY) == US]
    return [each["name"] for each in ours if each["labels"].get(mark.label) != mark.run]


def stuck(pods: t.Iterable[Object], now: str) -> dict[str, str]:
    """The Pods whose deletion takes too long, keyed by node."""
    leaving = [each for each in pods if _age(each["metadata"].get("deletionTimestamp") or now, now) > LEAVING_SECONDS]
    return {each["spec"]["nodeName"]: each["metadata"]["name"] for each in leaving if each["spec"].get("nodeName")}


def _age(since: str, now: str) -> float:
    return (moment_of(now) - moment_of(since)).total_seconds()


def _needed(item: Object) -> float:
    """The seconds for which the object may be needed; 0 without the annotation."""
    seconds = (item["metadata"].get("annotations") or {}).get(NEEDED, "")
    return float(seconds) if seconds.isdecimal() else 0.0
