# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Service Quotas. A quota is found by its name, or by its code if its name varies between accounts."""

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
        """The account's quotas, keyed by name."""
        return self._listed(service, "QuotaName", names)

    def with_codes(self, service: str, codes: t.Collection[str]) -> dict[str, Quota]:
        """The account's quotas, keyed by code. Compare their names, because codes can change."""
        return self._listed(service, "QuotaCode", codes)

    def _listed(self, service: str, key: str, values: t.Collection[str]) -> dict[str, Quota]:
        """In some accounts, an unchanged quota is listed only among AWS's defaults, which are then read.

        A quota without a value, which AWS lists with an error, is unknown and not returned.
        """
        found: dict[str, Quota | None] = {}
        for operation in ("ListServiceQuotas", "ListAWSDefaultServiceQuotas"):
            missing = set(values) - found.keys()
            if missing:
                listed = self.pages(operation, "Quotas", about=f"service {service}", ServiceCode=service)
                found |= {each[key]: Quota.from_api(each) if "Value" in each else None for each in listed if each[key] in missing}
        return {value: quota for value, quota in found.items() if quota is not None}

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
