# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of an endpoint and of its deferred changes."""

from __future__ import annotations

import typing as t

from ..._core import finding
from .model import Desired, Endpoint, State
from .moves import Deferred, EndpointPlan


class Report:
    """Keeps the deferred changes of the plan for the result."""

    def __init__(self, desired: Desired) -> None:
        self._desired = desired
        self._deferred: tuple[Deferred, ...] = ()

    def noted(self, plan: EndpointPlan) -> EndpointPlan:
        self._deferred = plan.deferred
        return plan

    def result(self, state: State) -> dict[str, t.Any]:
        found = state.endpoint
        missing = {"exists": False, "vpc_id": self._desired.vpc_id}
        return {
            "client_vpn_endpoint": missing if found is None else endpoint_result(found),
            "deferred": [each.to_result() for each in self._deferred],
            **finding.to_result(each.finding for each in self._deferred),
        }


def endpoint_result(found: Endpoint) -> dict[str, t.Any]:
    settings = {name: list(each) if isinstance(each, tuple) else each for name, each in found.settings.items()}
    return {
        "exists": True,
        "client_vpn_endpoint_id": found.id,
        "dns_name": found.dns_name,
        "status": found.status,
        "created": found.created,
        "vpc_id": found.vpc_id,
        **settings,
        "self_service_portal_url": found.portal_url,
        "tags": dict(found.tags),
        "subnets": list(found.subnets),
        "target_networks": [each.to_result() for each in found.networks],
        "authorization_rules": [each.to_result() for each in found.rules],
        "routes": [each.to_result() for each in found.routes],
    }
