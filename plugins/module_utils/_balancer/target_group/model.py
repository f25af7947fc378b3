# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed target group of a Network Load Balancer, and the tables of its fields."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..._core import fields
from ..._core.fields import Field

PROPERTIES: fields.Table = (
    Field("protocol", "Protocol", "str", "TCP", "Protocol of the targets. Cannot be changed.", choices=("TCP",)),
    Field("port", "Port", "int", None, "Default port of the targets. Cannot be changed.", low=1, high=65535),
    Field("vpc_id", "VpcId", "str", None, "VPC of the targets. Cannot be changed."),
    Field(
        "target_type",
        "TargetType",
        "str",
        "ip",
        "HyperPod's instances are in an account of AWS, so only their addresses can be targets. Cannot be changed.",
        choices=("ip",),
    ),
)
"""AWS cannot change these."""

HEALTH_CHECK: fields.Table = (
    Field(
        "protocol", "HealthCheckProtocol", "str", "TCP", "A target is healthy if it accepts a connection.", choices=("TCP",)
    ),
    Field(
        "port",
        "HealthCheckPort",
        "str",
        "traffic-port",
        "Port of the health check. V(traffic-port) is the port of the target.",
        low=1,
        high=65535,
        word="traffic-port",
    ),
    Field("interval", "HealthCheckIntervalSeconds", "int", 30, "Seconds between two checks.", low=5, high=300),
    Field(
        "timeout",
        "HealthCheckTimeoutSeconds",
        "int",
        10,
        "Seconds without an answer after which a check fails. Must not exceed the interval.",
        low=2,
        high=120,
    ),
    Field(
        "healthy_threshold",
        "HealthyThresholdCount",
        "int",
        5,
        "Number of consecutive successful checks after which a target is healthy.",
        low=2,
        high=10,
    ),
    Field(
        "unhealthy_threshold",
        "UnhealthyThresholdCount",
        "int",
        2,
        "Number of consecutive failed checks after which a target is unhealthy.",
        low=2,
        high=10,
    ),
)

ATTRIBUTES: fields.Table = (
    Field(
        "deregistration_delay",
        "deregistration_delay.timeout_seconds",
        "int",
        300,
        "Seconds for which a deregistered target is V(draining) and keeps its connections.",
        low=0,
        high=3600,
    ),
    Field(
        "deregistration_connection_termination",
        "deregistration_delay.connection_termination.enabled",
        "bool",
        False,
        "Whether connections are closed at the end of the deregistration delay.",
    ),
    Field(
        "unhealthy_connection_termination",
        "target_health_state.unhealthy.connection_termination.enabled",
        "bool",
        True,
        "Whether connections to a target are closed when the target becomes unhealthy. V(true) ends every login on a node"
        " whose health check fails.",
    ),
    Field(
        "unhealthy_draining_interval",
        "target_health_state.unhealthy.draining_interval_seconds",
        "int",
        0,
        "Seconds for which connections to an unhealthy target stay open. With V(0), there is no limit. Requires"
        " O(attributes.unhealthy_connection_termination=false).",
        low=0,
        high=360000,
    ),
    Field(
        "preserve_client_ip",
        "preserve_client_ip.enabled",
        "bool",
        False,
        "Whether targets receive the address of the client. If they do, a client that is also a target cannot connect.",
    ),
    Field(
        "proxy_protocol_v2",
        "proxy_protocol_v2.enabled",
        "bool",
        False,
        "Whether connections start with a proxy protocol header, which sshd does not support.",
    ),
    Field(
        "stickiness", "stickiness.enabled", "bool", False, "Whether connections from the same client address go to the same target."
    ),
    Field(
        "stickiness_type", "stickiness.type", "str", "source_ip", "Property that identifies a client.", choices=("source_ip",)
    ),
    Field(
        "cross_zone",
        "load_balancing.cross_zone.enabled",
        "str",
        "use_load_balancer_configuration",
        "Whether targets in all zones are used. V(true) and V(false) override the setting of the load balancer.",
        choices=("true", "false", "use_load_balancer_configuration"),
    ),
    Field(
        "dns_failover_minimum_count",
        "target_group_health.dns_failover.minimum_healthy_targets.count",
        "str",
        "1",
        "Number of healthy targets below which a zone is removed from DNS.",
        low=1,
        word="off",
    ),
    Field(
        "dns_failover_minimum_percentage",
        "target_group_health.dns_failover.minimum_healthy_targets.percentage",
        "str",
        "off",
        "Percentage of healthy targets below which a zone is removed from DNS.",
        low=1,
        high=100,
        word="off",
    ),
    Field(
        "unhealthy_routing_minimum_count",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count",
        "int",
        1,
        "Number of healthy targets below which all targets get connections, including unhealthy ones.",
        low=1,
    ),
    Field(
        "unhealthy_routing_minimum_percentage",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage",
        "str",
        "off",
        "Percentage of healthy targets below which all targets get connections, including unhealthy ones.",
        low=1,
        high=100,
        word="off",
    ),
)


@dataclass(frozen=True)
class Desired:
    """The module's options. A field that is missing here stays unchanged."""

    name: str
    present: bool = True
    properties: fields.Values = field(default_factory=dict)
    health_check: fields.Values = field(default_factory=dict)
    attributes: fields.Values = field(default_factory=dict)
    tags: Tags | None = None
    purge_tags: bool = True
    cluster_arn: str | None = None
    adopt: bool = False

    @property
    def resource(self) -> str:
        return f"target group {self.name}"


@dataclass(frozen=True)
class TargetGroup:
    """A target group in AWS, with its fields keyed by option name."""

    arn: str
    name: str
    properties: fields.Values
    health_check: fields.Values
    attributes: fields.Values
    tags: Tags
    load_balancer_arns: tuple[str, ...] = ()


@dataclass(frozen=True)
class State:
    target_group: TargetGroup | None = None

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the target group are replaced."""
        return State(dataclasses.replace(self.target_group, **values)) if self.target_group else self
