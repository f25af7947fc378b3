# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Network load balancer: what is wanted, what is there, and the table of its attributes."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from .. import fields, model

DEFAULT_IDLE_TIMEOUT = 350

ATTRIBUTES: fields.Table = (
    fields.Field(
        "cross_zone",
        "load_balancing.cross_zone.enabled",
        "bool",
        False,
        "Whether an address of one zone also serves targets of the others."
        " Without it the address of a zone that has no login node times out.",
    ),
    fields.Field(
        "client_routing_policy",
        "dns_record.client_routing_policy",
        "str",
        "any_availability_zone",
        "Which zones' addresses the DNS name gives to a client.",
        choices=("any_availability_zone", "partial_availability_zone_affinity", "availability_zone_affinity"),
    ),
    fields.Field(
        "zonal_shift",
        "zonal_shift.config.enabled",
        "bool",
        False,
        "Whether a zonal shift may move traffic out of a zone.",
    ),
    fields.Field(
        "access_logs_enabled",
        "access_logs.s3.enabled",
        "bool",
        False,
        "Whether access logs are written to S3. They exist for TLS listeners only.",
    ),
    fields.Field("access_logs_bucket", "access_logs.s3.bucket", "str", "", "The bucket for access logs."),
    fields.Field("access_logs_prefix", "access_logs.s3.prefix", "str", "", "The prefix in the bucket."),
)
PROTECTION: fields.Table = (
    fields.Field(
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
    """A subnet of the load balancer; without an address AWS picks one."""

    subnet_id: str
    private_ipv4_address: str | None = None
    zone: str = ""


@dataclass(frozen=True)
class Subnet:
    """A subnet as EC2 describes it, looked up only when the load balancer is to move into it."""

    id: str
    zone: str
    vpc_id: str
    cidr: str


@dataclass(frozen=True)
class WantedListener:
    """``target_group`` is a name or an ARN."""

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
    """What the module's options ask for; None means: leave alone."""

    name: str
    scheme: str | None = None
    subnets: tuple[SubnetMapping, ...] | None = None
    purge_subnets: bool = False
    security_groups: tuple[str, ...] | None = None
    purge_security_groups: bool = True
    listeners: tuple[WantedListener, ...] | None = None
    purge_listeners: bool = True
    attributes: fields.Values = field(default_factory=dict)
    tags: model.Tags | None = None
    purge_tags: bool = True
    cluster_arn: str | None = None
    adopt: bool = False
    force_delete: bool = False

    @property
    def resource(self) -> str:
        return f"load balancer {self.name}"

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any]) -> Desired:
        """:raises Refused: for the first option that is wrong in itself."""
        attributes = fields.wanted(ATTRIBUTES, params["attributes"], within="attributes")
        return cls(
            name=model.check_name("name", params["name"]),
            scheme=params["scheme"],
            subnets=_subnets(params),
            purge_subnets=params["purge_subnets"],
            security_groups=_security_groups(params["security_groups"]),
            purge_security_groups=params["purge_security_groups"],
            listeners=_listeners(params["listeners"]),
            purge_listeners=params["purge_listeners"],
            attributes={**attributes, **fields.wanted(PROTECTION, params, within="")},
            tags=model.wanted_tags(params["tags"], cluster_arn=params["cluster_arn"]),
            purge_tags=params["purge_tags"],
            cluster_arn=params["cluster_arn"],
            adopt=params["adopt"],
            force_delete=params["force_delete"],
        )


@dataclass(frozen=True)
class LoadBalancer:
    """What AWS says about a load balancer, its attributes by our names."""

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
    tags: model.Tags = field(default_factory=dict)
    listeners: tuple[Listener, ...] = ()

    def listener(self, port: int) -> Listener | None:
        return next((each for each in self.listeners if each.port == port), None)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "exists": True,
            "load_balancer_arn": self.arn,
            "name": self.name,
            "type": self.type,
            "scheme": self.scheme,
            "status": self.status,
            "dns_name": self.dns_name,
            "canonical_hosted_zone_id": self.hosted_zone_id,
            "vpc_id": self.vpc_id,
            "created_time": self.created,
            "subnets": [dataclasses.asdict(each) for each in self.subnets],
            "security_groups": list(self.security_groups),
            "attributes": dict(self.attributes),
            "tags": dict(self.tags),
            "listeners": [listener.to_result() for listener in self.listeners],
        }


@dataclass(frozen=True)
class State:
    """What was observed; ``target_groups`` maps each reference to its ARN, or to None where there is none yet."""

    load_balancer: LoadBalancer | None = None
    target_groups: t.Mapping[str, str | None] = field(default_factory=dict)
    subnets: t.Mapping[str, Subnet] = field(default_factory=dict)


def to_result(name: str, state: State) -> dict[str, t.Any]:
    found = state.load_balancer
    return {"network_load_balancer": {"exists": False, "name": name} if found is None else found.to_result()}


def _subnets(params: t.Mapping[str, t.Any]) -> tuple[SubnetMapping, ...] | None:
    if params["subnets"] is not None:
        mappings = [SubnetMapping(model.check_id("subnets", each, "subnet")) for each in params["subnets"]]
        option = "subnets"
    elif params["subnet_mappings"] is not None:
        mappings = [_mapping(each) for each in params["subnet_mappings"]]
        option = "subnet_mappings"
    else:
        return None
    if not mappings:
        refuse_option(option, [], "a load balancer has at least one subnet")
    model.check_unique(option, (mapping.subnet_id for mapping in mappings))
    addresses = [mapping.private_ipv4_address for mapping in mappings if mapping.private_ipv4_address]
    model.check_unique("subnet_mappings.private_ipv4_address", addresses)
    return tuple(mappings)


def _mapping(given: t.Mapping[str, t.Any]) -> SubnetMapping:
    address = given["private_ipv4_address"]
    if address is not None:
        address = model.check_ipv4("subnet_mappings.private_ipv4_address", address)
    return SubnetMapping(model.check_id("subnet_mappings.subnet_id", given["subnet_id"], "subnet"), address)


def _security_groups(given: list[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not given:
        refuse_option("security_groups", [], "a load balancer without any can never get one")
    model.check_unique("security_groups", given)
    # In check mode a play may name a group that it would make first.
    return tuple(
        sorted(each if each == KNOWN_AFTER_APPLY else model.check_id("security_groups", each, "sg") for each in given)
    )


def _listeners(given: list[t.Mapping[str, t.Any]] | None) -> tuple[WantedListener, ...] | None:
    if given is None:
        return None
    listeners = []
    for each in given:
        port = model.check_port("listeners.port", each["port"])
        timeout = each["tcp_idle_timeout"]
        if timeout is not None:
            model.check_number("listeners.tcp_idle_timeout", timeout, 60, 6000)
        if each["target_group_name"] is not None:
            model.check_name("listeners.target_group_name", each["target_group_name"])
        target_group = each["target_group_arn"] or each["target_group_name"]
        if not target_group:
            raise Refused(f"listeners: port {port} names no target group; give target_group_name or target_group_arn.")
        listeners.append(WantedListener(port, target_group, timeout))
    model.check_unique("listeners.port", (listener.port for listener in listeners))
    return tuple(listeners)
