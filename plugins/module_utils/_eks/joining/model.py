# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What the nodes of a group need to join their EKS cluster, as it was read from AWS."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

Answer = t.Mapping[str, t.Any]
T = t.TypeVar("T")


@dataclass(frozen=True)
class Unread:
    """Something that could not be read, so that nothing is known about it."""

    what: str
    why: str
    """The error code of AWS, or its message."""

    def __str__(self) -> str:
        return f"could not read {self.what} ({self.why})"


Read = t.Union[T, Unread]


@dataclass(frozen=True)
class Cluster:
    name: str
    mode: str
    """Authentication mode: API, API_AND_CONFIG_MAP or CONFIG_MAP."""
    endpoint: str = ""
    authority: str = ""
    private: bool = True
    public_cidrs: tuple[str, ...] = ()
    """The networks that may use the public endpoint; empty without a public endpoint."""
    security_groups: tuple[str, ...] = ()
    """The groups of the control plane: the cluster security group and the additional ones."""
    subnets: tuple[str, ...] = ()
    vpc_id: str = ""

    @classmethod
    def from_api(cls, answer: Answer) -> Cluster:
        network = answer.get("resourcesVpcConfig") or {}
        public = network.get("endpointPublicAccess", True)
        own = network.get("clusterSecurityGroupId")
        return cls(
            name=answer["name"],
            mode=(answer.get("accessConfig") or {}).get("authenticationMode", "CONFIG_MAP"),
            endpoint=answer.get("endpoint") or "",
            authority=(answer.get("certificateAuthority") or {}).get("data") or "",
            private=bool(network.get("endpointPrivateAccess")),
            public_cidrs=tuple(network.get("publicAccessCidrs") or ()) if public else (),
            security_groups=(*([own] if own else []), *(network.get("securityGroupIds") or ())),
            subnets=tuple(network.get("subnetIds") or ()),
            vpc_id=network.get("vpcId") or "",
        )


@dataclass(frozen=True)
class Role:
    """The role of the nodes. ``policies`` are names of AWS managed policies, ``others`` of all other policies."""

    name: str
    exists: bool = True
    policies: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """What one permission of a security group allows. Without ``ports``, it allows all of them."""

    ports: tuple[int, int] | None = None
    groups: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    prefix_lists: tuple[str, ...] = ()

    def covers(self, port: int) -> bool:
        return self.ports is None or self.ports[0] <= port <= self.ports[1]


@dataclass(frozen=True)
class SecurityGroup:
    id: str
    ingress: tuple[Rule, ...] = ()
    egress: tuple[Rule, ...] = ()

    @classmethod
    def from_api(cls, answer: Answer) -> SecurityGroup:
        return cls(answer["GroupId"], _rules(answer.get("IpPermissions")), _rules(answer.get("IpPermissionsEgress")))


def _rules(permissions: t.Iterable[Answer] | None) -> tuple[Rule, ...]:
    """The rules for TCP."""
    return tuple(_rule(each) for each in permissions or () if each["IpProtocol"] in ("-1", "tcp", "6"))


def _rule(permission: Answer) -> Rule:
    low, high = permission.get("FromPort", -1), permission.get("ToPort", -1)
    return Rule(
        ports=None if permission["IpProtocol"] == "-1" or low == -1 else (low, high),
        groups=tuple(each["GroupId"] for each in permission.get("UserIdGroupPairs") or () if "GroupId" in each),
        networks=(
            *(each["CidrIp"] for each in permission.get("IpRanges") or ()),
            *(each["CidrIpv6"] for each in permission.get("Ipv6Ranges") or ()),
        ),
        prefix_lists=tuple(each["PrefixListId"] for each in permission.get("PrefixListIds") or ()),
    )


@dataclass(frozen=True)
class Subnet:
    id: str
    cidr: str
    public_addresses: bool = False
    """Whether EC2 gives public addresses to new instances."""


@dataclass(frozen=True)
class Route:
    """The default route for IPv4 in a route table. Without ``target``, there is no such route."""

    table: str
    target: str = ""
    usable: bool = True
    """Whether the target exists; if not, EC2 drops the traffic."""


@dataclass(frozen=True)
class Endpoint:
    """An available VPC endpoint. A gateway endpoint serves only its route tables."""

    service: str
    """The last part of the name, such as ecr.api."""
    tables: tuple[str, ...] | None = None
    """None for an interface endpoint."""


@dataclass(frozen=True)
class Template:
    """The version of the launch template of the group; empty for a group without one."""

    name: str = ""
    image: str = ""
    user_data: str = ""
    security_groups: tuple[str, ...] = ()
    """Empty if EKS adds the cluster security group."""
    public_address: bool | None = None
    """None if the subnet decides."""


@dataclass(frozen=True)
class Observation:
    cluster: Read[Cluster]
    role: Read[Role]
    template: Read[Template]
    ami_type: str = ""
    entry: Read[str | None] = None
    """Type of the access entry of the role; None without an entry."""
    cni_role: Read[bool] = False
    """Whether the Pods of the VPC CNI have their own role."""
    security_groups: Read[t.Mapping[str, SecurityGroup]] = field(default_factory=dict)
    subnets: Read[t.Mapping[str, Subnet]] = field(default_factory=dict)
    """The subnets of the group and of the cluster."""
    routes: Read[t.Mapping[str, Route]] = field(default_factory=dict)
    """By the ID of the subnet."""
    endpoints: Read[tuple[Endpoint, ...]] = ()
    node_subnets: tuple[str, ...] = ()
