# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances, reservations, requests, NAT gateways and addresses that count towards a quota."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.usage import elastic_ips, instances, nat_gateways

OURS, OTHERS = "111111111111", "222222222222"
P5, G5 = "p5.48xlarge", "g5.8xlarge"
ON_DEMAND, SPOT = (P5, "on_demand"), (P5, "spot")


def instance(**more: str) -> dict[str, t.Any]:
    return {"InstanceType": P5, **more}


def reservation(**more: t.Any) -> dict[str, t.Any]:
    about = {"CapacityReservationId": "cr-1", "OwnerId": OURS, "InstanceType": P5, "ReservationType": "default"}
    return {**about, "TotalInstanceCount": 4, "AvailableInstanceCount": 3, **more}


BLOCK = reservation(ReservationType="capacity-block")


@pytest.mark.parametrize(
    ("listed", "reservations", "requests", "expected"),
    [
        ([], [], [], {}),
        ([instance(), instance(InstanceType=G5), instance(InstanceLifecycle="spot")], [], [], {ON_DEMAND: 1, (G5, "on_demand"): 1, SPOT: 1}),
        ([instance(InstanceLifecycle="scheduled")], [], [], {ON_DEMAND: 1}),
        ([instance(InstanceLifecycle="capacity-block")], [], [], {}),
        # The whole reservation counts, whether it is used or not, and its instances do not count again.
        ([instance(CapacityReservationId="cr-1"), instance()], [reservation()], [], {ON_DEMAND: 5}),
        ([], [reservation(TotalInstanceCount=0)], [], {}),
        # A reservation that has ended is not listed; its instances are normal ones.
        ([instance(CapacityReservationId="cr-ended")], [reservation()], [], {ON_DEMAND: 5}),
        # Capacity that another account shares counts for that account.
        ([instance(CapacityReservationId="cr-1")], [reservation(OwnerId=OTHERS)], [], {}),
        ([instance(CapacityReservationId="cr-1")], [BLOCK], [], {}),
        ([], [{name: value for name, value in reservation().items() if name not in ("OwnerId", "ReservationType")}], [], {ON_DEMAND: 4}),
        ([], [], [{"LaunchSpecification": {"InstanceType": P5}}, {"LaunchSpecification": {}}, {}], {SPOT: 1}),
    ],
)
def test_instances_by_type_and_market(
    listed: list[t.Any], reservations: list[t.Any], requests: list[t.Any], expected: dict[tuple[str, str], int]
) -> None:
    assert dict(instances(listed, reservations, requests, account=OURS)) == expected


def test_nat_gateways_count_in_their_zones() -> None:
    regional = {"NatGatewayAddresses": [{"AvailabilityZone": zone} for zone in ("us-west-2a", "us-west-2a", "us-west-2b")]}
    zonal = {"SubnetId": "subnet-1", "NatGatewayAddresses": [{"AvailabilityZone": "us-west-2c"}]}
    found = nat_gateways([zonal, zonal, regional, {"SubnetId": "subnet-gone"}, {}], {"subnet-1": "us-west-2a"})
    assert dict(found) == {"us-west-2a": 3, "us-west-2b": 1}


def test_addresses_of_our_own_pools_do_not_count() -> None:
    listed = [{"Domain": "vpc"}, {"Domain": "vpc", "PublicIpv4Pool": "amazon"}]
    others = [{"Domain": "vpc", "PublicIpv4Pool": "ipv4pool-ec2-1"}, {"Domain": "standard"}]
    assert elastic_ips([*listed, *others]) == 2
