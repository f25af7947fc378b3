# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The network interfaces that an instance needs for all its EFA devices.

A network card has at most one EFA device. The primary interface is on card 0 and has the IP addresses of the node. All other
interfaces are EFA alone, so that they use no IP address.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option
from .model import Card, InstanceType
from .settings import EFA, EFA_ONLY, INTERFACE, Interface

BY_CARD, BY_NUMBER, NO_EFA = "InterfaceTypes", "MaximumEfaInterfaces", "EfaSupported"
"""The members of EC2's answer that can show which network cards have an EFA device."""


@dataclass(frozen=True)
class Layout:
    interfaces: tuple[Interface, ...]
    source: str
    """The member of EC2's answer from which the EFA devices were derived; empty if the layout does not depend on them."""


PLAIN = Layout((Interface(0, 0, INTERFACE),), "")


def layout(found: InstanceType, *, efa: bool | None) -> Layout:
    """
    :param efa: None for all EFA devices, if the type has any.
    :raises Refused: if the type has no EFA although ``efa`` is true, and if EC2's answer does not determine the interfaces.
    """
    if efa is False:
        return PLAIN
    if not found.efa:
        if efa:
            refuse_option("efa", True, "false, or an instance type with EFA", f"instance type {found.name} has no EFA")
        return Layout(PLAIN.interfaces, NO_EFA)
    source = BY_CARD if found.cards and all(card.types for card in found.cards) else BY_NUMBER
    cards = _with_efa(found) if source == BY_CARD else _all_with_efa(found)
    first = next((card for card in found.cards if card.index == 0), None)
    if first is None:
        _refuse(found, "EC2 returned no network card 0 for it")
    interfaces = (*_of_first(first, efa=first in cards), *(Interface(card.index, 0, EFA_ONLY) for card in cards if card.index))
    _check(found, interfaces)
    return Layout(interfaces, source)


def _with_efa(found: InstanceType) -> tuple[Card, ...]:
    """The cards with an EFA device, by the types of interfaces that they support.

    More cards may support EFA than the instance can have devices, as for i7ie.48xlarge. The first cards are then used.
    """
    cards = tuple(card for card in found.cards if EFA_ONLY in card.types)[: found.most_efa]
    if not cards:
        _refuse(found, f"EC2 returned no network card with interfaces of type {EFA_ONLY} for it, although it supports EFA")
    return cards


def _all_with_efa(found: InstanceType) -> tuple[Card, ...]:
    """All cards, if the type has one EFA device for each of them."""
    if found.most_efa is None or found.most_efa != len(found.cards):
        number = "an unknown number of" if found.most_efa is None else found.most_efa
        why = (
            f"it has {len(found.cards)} network cards and {number} EFA devices, and EC2 did not return the interface types of the "
            "cards; a newer botocore may return them"
        )
        _refuse(found, why)
    return found.cards


def _of_first(card: Card, *, efa: bool) -> tuple[Interface, ...]:
    """The primary interface, and the EFA device of card 0. A card that can have only one interface combines both."""
    if not efa:
        return (Interface(0, 0, INTERFACE),)
    if card.most == 1:
        return (Interface(0, 0, EFA),)
    return Interface(0, 0, INTERFACE), Interface(0, 1, EFA_ONLY)


def _check(found: InstanceType, interfaces: tuple[Interface, ...]) -> None:
    for card in found.cards:
        own = [each for each in interfaces if each.card == card.index]
        others = [each.type for each in own if card.types and each.type not in card.types]
        if others:
            _refuse(found, f"network card {card.index} supports {', '.join(card.types)}, but not {others[0]}")
        if len(own) > card.most:
            _refuse(found, f"network card {card.index} can have {card.most} interfaces, and EFA needs {len(own)}")


def _refuse(found: InstanceType, why: str) -> t.NoReturn:
    refuse_option("instance_type", found.name, "an instance type whose EFA devices EC2 returns, or efa=false", why)
