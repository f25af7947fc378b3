# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The quota of an instance type, from the codes and the names that Service Quotas lists."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.codes import (
    CODES,
    EKS_CLUSTERS,
    ELASTIC_IPS,
    NAT_GATEWAYS,
    VPCS,
    Counted,
    codes,
    covering,
    covers,
    described,
    family,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.model import Quota
from lab.aws.servicequotas.models import DEFAULTS


def quota(code: str, name: str) -> Quota:
    return Quota("ec2", code, name, 64.0, True)


LISTED = {code: quota(code, name) for code, name, _value, _adjustable in DEFAULTS["ec2"]}
ON_DEMAND = {
    "c7i-flex.large": "L-1216C47A",
    "m5.large": "L-1216C47A",
    "t4g.micro": "L-1216C47A",
    "z1d.large": "L-1216C47A",
    "im4gn.large": "L-1216C47A",
    "is4gen.large": "L-1216C47A",
    "a1.large": "L-1216C47A",
    "i7ie.large": "L-1216C47A",
    "g5.8xlarge": "L-DB2E81BA",
    "gr6.4xlarge": "L-DB2E81BA",
    "vt1.3xlarge": "L-DB2E81BA",
    "p4d.24xlarge": "L-417A185B",
    "p5.48xlarge": "L-417A185B",
    "p6-b200.48xlarge": "L-417A185B",
    "p6e-gb200.36xlarge": "L-417A185B",
    "inf2.xlarge": "L-1945791B",
    "trn1.32xlarge": "L-2C3B7624",
    "trn2u.48xlarge": "L-2C3B7624",
    "f2.6xlarge": "L-74FC7D96",
    "x2iedn.xlarge": "L-7295265B",
    "dl1.24xlarge": "L-6E869C2A",
    "dl2q.24xlarge": "L-6E869C2A",
    "hpc7a.96xlarge": "L-F7808C92",
    "u-6tb1.56xlarge": "L-43DA4232",
    "u7i-12tb.224xlarge": "L-43DA4232",
}
SPOT = {
    "m5.large": "L-34B43A08",
    "g6e.xlarge": "L-3819A6DF",
    "p4d.24xlarge": "L-7212CCBC",
    "p3dn.24xlarge": "L-7212CCBC",
    "p5en.48xlarge": "L-C4BD4855",
    "inf1.xlarge": "L-B5D1601B",
    "trn1.2xlarge": "L-6B0D517C",
    "f1.2xlarge": "L-88CF9481",
    "x1.16xlarge": "L-E3A00192",
    "dl1.24xlarge": "L-85EED4F7",
}


@pytest.mark.parametrize(
    ("market", "name", "code"),
    [*(("on_demand", *each) for each in ON_DEMAND.items()), *(("spot", *each) for each in SPOT.items())],
)
def test_each_family_has_its_quota(market: str, name: str, code: str) -> None:
    found = covering(name, market, LISTED)
    assert found is not None and found.code == code


@pytest.mark.parametrize(
    ("name", "market"),
    [("mac2.metal", "on_demand"), ("mac2.metal", "spot"), ("hpc7a.96xlarge", "spot"), ("u-6tb1.56xlarge", "spot"), ("cr1.8xlarge", "on_demand")],
)
def test_other_families_have_no_quota(name: str, market: str) -> None:
    assert codes(name, market) == [] and covering(name, market, LISTED) is None


def test_a_generation_without_a_spot_quota_is_unknown() -> None:
    assert codes("p6-b200.48xlarge", "spot") == ["L-7212CCBC", "L-C4BD4855"]
    assert covering("p6-b200.48xlarge", "spot", LISTED) is None


def test_the_name_decides_and_not_the_code() -> None:
    one = {"L-7212CCBC": quota("L-7212CCBC", "All P Spot Instance Requests")}
    for name in ("p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge"):
        assert covering(name, "spot", one) == one["L-7212CCBC"]
    wrong = {"L-417A185B": quota("L-417A185B", "Running On-Demand G and VT instances")}
    assert covering("p5.48xlarge", "on_demand", wrong) is None
    assert covering("p5.48xlarge", "on_demand", {}) is None


@pytest.mark.parametrize(
    ("name", "market", "expected"),
    [
        ("Running On-Demand P instances", "on_demand", True),
        ("RUNNING ON-DEMAND P INSTANCES", "on_demand", True),
        ("Running On-Demand P instances", "spot", False),
        ("Running Dedicated p5 Hosts", "on_demand", False),
        ("All P5 Spot Instance Requests", "spot", True),
        ("All P5 Spot Instance Requests", "on_demand", False),
        ("All P5e Spot Instance Requests", "spot", False),
        ("All P4, P3 and P2 Spot Instance Requests", "spot", False),
        ("All P6 and P5 Spot Instance Requests", "spot", True),
        ("", "spot", False),
    ],
)
def test_names_that_cover_a_p5_instance(name: str, market: str, expected: bool) -> None:
    assert covers(name, "p5.48xlarge", market) is expected


def test_the_family_is_the_part_before_the_generation() -> None:
    names = ("p6-b200.48xlarge", "u-6tb1.56xlarge", "hpc7a.96xlarge", "is4gen.large")
    assert [family(name) for name in names] == ["p", "u", "hpc", "is"]
    assert family("48.xlarge") == ""
    assert described("p6-b200.48xlarge", "spot") == "vCPUs of Spot instances of family p"
    assert described("48.xlarge", "on_demand") == "vCPUs of On-Demand instances of family 48.xlarge"


def test_no_code_has_two_meanings() -> None:
    every = [code for of_market in CODES.values() for code in of_market]
    assert len(every) == len(set(every)) == 19


@pytest.mark.parametrize("counted", [VPCS, NAT_GATEWAYS, ELASTIC_IPS, EKS_CLUSTERS])
def test_a_quota_of_resources_needs_its_name(counted: Counted) -> None:
    right = Quota(counted.service, counted.code, counted.name.upper(), 5.0, True)
    assert counted.known({counted.code: right}) == right
    assert counted.known({counted.code: Quota(counted.service, counted.code, "Other", 5.0, True)}) is None
    assert counted.known({}) is None
