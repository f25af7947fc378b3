# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Offers for a node pool, and their order."""

from __future__ import annotations

from lab.karpenter.machines import cheapest_first, types_of
from lab.karpenter.placing import Offer

TYPE = "node.kubernetes.io/instance-type"


def offer(group: str, instance_type: str) -> Offer:
    return Offer(group, {TYPE: instance_type}, (), {})


def test_a_flexible_group_has_several_types() -> None:
    flexible = {"InstanceRequirements": {"CurrentInstanceTypes": ["a"], "DesiredInstanceTypes": ["a", "b"]}}
    assert (types_of({"InstanceType": "a"}), types_of(flexible)) == (["a"], ["a", "b"])


def test_the_cheapest_offer_is_first_and_offers_without_a_price_are_last() -> None:
    offers = [offer("x", "ml.x"), offer("p5", "ml.p5.48xlarge"), offer("y", "ml.y"), offer("g5", "ml.g5.8xlarge"), offer("b", "ml.g5.8xlarge")]
    assert [each.group for each in cheapest_first(offers)] == ["g5", "b", "p5", "x", "y"]
