# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Matches labels against requirements. No I/O."""

from __future__ import annotations

import typing as t

from .._kubernetes.quantity import quantity
from .meta import Object


def matches(labels: t.Mapping[str, str], expressions: t.Iterable[Object]) -> bool:
    """:param expressions: the requirements of a NodePool, an affinity or a selector."""
    return all(_matches(labels.get(each["key"]), each["operator"], each.get("values") or ()) for each in expressions)


def _matches(value: str | None, operator: str, values: t.Sequence[str]) -> bool:
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator == "NotIn":
        return value not in values
    if operator in ("Gt", "Lt"):
        number, bound = quantity(value), quantity(values[0]) if values else None
        return number is not None and bound is not None and (number > bound if operator == "Gt" else number < bound)
    return value in values
