# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations."""

from __future__ import annotations

import typing as t

from moto.servicequotas.responses import ServiceQuotasResponse

from ..action import Refusal, action
from .models import DEFAULTS

Answer = dict[str, t.Any]


class Responses(ServiceQuotasResponse):
    """Replaces moto's handlers; a page has two quotas, so that callers must read later pages."""

    @action
    def list_service_quotas(self, ServiceCode: str, NextToken: str = "", **_: t.Any) -> Answer:
        return _page("Quotas", self._backend(ServiceCode).applied(ServiceCode), NextToken)

    @action
    def list_aws_default_service_quotas(self, ServiceCode: str, NextToken: str = "", **_: t.Any) -> Answer:
        return _page("Quotas", self._backend(ServiceCode).defaults(ServiceCode), NextToken)

    @action
    def list_requested_service_quota_change_history_by_quota(
        self, ServiceCode: str, QuotaCode: str, NextToken: str = "", **_: t.Any
    ) -> Answer:
        return _page("RequestedQuotas", self._backend(ServiceCode).history(ServiceCode, QuotaCode), NextToken)

    @action
    def request_service_quota_increase(self, ServiceCode: str, QuotaCode: str, DesiredValue: float, **_: t.Any) -> Answer:
        return {"RequestedQuota": self._backend(ServiceCode).request_increase(ServiceCode, QuotaCode, DesiredValue)}

    def _backend(self, service: str) -> t.Any:
        if service not in DEFAULTS:
            raise Refusal("NoSuchResourceException", f"There is no service {service}")
        return self.backend


def _page(key: str, entries: list[Answer], token: str) -> Answer:
    start = int(token or 0)
    more = {"NextToken": str(start + 2)} if start + 2 < len(entries) else {}
    return {key: entries[start : start + 2], **more}
