# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the quotas and their use. Only what the plan needs is read."""

from __future__ import annotations

import typing as t

from ..client import Api
from ..network import Network, filters
from ..service_quota.api import ServiceQuotas
from ..service_quota.model import Quota
from . import usage
from .codes import EKS_CLUSTERS, ELASTIC_IPS, NAT_GATEWAYS, VPCS, codes
from .model import SPOT, Instances, Planned, State

MOST_TYPES = 100
"""The maximum number of instance types per call, and per reply of EC2."""
REGION = "the Region"


class Observer:
    """Reads the account in one Region."""

    def __init__(self, connect: t.Callable[[str], Api], planned: Planned) -> None:
        """
        :param connect: returns the API of a service.
        """
        self.connect = connect
        self.planned = planned
        self.ec2 = Network(connect("ec2").client)
        self.quotas = ServiceQuotas(connect("service-quotas").client)

    def __call__(self) -> State:
        planned = self.planned
        instances = self._instances() if planned.instances else {}
        return State(
            quotas=self._quotas(),
            vcpus=self._vcpus(sorted({name for name, _market in (*planned.instances, *instances)})),
            instances=instances,
            vpcs=len(self.ec2.pages("DescribeVpcs", "Vpcs", about=REGION)) if planned.vpcs else 0,
            elastic_ips=self._elastic_ips() if planned.elastic_ips else 0,
            eks_clusters=self._eks_clusters() if planned.eks_clusters else 0,
            nat_gateways=self._nat_gateways() if planned.nat_gateways else {},
        )

    def pending(self, quota: Quota) -> float | None:
        return self.quotas.pending(quota)

    def _quotas(self) -> dict[str, Quota]:
        planned = self.planned
        wanted = {"ec2": {code for kind in planned.instances for code in codes(*kind)}, "vpc": set(), "eks": set()}
        for counted, count in (
            (VPCS, planned.vpcs),
            (ELASTIC_IPS, planned.elastic_ips),
            (EKS_CLUSTERS, planned.eks_clusters),
            (NAT_GATEWAYS, planned.nat_gateways),
        ):
            wanted[counted.service] |= {counted.code} if count else set()
        found: dict[str, Quota] = {}
        for service, of_service in wanted.items():
            found |= self.quotas.with_codes(service, of_service)
        return found

    def _instances(self) -> Instances:
        about = f"instances of {REGION}"
        running = self.ec2.pages(
            "DescribeInstances", "Reservations", about=about, **filters(instance_state_name=list(usage.INSTANCE_STATES))
        )
        reservations = self.ec2.pages(
            "DescribeCapacityReservations", "CapacityReservations", about=about, **filters(state=["active"])
        )
        requests: list[t.Any] = []
        if self.planned.has(SPOT):
            requests = self.ec2.pages(
                "DescribeSpotInstanceRequests", "SpotInstanceRequests", about=about, **filters(state=["open"])
            )
        account = self.connect("sts").call("GetCallerIdentity", about="the caller")["Account"]
        listed = [instance for each in running for instance in each["Instances"]]
        return usage.instances(listed, reservations, requests, account=account)

    def _vcpus(self, names: list[str]) -> dict[str, int]:
        """The call uses a filter, because one unknown name would fail the whole call."""
        found: dict[str, int] = {}
        for start in range(0, len(names), MOST_TYPES):
            part = names[start : start + MOST_TYPES]
            about = f"instance types {', '.join(part)}"
            listed = self.ec2.pages("DescribeInstanceTypes", "InstanceTypes", about=about, **filters(instance_type=part))
            counts = {each["InstanceType"]: (each.get("VCpuInfo") or {}).get("DefaultVCpus") for each in listed}
            found |= {name: count for name, count in counts.items() if count}
        return found

    def _elastic_ips(self) -> int:
        return usage.elastic_ips(self.ec2.call("DescribeAddresses", about=REGION)["Addresses"])

    def _eks_clusters(self) -> int:
        return len(self.connect("eks").pages("ListClusters", "clusters", about=REGION))

    def _nat_gateways(self) -> t.Mapping[str, int]:
        states = filters(state=list(usage.NAT_STATES))["Filters"]
        listed = self.ec2.pages("DescribeNatGateways", "NatGateways", about=REGION, Filter=states)
        subnets = self.ec2.subnets({each["SubnetId"] for each in listed if each.get("SubnetId")})
        return usage.nat_gateways(listed, {each.id: each.zone for each in subnets.values()})
