# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of network load balancers, their TCP target groups and listeners: defaults and permitted values.

Source: the attribute lists of the elasticloadbalancing-2015-12-01 service model.
"""

from __future__ import annotations

import re
import typing as t

from ..action import Refusal

BOOLEAN = "true|false"
ANY = r".*"


class Attribute(t.NamedTuple):
    """A default and the allowed values: a pattern, or a range of whole numbers."""

    default: str
    pattern: str = BOOLEAN
    low: int | None = None
    high: int | None = None

    def takes(self, value: str) -> bool:
        if self.low is None or self.high is None:
            return re.fullmatch(self.pattern, value) is not None
        return re.fullmatch(r"\d{1,9}", value) is not None and self.low <= int(value) <= self.high


def number(default: int, low: int, high: int) -> Attribute:
    return Attribute(str(default), low=low, high=high)


PERCENTAGE = "off|[1-9][0-9]?|100"

LOAD_BALANCER = {
    "access_logs.s3.enabled": Attribute("false"),
    "access_logs.s3.bucket": Attribute("", ANY),
    "access_logs.s3.prefix": Attribute("", ANY),
    "deletion_protection.enabled": Attribute("false"),
    "dns_record.client_routing_policy": Attribute(
        "any_availability_zone",
        "availability_zone_affinity|partial_availability_zone_affinity|any_availability_zone",
    ),
    "ipv6.deny_all_igw_traffic": Attribute("true"),
    "load_balancing.cross_zone.enabled": Attribute("false"),
    "secondary_ips.auto_assigned.per_subnet": number(0, 0, 7),
    "zonal_shift.config.enabled": Attribute("false"),
}

TARGET_GROUP = {
    "deregistration_delay.connection_termination.enabled": Attribute("false"),
    "deregistration_delay.timeout_seconds": number(300, 0, 3600),
    "load_balancing.cross_zone.enabled": Attribute(
        "use_load_balancer_configuration", f"{BOOLEAN}|use_load_balancer_configuration"
    ),
    "preserve_client_ip.enabled": Attribute("false"),
    "proxy_protocol_v2.enabled": Attribute("false"),
    "stickiness.enabled": Attribute("false"),
    "stickiness.type": Attribute("source_ip", "source_ip"),
    "target_group_health.dns_failover.minimum_healthy_targets.count": Attribute("1", r"off|[1-9]\d{0,3}"),
    "target_group_health.dns_failover.minimum_healthy_targets.percentage": Attribute("off", PERCENTAGE),
    "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count": number(1, 1, 9999),
    "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage": Attribute("off", PERCENTAGE),
    "target_health_state.unhealthy.connection_termination.enabled": Attribute("true"),
    "target_health_state.unhealthy.draining_interval_seconds": number(0, 0, 360000),
}

LISTENER = {"tcp.idle_timeout.seconds": number(350, 60, 6000)}

DRAINING_INTERVAL = "target_health_state.unhealthy.draining_interval_seconds"
UNHEALTHY_TERMINATION = "target_health_state.unhealthy.connection_termination.enabled"


def defaults(table: dict[str, Attribute]) -> dict[str, str]:
    return {name: attribute.default for name, attribute in table.items()}


def changed(table: dict[str, Attribute], current: dict[str, str], changes: list[dict[str, str]]) -> dict[str, str]:
    """The attributes after a Modify…Attributes call.

    :raises Refusal: InvalidConfigurationRequest for an unknown key or a value out of bounds.
    """
    wanted = dict(current)
    for change in changes:
        name, value = change.get("Key", ""), change.get("Value", "")
        if name not in table:
            raise Refusal("InvalidConfigurationRequest", f"Attribute key '{name}' is not recognized")
        if not table[name].takes(value):
            raise Refusal("InvalidConfigurationRequest", f"The value of '{name}' is not valid: '{value}'")
        wanted[name] = value
    if wanted.get(UNHEALTHY_TERMINATION) == "true" and wanted.get(DRAINING_INTERVAL, "0") != "0":
        raise Refusal(
            "InvalidConfigurationRequest",
            f"'{DRAINING_INTERVAL}' can be set only when '{UNHEALTHY_TERMINATION}' is false",
        )
    return wanted


def listed(attributes: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in sorted(attributes.items())]
