# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned resources, and the refusal of invalid options."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.model import Planned
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.options import planned
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

PARAMS: dict[str, t.Any] = {"planned": None, "vpcs": 0, "elastic_ips": 0, "eks_clusters": 0, "nat_gateways": None}
P5 = "p5.48xlarge"


def instances(*entries: tuple[str, int, str]) -> dict[str, t.Any]:
    return {"planned": [{"instance_type": name, "count": count, "market": market} for name, count, market in entries]}


def gateways(*entries: tuple[str, int]) -> dict[str, t.Any]:
    return {"nat_gateways": [{"zone": zone, "count": count} for zone, count in entries]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Planned()),
        (
            instances((P5, 2, "on_demand"), (P5, 1, "spot"), (P5, 3, "on_demand"), ("p6-b200.48xlarge", 0, "on_demand")),
            Planned({(P5, "on_demand"): 5, (P5, "spot"): 1}),
        ),
        ({"vpcs": 1, "elastic_ips": 2, "eks_clusters": 1000}, Planned({}, 1, 2, 1000)),
        (
            gateways(("us-west-2a", 1), ("us-west-2-lax-1a", 1), ("us-west-2a", 2), ("us-west-2b", 0)),
            Planned(nat_gateways={"us-west-2a": 3, "us-west-2-lax-1a": 1}),
        ),
    ],
)
def test_counts_are_summed_and_zeros_plan_nothing(given: dict[str, t.Any], expected: Planned) -> None:
    found = planned({**PARAMS, **given})
    assert (found, dict(found.instances)) == (expected, dict(expected.instances))


def test_markets() -> None:
    found = planned({**PARAMS, **instances((P5, 1, "spot"), ("g5.xlarge", 0, "on_demand"))})
    assert (found.has("spot"), found.has("on_demand")) == (True, False)
    found = planned({**PARAMS, **instances((P5, 1, "spot"), ("g5.xlarge", 1, "on_demand"))})
    assert found.has("spot") and found.has("on_demand")


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (instances(("p5", 1, "on_demand")), "planned.instance_type"),
        (instances(("ml.p5.48xlarge", 1, "on_demand")), "planned.instance_type"),
        (instances(("P5.48xlarge", 1, "on_demand")), "planned.instance_type"),
        (instances((P5, -1, "on_demand")), "planned.count"),
        (instances((P5, 10_001, "on_demand")), "planned.count"),
        (gateways(("us-west-2", 1)), "nat_gateways.zone"),
        (gateways(("usw2-az1", 1)), "nat_gateways.zone"),
        (gateways(("us-west-2a", -1)), "nat_gateways.count"),
        (gateways(("us-west-2a", 1001)), "nat_gateways.count"),
        *(({name: count}, name) for name in ("vpcs", "elastic_ips", "eks_clusters") for count in (-1, 1001)),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: "):
        planned({**PARAMS, **given})
