# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison of plan, use and quotas."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.compare import compare
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.model import Planned, State, Use
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.model import Quota

P4, P5, P6, M5 = "p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "m5.large"
VCPUS = {P4: 96, P5: 192, M5: 2}
P = Quota("ec2", "L-417A185B", "Running On-Demand P instances", 480.0, True)
P_SPOT = Quota("ec2", "L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 96.0, True)
P5_SPOT = Quota("ec2", "L-C4BD4855", "All P5 Spot Instance Requests", 0.0, True)
STANDARD = Quota("ec2", "L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 5.0, True)
VPCS = Quota("vpc", "L-F678F1CE", "VPCs per Region", 5.0, True)
NATS = Quota("vpc", "L-FE5A380F", "NAT gateways per Availability Zone", 5.0, True)
QUOTAS = {each.code: each for each in (P, P_SPOT, P5_SPOT, STANDARD, VPCS, NATS)}


def on_demand(**counts: int) -> dict[tuple[str, str], int]:
    types = {"p4": P4, "p5": P5, "p6": P6, "m5": M5, "mac": "mac2.metal"}
    return {(types[name], "on_demand"): count for name, count in counts.items()}


def one(planned: Planned, **state: t.Any) -> Use:
    (found,) = compare(planned, State(**{"quotas": QUOTAS, "vcpus": VCPUS, **state}))
    return found


@pytest.mark.parametrize(
    ("planned", "used", "expected"),
    [
        (on_demand(p5=2), {}, Use(P.name, "vCPU", 0, 384, P, instance_types=(P5,))),
        (on_demand(p5=1), on_demand(p4=2), Use(P.name, "vCPU", 192, 192, P, instance_types=(P5,))),
        (on_demand(p4=1, p5=1), on_demand(p5=1, m5=1), Use(P.name, "vCPU", 192, 288, P, instance_types=(P4, P5))),
        (on_demand(m5=3), {(M5, "spot"): 4}, Use(STANDARD.name, "vCPU", 0, 6, STANDARD, instance_types=(M5,))),
        ({(P5, "spot"): 1}, {(P4, "spot"): 1}, Use(P5_SPOT.name, "vCPU", 0, 192, P5_SPOT, instance_types=(P5,))),
    ],
)
def test_the_vcpus_of_all_types_of_a_quota_are_summed(planned: t.Any, used: t.Any, expected: Use) -> None:
    assert one(Planned(planned), instances=used) == expected


@pytest.mark.parametrize(
    ("needed", "value", "known", "expected"),
    [(5, 5.0, True, True), (6, 5.0, True, False), (5, None, True, None), (5, 5.0, False, None), (6, 5.0, False, False)],
)
def test_an_unknown_quota_or_count_is_not_sufficient(needed: int, value: float | None, known: bool, expected: bool | None) -> None:
    quota = None if value is None else Quota("ec2", "L-1", "a", value, True)
    assert Use("a", "vCPU", needed - 1, 1, quota, known=known).sufficient is expected


def test_a_family_without_a_quota_is_unknown() -> None:
    found = one(Planned(on_demand(mac=1)), vcpus={"mac2.metal": 8})
    assert (found.name, found.planned, found.sufficient) == ("vCPUs of On-Demand instances of family mac", 8, None)
    assert found.why.startswith("No quota is known for mac2.metal in the market on_demand.")


def test_a_quota_with_another_name_is_unknown() -> None:
    other = Quota("ec2", P.code, "Running On-Demand Q instances", 1000.0, True)
    found = one(Planned(on_demand(p5=1)), quotas={P.code: other}, instances=on_demand(p4=1))
    assert (found.quota, found.used, found.planned, found.sufficient) == (None, 96, 192, None)
    assert found.why == (
        'Service Quotas lists L-417A185B "Running On-Demand Q instances". Expected: a name that covers family p and p5.48xlarge. '
        "Check the quota in Service Quotas."
    )
    assert one(Planned(on_demand(p5=1)), quotas={}).why.startswith("Service Quotas does not list L-417A185B. Expected: ")


def test_a_generation_without_a_spot_quota_is_unknown() -> None:
    found = one(Planned({(P6, "spot"): 1}), vcpus={**VCPUS, P6: 192}, instances={(P5, "spot"): 1})
    assert (found.name, found.used, found.planned, found.sufficient) == ("vCPUs of Spot instances of family p", 0, 192, None)
    assert "L-7212CCBC \"All P4" in found.why and "L-C4BD4855 \"All P5" in found.why and P6 in found.why


def test_a_type_that_ec2_does_not_describe_is_unknown_unless_the_rest_is_too_much() -> None:
    found = one(Planned(on_demand(p5=1, p6=1)))
    assert (found.known, found.sufficient) == (False, None) and found.why.startswith(f"EC2 does not describe {P6} in this Region")
    assert one(Planned(on_demand(p5=3, p6=1))).sufficient is False
    assert one(Planned(on_demand(p5=1)), instances=on_demand(p6=1)).known is False
    assert one(Planned(on_demand(m5=1)), instances=on_demand(p6=1)).known is True


def test_resources_are_compared_with_their_own_quotas() -> None:
    state = State(quotas=QUOTAS, vpcs=5, elastic_ips=1, nat_gateways={"us-west-2a": 4, "us-west-2b": 5})
    found = compare(Planned(vpcs=1, elastic_ips=1, nat_gateways={"us-west-2b": 1, "us-west-2a": 1}), state)
    assert [(each.name, each.zone, each.used, each.planned, each.sufficient) for each in found] == [
        ("VPCs per Region", "", 5, 1, False),
        ("EC2-VPC Elastic IPs", "", 1, 1, None),
        ("NAT gateways per Availability Zone", "us-west-2a", 4, 1, True),
        ("NAT gateways per Availability Zone", "us-west-2b", 5, 1, False),
    ]
    assert found[1].why.startswith("Service Quotas does not list L-0263D0A3. Expected: the name \"EC2-VPC Elastic IPs\".")
    assert {each.unit for each in found} == {"count"}


def test_what_is_not_planned_is_not_returned() -> None:
    assert compare(Planned(), State(quotas=QUOTAS, vcpus=VCPUS, instances=on_demand(p5=9), vpcs=9)) == []
