# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Service Quotas. A quota is found by its name, because codes differ between partitions and can change."""

from __future__ import annotations

import typing as t

from ..client import Api
from ..statuses import Statuses
from .model import Quota

REQUEST = Statuses(
    "service-quotas",
    "RequestStatus",
    settled=("APPROVED", "CASE_CLOSED"),
    busy=("PENDING", "CASE_OPENED"),
    failed=("DENIED", "NOT_APPROVED", "INVALID_REQUEST"),
)


class ServiceQuotas(Api):
    """The ``service-quotas`` client. If a listing fails, this does not prove that a quota does not exist."""

    def named(self, service: str, names: t.Collection[str]) -> dict[str, Quota]:
        """The account's quotas. In some accounts, an unchanged quota is listed only among AWS's defaults, which are then read."""
        found: dict[str, Quota] = {}
        for operation in ("ListServiceQuotas", "ListAWSDefaultServiceQuotas"):
            missing = set(names) - found.keys()
            if missing:
                listed = self.pages(operation, "Quotas", about=f"service {service}", ServiceCode=service)
                found |= {each["QuotaName"]: Quota.from_api(each) for each in listed if each["QuotaName"] in missing}
        return found

    def pending(self, quota: Quota) -> float | None:
        """The highest value among the open requests; None if there is none."""
        requests = self.pages(
            "ListRequestedServiceQuotaChangeHistoryByQuota",
            "RequestedQuotas",
            about=f"quota {quota.name}",
            ServiceCode=quota.service,
            QuotaCode=quota.code,
        )
        return max((each["DesiredValue"] for each in requests if REQUEST.is_busy(each["Status"])), default=None)
