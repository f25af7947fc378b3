# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed Network Load Balancer, and the table of its attributes."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.network import Subnet
from ..._aws.tags import Tags
from ..._core import fields
from ..._core.fields import Field

DEFAULT_IDLE_TIMEOUT = 350

ATTRIBUTES: fields.Table = (
    Field(
        "cross_zone",
        "load_balancing.cross_zone.enabled",
        "bool",
        False,
        "Whether an address in one zone also serves targets in other zones."
        " If not, connections to the address of a zone without a login node time out.",
    ),
    Field(
        "client_routing_policy",
        "dns_record.client_routing_policy",
        "str",
        "any_availability_zone",
        "Zones whose addresses DNS returns to a client.",
        choices=("any_availability_zone", "partial_availability_zone_affinity", "availability_zone_affinity"),
    ),
    Field(
        "zonal_shift",
        "zonal_shift.config.enabled",
        "bool",
        False,
        "Whether a zonal shift may move traffic away from a zone.",
    ),
    Field(
        "access_logs_enabled",
        "access_logs.s3.enabled",
        "bool",
        False,
        "Whether access logs are written to S3. AWS writes access logs only for TLS listeners.",
    ),
    Field("access_logs_bucket", "access_logs.s3.bucket", "str", "", "The bucket for access logs."),
    Field("access_logs_prefix", "access_logs.s3.prefix", "str", "", "The prefix for access logs in the bucket."),
)
PROTECTION: fields.Table = (
    Field(
        "deletion_protection",
        "deletion_protection.enabled",
        "bool",
        False,
        "Whether AWS refuses to delete the load balancer.",
    ),
)
ALL_ATTRIBUTES: fields.Table = ATTRIBUTES + PROTECTION


@dataclass(frozen=True)
class SubnetMapping:
    """A subnet of the load balancer. If no address is set, AWS chooses one."""

    subnet_id: str
    private_ipv4_address: str | None = None
    zone: str = ""


@dataclass(frozen=True)
class DesiredListener:
    """A desired listener. ``target_group`` is a name or an ARN."""

    port: int
    target_group: str
    idle_timeout: int | None


@dataclass(frozen=True)
class Listener:
    arn: str
    port: int
    protocol: str
    target_group_arn: str
    idle_timeout: int | None

    def to_result(self) -> dict[str, t.Any]:
        return {
            "listener_arn": self.arn,
            "port": self.port,
            "protocol": self.protocol,
            "target_group_arn": self.target_group_arn,
            "tcp_idle_timeout": self.idle_timeout,
        }


@dataclass(frozen=True)
class Desired:
    """The module's options; None leaves a setting unchanged."""

    name: str
    present: bool = True
    scheme: str | None = None
    subnets: tuple[SubnetMapping, ...] | None = None
    purge_subnets: bool = False
    security_groups: tuple[str, ...] | None = None
    purge_security_groups: bool = True
    listeners: tuple[DesiredListener, ...] | None = None
    purge_listeners: bool = True
    attributes: fields.Values = field(default_factory=dict)
    tags: Tags | None = None
    purge_tags: bool = True
    cluster_arn: str | None = None
    adopt: bool = False
    force_delete: bool = False

    @property
    def resource(self) -> str:
        return f"load balancer {self.name}"


@dataclass(frozen=True)
class LoadBalancer:
    """A load balancer in AWS, with its attributes keyed by option name."""

    arn: str
    name: str
    type: str
    scheme: str
    status: str
    dns_name: str = ""
    hosted_zone_id: str = ""
    vpc_id: str = ""
    created: str = ""
    subnets: tuple[SubnetMapping, ...] = ()
    security_groups: tuple[str, ...] = ()
    attributes: fields.Values = field(default_factory=dict)
    tags: Tags = field(default_factory=dict)
    listeners: tuple[Listener, ...] = ()

    def listener(self, port: int) -> Listener | None:
        return next((each for each in self.listeners if each.port == port), None)


@dataclass(frozen=True)
class State:
    """Observed state; ``target_groups`` maps each reference to its ARN, or to None if the group does not exist yet."""

    load_balancer: LoadBalancer | None = None
    target_groups: t.Mapping[str, str | None] = field(default_factory=dict)
    subnets: t.Mapping[str, Subnet] = field(default_factory=dict)

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the load balancer are replaced."""
        if self.load_balancer is None:
            return self
        return dataclasses.replace(self, load_balancer=dataclasses.replace(self.load_balancer, **values))

    def with_listener(self, port: int, listener: Listener | None) -> State:
        """A copy with this listener at the port, or with no listener there."""
        listeners = self.load_balancer.listeners if self.load_balancer else ()
        there = [each for each in listeners if each.port != port] + ([listener] if listener else [])
        return self.having(listeners=tuple(sorted(there, key=lambda each: each.port)))
