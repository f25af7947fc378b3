# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Target group of a network load balancer: its field tables, what is wanted and what is there."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .. import fields, model

PROPERTIES: fields.Table = (
    fields.Field("protocol", "Protocol", "str", "TCP", "Protocol of the targets. Cannot change.", choices=("TCP",)),
    fields.Field("port", "Port", "int", None, "Default port of the targets. Cannot change.", low=1, high=65535),
    fields.Field("vpc_id", "VpcId", "str", None, "VPC of the targets. Cannot change."),
    fields.Field(
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
    fields.Field(
        "protocol", "HealthCheckProtocol", "str", "TCP", "A target is healthy when it accepts.", choices=("TCP",)
    ),
    fields.Field(
        "port",
        "HealthCheckPort",
        "str",
        "traffic-port",
        "Port that is asked, V(traffic-port) for the one that serves.",
        low=1,
        high=65535,
        word="traffic-port",
    ),
    fields.Field("interval", "HealthCheckIntervalSeconds", "int", 30, "Seconds between two checks.", low=5, high=300),
    fields.Field(
        "timeout",
        "HealthCheckTimeoutSeconds",
        "int",
        10,
        "Seconds without an answer that count as a failure; not more than the interval.",
        low=2,
        high=120,
    ),
    fields.Field(
        "healthy_threshold",
        "HealthyThresholdCount",
        "int",
        5,
        "Successes in a row that make a target healthy.",
        low=2,
        high=10,
    ),
    fields.Field(
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
    fields.Field(
        "deregistration_delay",
        "deregistration_delay.timeout_seconds",
        "int",
        300,
        "Seconds for which a removed target is V(draining) and keeps its connections.",
        low=0,
        high=3600,
    ),
    fields.Field(
        "deregistration_connection_termination",
        "deregistration_delay.connection_termination.enabled",
        "bool",
        False,
        "Whether connections are cut at the end of the deregistration delay.",
    ),
    fields.Field(
        "unhealthy_connection_termination",
        "target_health_state.unhealthy.connection_termination.enabled",
        "bool",
        True,
        "Whether connections to a target that turns unhealthy are cut. V(true) ends every open shell of a node whose"
        " health check fails twice.",
    ),
    fields.Field(
        "unhealthy_draining_interval",
        "target_health_state.unhealthy.draining_interval_seconds",
        "int",
        0,
        "Seconds for which an unhealthy target keeps its connections; V(0) keeps them until they end. Only without"
        " O(attributes.unhealthy_connection_termination).",
        low=0,
        high=360000,
    ),
    fields.Field(
        "preserve_client_ip",
        "preserve_client_ip.enabled",
        "bool",
        False,
        "Whether targets see the client's address. A client that is a target itself then cannot connect.",
    ),
    fields.Field(
        "proxy_protocol_v2",
        "proxy_protocol_v2.enabled",
        "bool",
        False,
        "Whether connections begin with a proxy protocol header, which sshd does not understand.",
    ),
    fields.Field(
        "stickiness", "stickiness.enabled", "bool", False, "Whether a client address keeps going to the same target."
    ),
    fields.Field(
        "stickiness_type", "stickiness.type", "str", "source_ip", "What identifies a client.", choices=("source_ip",)
    ),
    fields.Field(
        "cross_zone",
        "load_balancing.cross_zone.enabled",
        "str",
        "use_load_balancer_configuration",
        "Whether targets of all zones are used, whatever the load balancer says.",
        choices=("true", "false", "use_load_balancer_configuration"),
    ),
    fields.Field(
        "dns_failover_minimum_count",
        "target_group_health.dns_failover.minimum_healthy_targets.count",
        "str",
        "1",
        "Healthy targets below which a zone leaves the DNS name.",
        low=1,
        word="off",
    ),
    fields.Field(
        "dns_failover_minimum_percentage",
        "target_group_health.dns_failover.minimum_healthy_targets.percentage",
        "str",
        "off",
        "The same as a percentage.",
        low=1,
        high=100,
        word="off",
    ),
    fields.Field(
        "unhealthy_routing_minimum_count",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count",
        "int",
        1,
        "Healthy targets below which all targets get connections, unhealthy ones included.",
        low=1,
    ),
    fields.Field(
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
    properties: fields.Values = field(default_factory=dict)
    health_check: fields.Values = field(default_factory=dict)
    attributes: fields.Values = field(default_factory=dict)
    tags: model.Tags | None = None
    purge_tags: bool = True
    cluster_arn: str | None = None
    adopt: bool = False

    @property
    def resource(self) -> str:
        return f"target group {self.name}"

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any]) -> Desired:
        """:raises Refused: for the first option that is wrong in itself."""
        if params["vpc_id"] is not None:
            model.check_id("vpc_id", params["vpc_id"], "vpc")
        return cls(
            name=model.check_name("name", params["name"]),
            properties=fields.wanted(PROPERTIES, params, within=""),
            health_check=fields.wanted(HEALTH_CHECK, params["health_check"], within="health_check"),
            attributes=fields.wanted(ATTRIBUTES, params["attributes"], within="attributes"),
            tags=model.wanted_tags(params["tags"], cluster_arn=params["cluster_arn"]),
            purge_tags=params["purge_tags"],
            cluster_arn=params["cluster_arn"],
            adopt=params["adopt"],
        )


@dataclass(frozen=True)
class TargetGroup:
    """What AWS says about a target group, by our names of the fields."""

    arn: str
    name: str
    properties: fields.Values
    health_check: fields.Values
    attributes: fields.Values
    tags: model.Tags
    load_balancer_arns: tuple[str, ...] = ()

    def to_result(self) -> dict[str, t.Any]:
        return {
            "exists": True,
            "target_group_arn": self.arn,
            "name": self.name,
            **self.properties,
            "health_check": dict(self.health_check),
            "attributes": dict(self.attributes),
            "tags": dict(self.tags),
            "load_balancer_arns": list(self.load_balancer_arns),
        }


def to_result(name: str, found: TargetGroup | None) -> dict[str, t.Any]:
    return {"target_group": {"exists": False, "name": name} if found is None else found.to_result()}
