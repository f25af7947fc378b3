# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values: each quota with its use, and the next step if it is too low or unknown."""

from __future__ import annotations

import typing as t

from ..service_quota.model import Quota
from .compare import compare
from .model import Planned, State, Use


def result(planned: Planned, state: State, pending: t.Callable[[Quota], float | None]) -> dict[str, t.Any]:
    """
    :param pending: returns the highest open request for a quota. It is called only for quotas that are too low.
    """
    uses = compare(planned, state)
    rows = [_row(each, pending(each.quota) if each.quota is not None and each.sufficient is False else None) for each in uses]
    found = [each.sufficient for each in uses]
    return {"quotas": rows, "sufficient": False if False in found else None if None in found else True}


def _row(use: Use, pending: float | None) -> dict[str, t.Any]:
    quota = use.quota
    return {
        "name": use.name,
        "service_code": "" if quota is None else quota.service,
        "code": "" if quota is None else quota.code,
        "unit": use.unit,
        "zone": use.zone,
        "instance_types": list(use.instance_types),
        "value": None if quota is None else quota.value,
        "adjustable": quota is not None and quota.adjustable,
        "used": use.used if use.known else None,
        "planned": use.planned if use.known else None,
        "sufficient": use.sufficient,
        "pending": pending,
        "next_step": _next_step(use, pending),
    }


def _next_step(use: Use, pending: float | None) -> str:
    if use.quota is None or use.sufficient is not False:
        return use.why
    if pending is not None and pending >= use.needed:
        return f"Wait until AWS has decided on the request for {pending:g}, then run again."
    if pending is not None:
        return (
            f"The open request for {pending:g} is less than the required {use.needed}. Wait until AWS has decided on it, then "
            f"request {use.needed}."
        )
    if not use.quota.adjustable:
        return f"AWS does not increase this quota. Plan for at most {max(0, int(use.quota.value) - use.used)}."
    return (
        f"Request {use.needed} in Service Quotas, for example with mlfleet.hyperpod.service_quota (service_code: "
        f"{use.quota.service}, name: {use.name}), and run again after AWS has granted it."
    )
