# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Planned resources, the use of the account, and the comparison with one quota."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, field

from ..service_quota.model import Quota

ON_DEMAND, SPOT = "on_demand", "spot"
MARKETS = {ON_DEMAND: "On-Demand", SPOT: "Spot"}
"""The words for a market in the names of quotas, keyed by the value of the option."""
VCPUS, RESOURCES = "vCPU", "count"

Kind = tuple[str, str]
"""Instance type and market."""
Instances = t.Mapping[Kind, int]


@dataclass(frozen=True)
class Planned:
    """Resources in addition to the existing ones."""

    instances: Instances = field(default_factory=dict)
    vpcs: int = 0
    elastic_ips: int = 0
    eks_clusters: int = 0
    nat_gateways: t.Mapping[str, int] = field(default_factory=dict)
    """Keyed by Availability Zone."""

    def has(self, market: str) -> bool:
        return any(kind[1] == market for kind in self.instances)


@dataclass(frozen=True)
class State:
    """The account in the Region. Only what the plan needs is read."""

    quotas: t.Mapping[str, Quota] = field(default_factory=dict)
    """Keyed by code."""
    vcpus: t.Mapping[str, int] = field(default_factory=dict)
    """The vCPUs of the instance types that EC2 describes."""
    instances: Instances = field(default_factory=collections.Counter)
    """Instances that count towards a quota."""
    vpcs: int = 0
    elastic_ips: int = 0
    eks_clusters: int = 0
    nat_gateways: t.Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Use:
    """The use of one quota. ``known`` is False if the vCPUs of a type are unknown, so that the counts are too low."""

    name: str
    unit: str
    used: int
    planned: int
    quota: Quota | None = None
    zone: str = ""
    instance_types: tuple[str, ...] = ()
    known: bool = True
    why: str = ""
    """Why the quota or the counts are unknown, with the next step."""

    @property
    def needed(self) -> int:
        return self.used + self.planned

    @property
    def sufficient(self) -> bool | None:
        """None if unknown. A quota is too low if the known part of the use already exceeds it."""
        if self.quota is not None and self.needed > self.quota.value:
            return False
        return True if self.known and self.quota is not None else None
