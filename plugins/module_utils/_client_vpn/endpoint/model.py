# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed Client VPN endpoint."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field, replace

from ..connections.model import Connection
from ..identity import identity_tags
from ..statuses import ACTIVE

NAME_TAG = "Name"

ENDED = ("deleting", "deleted")
ASSOCIATE_ORIGIN = "associate"
"""Origin of routes that AWS adds itself. They cannot be deleted."""

Settings = t.Mapping[str, t.Any]
"""Values, keyed by option name."""
RuleKey = tuple[str, t.Optional[str]]
RouteKey = tuple[str, str]


def resource_name(vpc_id: str) -> str:
    """The name of an endpoint in messages and changes. AWS has no names for endpoints."""
    return f"client VPN endpoint of {vpc_id}"


def own_tags(vpc_id: str) -> dict[str, str]:
    """The tags of every new endpoint."""
    return {NAME_TAG: f"mlfleet-client-vpn-{vpc_id}", **identity_tags(vpc_id)}


@dataclass(frozen=True)
class Network:
    """A target network: a subnet that the endpoint is associated with."""

    association_id: str
    subnet_id: str
    status: str
    message: str = ""
    security_groups: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        return self.status in ("disassociating", "disassociated")

    def to_result(self) -> dict[str, t.Any]:
        return {"association_id": self.association_id, "subnet_id": self.subnet_id, "status": self.status}


@dataclass(frozen=True)
class Rule:
    """An authorization rule. ``group`` None means all users. ``description`` None leaves the description unchanged."""

    cidr: str
    group: str | None = None
    description: str | None = None
    status: str = ACTIVE
    message: str = ""

    @property
    def key(self) -> RuleKey:
        return (self.cidr, self.group)

    @property
    def name(self) -> str:
        return f"authorization rule {self.cidr}" + (f" for {self.group}" if self.group else "")

    @property
    def gone(self) -> bool:
        return self.status == "revoking"

    def to_result(self) -> dict[str, t.Any]:
        return {
            "cidr": self.cidr,
            "group": self.group,
            "description": self.description or "",
            "status": self.status,
        }


@dataclass(frozen=True)
class Route:
    """A route. ``description`` None leaves the description unchanged."""

    cidr: str
    subnet: str
    description: str | None = None
    origin: str = "add-route"
    status: str = ACTIVE
    message: str = ""

    @property
    def key(self) -> RouteKey:
        return (self.cidr, self.subnet)

    @property
    def name(self) -> str:
        return f"route {self.cidr} by {self.subnet}"

    @property
    def gone(self) -> bool:
        return self.status == "deleting"

    def to_result(self) -> dict[str, t.Any]:
        return {
            "cidr": self.cidr,
            "subnet": self.subnet,
            "description": self.description or "",
            "origin": self.origin,
            "status": self.status,
        }


@dataclass(frozen=True)
class Endpoint:
    """An endpoint in AWS, with its settings keyed by option name."""

    id: str
    status: str
    dns_name: str
    vpc_id: str
    created: str = ""
    portal_url: str = ""
    settings: Settings = field(default_factory=dict)
    tags: t.Mapping[str, str] = field(default_factory=dict)
    networks: tuple[Network, ...] = ()
    rules: tuple[Rule, ...] = ()
    routes: tuple[Route, ...] = ()

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def subnets(self) -> tuple[str, ...]:
        return tuple(each.subnet_id for each in self.networks if not each.gone)

    def in_order(self) -> Endpoint:
        """A copy with sorted parts, because AWS returns them in any order."""
        return replace(
            self,
            networks=tuple(sorted(self.networks, key=lambda each: each.subnet_id)),
            rules=tuple(sorted(self.rules, key=lambda each: (each.cidr, each.group or ""))),
            routes=tuple(sorted(self.routes, key=lambda each: each.key)),
        )


@dataclass(frozen=True)
class Vpc:
    id: str
    cidrs: tuple[str, ...]
    tenancy: str = "default"


@dataclass(frozen=True)
class Subnet:
    id: str
    vpc_id: str
    zone: str
    cidr: str
    free: int


@dataclass(frozen=True)
class Certificate:
    """A certificate in ACM that the endpoint does not use yet."""

    arn: str
    key_algorithm: str
    names: tuple[str, ...] = ()
    status: str = "ISSUED"


@dataclass(frozen=True)
class State:
    """Observed state. ``others`` is the number of other endpoints in the account and Region that are not being deleted."""

    vpc: Vpc | None = None
    endpoint: Endpoint | None = None
    others: int = 0
    generation: str = ""
    """A part of the client token that differs in each run, because for a known token EC2 returns the earlier endpoint even if it
    was deleted. Later runs find the endpoint by its tags instead."""
    subnets: t.Mapping[str, Subnet] = field(default_factory=dict)
    certificates: t.Mapping[str, Certificate | None] = field(default_factory=dict)
    connections: tuple[Connection, ...] = ()
    revocation_list: str = ""
    """The CRL in PEM. It is read only if the endpoint may be recreated. Empty if it was not read or does not exist."""

    @property
    def connected(self) -> tuple[str, ...]:
        """The people with an active connection."""
        return tuple(sorted({each.person for each in self.connections if each.active}))


@dataclass(frozen=True)
class Desired:
    """The module's options; None leaves a setting unchanged."""

    vpc_id: str
    present: bool = True
    settings: Settings = field(default_factory=dict)
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True
    subnets: tuple[str, ...] | None = None
    purge_subnets: bool = False
    rules: tuple[Rule, ...] | None = None
    purge_rules: bool = False
    routes: tuple[Route, ...] | None = None
    purge_routes: bool = False
    recreate: bool = False
    disruptive: bool = True
    quota: int = 5

    @property
    def resource(self) -> str:
        return resource_name(self.vpc_id)

    @property
    def purges_subnets(self) -> bool:
        return self.purge_subnets and self.subnets is not None
