# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network interfaces of instance types, from both forms of EC2's answer."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.layout import layout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import Card, InstanceType

BOTH, ENA = ("interface", "efa", "efa-only"), ("interface",)


def made(*cards: tuple[int, tuple[str, ...]], most_efa: int | None = None, efa: bool = True) -> InstanceType:
    """A type whose cards have a maximum number of interfaces and types of interfaces."""
    return InstanceType("x1.large", tuple(Card(index, *card) for index, card in enumerate(cards)), efa=efa, most_efa=most_efa)


def without_types(found: InstanceType) -> InstanceType:
    """The type as a botocore without InterfaceTypes returns it."""
    return dataclasses.replace(found, cards=tuple(dataclasses.replace(card, types=()) for card in found.cards))


def shown(found: InstanceType, efa: bool | None = None) -> list[str]:
    return [f"{each.card}/{each.device} {each.type}" for each in layout(found, efa=efa).interfaces]


FOUR = made(*[(15, BOTH)] * 4, most_efa=4)
FIRST_WITHOUT = made((4, ENA), (4, BOTH), (4, BOTH), most_efa=2)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (made((8, BOTH), most_efa=1), ["0/0 interface", "0/1 efa-only"]),
        (FOUR, ["0/0 interface", "0/1 efa-only", "1/0 efa-only", "2/0 efa-only", "3/0 efa-only"]),
        (FIRST_WITHOUT, ["0/0 interface", "1/0 efa-only", "2/0 efa-only"]),
        (made((2, BOTH), (2, BOTH), most_efa=1), ["0/0 interface", "0/1 efa-only"]),
        (made((1, BOTH), (1, BOTH), most_efa=2), ["0/0 efa", "1/0 efa-only"]),
        (made((2, BOTH), (2, BOTH)), ["0/0 interface", "0/1 efa-only", "1/0 efa-only"]),
    ],
)
def test_interface_types_of_cards_determine_the_interfaces(found: InstanceType, expected: list[str]) -> None:
    assert (shown(found), shown(found, efa=True), layout(found, efa=None).source) == (expected, expected, "InterfaceTypes")


@pytest.mark.parametrize("found", [made((8, BOTH), most_efa=1), FOUR, made((1, BOTH), (1, BOTH), most_efa=2)])
def test_one_device_for_each_card_needs_no_interface_types(found: InstanceType) -> None:
    old = without_types(found)
    assert shown(old) == shown(found) and layout(old, efa=None).source == "MaximumEfaInterfaces"


def test_types_of_only_some_cards_do_not_count() -> None:
    partly = dataclasses.replace(FOUR, cards=(*FOUR.cards[:3], dataclasses.replace(FOUR.cards[3], types=())))
    assert layout(partly, efa=None).source == "MaximumEfaInterfaces"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (without_types(FIRST_WITHOUT), "it has 3 network cards and 2 EFA devices, and EC2 did not return the interface types of the cards"),
        (without_types(made((8, BOTH))), "it has 1 network cards and an unknown number of EFA devices"),
        (made(most_efa=1), "it has 0 network cards and 1 EFA devices"),
        (made((4, ENA), most_efa=1), "EC2 returned no network card with interfaces of type efa-only for it, although it supports EFA"),
        (made((4, ("efa-only",)), most_efa=1), "network card 0 supports efa-only, but not interface"),
        (made((1, ("interface", "efa-only")), most_efa=1), "network card 0 supports interface, efa-only, but not efa"),
        (dataclasses.replace(FOUR, cards=FOUR.cards[1:], most_efa=3), "EC2 returned no network card 0 for it"),
        (made((0, BOTH), most_efa=1), "network card 0 can have 0 interfaces, and EFA needs 2"),
    ],
)
def test_an_answer_that_does_not_determine_the_interfaces_is_refused(found: InstanceType, why: str) -> None:
    for efa in (None, True):
        with pytest.raises(Refused, match="Allowed: an instance type whose EFA devices EC2 returns, or efa=false.") as refused:
            layout(found, efa=efa)
        assert f"instance_type: 'x1.large' is not allowed: {why}" in str(refused.value)
    assert (shown(found, efa=False), layout(found, efa=False).source) == (["0/0 interface"], "")


def test_a_type_without_efa_has_one_plain_interface() -> None:
    plain = made((8, ENA), efa=False)
    assert (shown(plain), layout(plain, efa=None).source) == (["0/0 interface"], "EfaSupported")
    with pytest.raises(Refused, match="efa: True is not allowed: instance type x1.large has no EFA."):
        layout(plain, efa=True)
