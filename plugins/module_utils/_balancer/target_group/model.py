# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Target group of a network load balancer: its field tables, what is wanted and what is there."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..._core import fields
from ..._core.fields import Field

PROPERTIES: fields.Table = (
    Field("protocol", "Protocol", "str", "TCP", "Protocol of the targets. Cannot change.", choices=("TCP",)),
    Field("port", "Port", "int", None, "Default port of the targets. Cannot change.", low=1, high=65535),
    Field("vpc_id", "VpcId", "str", None, "VPC of the targets. Cannot change."),
    Field(
        "target_type",
        "TargetType",
        "str",
        "ip",
        "HyperPod's instances live in an account of the service, so only their addresses can be targets."
        " Cannot change.",
        choices=("ip",),
    ),
)
"""All immutable."""

HEALTH_CHECK: fields.Table = (
    Field(
        "protocol", "HealthCheckProtocol", "str", "TCP", "A target is healthy when it accepts.", choices=("TCP",)
    ),
    Field(
        "port",
        "HealthCheckPort",
        "str",
        "traffic-port",
        "Port that is asked, V(traffic-port) for the one that serves.",
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
        "Seconds without an answer that count as a failure; not more than the interval.",
        low=2,
        high=120,
    ),
    Field(
        "healthy_threshold",
        "HealthyThresholdCount",
        "int",
        5,
        "Successes in a row that make a target healthy.",
        low=2,
        high=10,
    ),
    Field(
        "unhealthy_threshold",
        "UnhealthyThresholdCount",
        "int",
        2,
        "Failures in a row that make a target unhealthy.",
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
        "Seconds for which a removed target is V(draining) and keeps its connections.",
        low=0,
        high=3600,
    ),
    Field(
        "deregistration_connection_termination",
        "deregistration_delay.connection_termination.enabled",
        "bool",
        False,
        "Whether connections are cut at the end of the deregistration delay.",
    ),
    Field(
        "unhealthy_connection_termination",
        "target_health_state.unhealthy.connection_termination.enabled",
        "bool",
        True,
        "Whether connections to a target that turns unhealthy are cut. V(true) ends every open shell of a node whose"
        " health check fails twice.",
    ),
    Field(
        "unhealthy_draining_interval",
        "target_health_state.unhealthy.draining_interval_seconds",
        "int",
        0,
        "Seconds for which an unhealthy target keeps its connections; V(0) keeps them until they end. Only without"
        " O(attributes.unhealthy_connection_termination).",
        low=0,
        high=360000,
    ),
    Field(
        "preserve_client_ip",
        "preserve_client_ip.enabled",
        "bool",
        False,
        "Whether targets see the client's address. A client that is a target itself then cannot connect.",
    ),
    Field(
        "proxy_protocol_v2",
        "proxy_protocol_v2.enabled",
        "bool",
        False,
        "Whether connections begin with a proxy protocol header, which sshd does not understand.",
    ),
    Field(
        "stickiness", "stickiness.enabled", "bool", False, "Whether a client address keeps going to the same target."
    ),
    Field(
        "stickiness_type", "stickiness.type", "str", "source_ip", "What identifies a client.", choices=("source_ip",)
    ),
    Field(
        "cross_zone",
        "load_balancing.cross_zone.enabled",
        "str",
        "use_load_balancer_configuration",
        "Whether targets of all zones are used, whatever the load balancer says.",
        choices=("true", "false", "use_load_balancer_configuration"),
    ),
    Field(
        "dns_failover_minimum_count",
        "target_group_health.dns_failover.minimum_healthy_targets.count",
        "str",
        "1",
        "Healthy targets below which a zone leaves the DNS name.",
        low=1,
        word="off",
    ),
    Field(
        "dns_failover_minimum_percentage",
        "target_group_health.dns_failover.minimum_healthy_targets.percentage",
        "str",
        "off",
        "The same as a percentage.",
        low=1,
        high=100,
        word="off",
    ),
    Field(
        "unhealthy_routing_minimum_count",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count",
        "int",
        1,
        "Healthy targets below which all targets get connections, unhealthy ones included.",
        low=1,
    ),
    Field(
        "unhealthy_routing_minimum_percentage",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage",
        "str",
        "off",
        "The same as a percentage.",
        low=1,
        high=100,
        word="off",
    ),
)


@dataclass(frozen=True)
class Desired:
    """What the module's options ask for; a field that is missing is left alone."""

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
    """What AWS says about a target group, by our names of the fields."""

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
        """The same with these values of the target group instead of its own."""
        return State(dataclasses.replace(self.target_group, **values)) if self.target_group else self
