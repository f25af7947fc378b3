# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A rule of a security group, desired and observed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from ..tags import Tags

ALL_PROTOCOLS = "-1"


@dataclass(frozen=True)
class GroupReference:
    """A security group, by ID, or by name within a VPC."""

    id: str | None = None
    name: str | None = None
    vpc_id: str | None = None

    def __str__(self) -> str:
        return self.id or f"{self.name} in {self.vpc_id}"


@dataclass(frozen=True)
class Match:
    """The properties that identify a rule for EC2: all except description and tags."""

    egress: bool
    protocol: str
    from_port: int
    to_port: int
    peer: str
    """The ID of a security group, or a network in CIDR notation."""

    def is_alike(self, other: Match) -> bool:
        """Whether the two rules differ, and differ only in their ports."""
        return self != other and self == dataclasses.replace(other, from_port=self.from_port, to_port=self.to_port)


@dataclass(frozen=True)
class Desired:
    """The module's options."""

    present: bool
    group: GroupReference
    egress: bool
    protocol: str
    from_port: int
    to_port: int
    cidr: str | None
    source: GroupReference | None
    description: str | None
    tags: Tags
    cluster_arn: str

    @property
    def resource(self) -> str:
        direction, word = ("egress", "to") if self.egress else ("ingress", "from")
        ports = (
            ""
            if self.protocol == ALL_PROTOCOLS
            else f" {self.from_port}" + (f"-{self.to_port}" if self.to_port != self.from_port else "")
        )
        protocol = "all protocols" if self.protocol == ALL_PROTOCOLS else self.protocol
        return f"{direction} rule {protocol}{ports} {word} {self.cidr or self.source} of security group {self.group}"

    def match(self, peer: str) -> Match:
        return Match(self.egress, self.protocol, self.from_port, self.to_port, peer)


@dataclass(frozen=True)
class Rule:
    """A rule as EC2 returns it."""

    id: str
    match: Match
    description: str = ""
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """``group_id`` and ``peer`` are None if the security group that they identify does not exist."""

    group_id: str | None
    peer: str | None
    rule: Rule | None = None
    others: tuple[Rule, ...] = ()
    """Other rules with the same group, peer, direction and protocol."""
