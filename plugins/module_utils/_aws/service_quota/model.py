# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A quota of an account in a Region, and its desired value."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Quota:
    service: str
    code: str
    name: str
    value: float
    adjustable: bool

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> Quota:
        return cls(
            service=answer["ServiceCode"],
            code=answer["QuotaCode"],
            name=answer["QuotaName"],
            value=answer.get("Value", 0.0),
            adjustable=bool(answer.get("Adjustable")),
        )


@dataclass(frozen=True)
class Desired:
    service: str
    name: str
    value: float


@dataclass(frozen=True)
class State:
    """``pending`` is the value of the open request, or None."""

    quota: Quota | None = None
    pending: float | None = None
