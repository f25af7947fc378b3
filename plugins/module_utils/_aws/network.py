# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Subnets and network interfaces of EC2."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .client import Api


@dataclass(frozen=True)
class Subnet:
    id: str
    zone: str
    vpc_id: str
    cidr: str


class Network(Api):
    """The ``ec2`` client, with methods for subnets and network interfaces."""

    def subnets(self, ids: t.Collection[str]) -> dict[str, Subnet]:
        """The subnets that exist. The call uses a filter, because one unknown ID would fail the whole call."""
        if not ids:
            return {}
        about = ", ".join(sorted(ids))
        found = self.pages("DescribeSubnets", "Subnets", about=about, **filters(subnet_id=sorted(ids)))
        return {
            each["SubnetId"]: Subnet(each["SubnetId"], each["AvailabilityZone"], each["VpcId"], each["CidrBlock"])
            for each in found
        }

    def interfaces_of(self, load_balancer: str) -> list[str]:
        """Network interfaces of the Network Load Balancer of this name. They may remain for a while after it is deleted."""
        description = f"ELB net/{load_balancer}/*"
        found = self.pages(
            "DescribeNetworkInterfaces",
            "NetworkInterfaces",
            about=f"load balancer {load_balancer}",
            **filters(description=[description]),
        )
        return [each["NetworkInterfaceId"] for each in found]


def filters(**values: list[t.Any]) -> dict[str, t.Any]:
    return {"Filters": [{"Name": name.replace("_", "-"), "Values": wanted} for name, wanted in values.items()]}
