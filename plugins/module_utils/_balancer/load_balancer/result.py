# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a load balancer."""

from __future__ import annotations

import dataclasses
import typing as t

from .model import Desired, LoadBalancer, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    found = state.load_balancer
    return {
        "network_load_balancer": {"exists": False, "name": desired.name} if found is None else load_balancer_result(found)
    }


def load_balancer_result(found: LoadBalancer) -> dict[str, t.Any]:
    return {
        "exists": True,
        "load_balancer_arn": found.arn,
        "name": found.name,
        "type": found.type,
        "scheme": found.scheme,
        "status": found.status,
        "dns_name": found.dns_name,
        "canonical_hosted_zone_id": found.hosted_zone_id,
        "vpc_id": found.vpc_id,
        "created_time": found.created,
        "subnets": [dataclasses.asdict(each) for each in found.subnets],
        "security_groups": list(found.security_groups),
        "attributes": dict(found.attributes),
        "tags": dict(found.tags),
        "listeners": [listener.to_result() for listener in found.listeners],
    }
