# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of EC2 for launch templates. EC2 refuses few settings, and returns warnings about others, with which no instance starts.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/launch-template-restrictions.html
"""

from __future__ import annotations

import base64
import binascii
import collections
import re
import typing as t

from moto.ec2.models.instance_types import INSTANCE_TYPES

from ..client_vpn.checks import refuse

NAME = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")
LARGEST_USER_DATA = 16 * 1024
TYPES = ("interface", "efa", "efa-only")
ADDRESSES = ("PrivateIpAddress", "PrivateIpAddresses", "Ipv6Addresses", "Ipv6AddressCount", "AssociatePublicIpAddress")

Data = t.Mapping[str, t.Any]


def name(given: str) -> None:
    if not NAME.fullmatch(given):
        refuse("InvalidLaunchTemplateName.MalformedException", "A launch template name has 3 to 128 characters of A-Za-z0-9().-/_")


def data(given: Data) -> None:
    """Refuse data that EC2 does not store."""
    try:
        text = base64.b64decode(given.get("UserData", ""), validate=True)
    except binascii.Error:
        refuse("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
    if len(text) > LARGEST_USER_DATA:
        refuse("InvalidParameterValue", "User data is limited to 16384 bytes")
    if "InstanceType" in given and "InstanceRequirements" in given:
        refuse("InvalidParameterCombination", "Specify either an instance type or instance requirements")


def warnings(ec2: t.Any, given: Data) -> list[dict[str, str]]:
    """The reasons why an instance could not start, as EC2's validation errors."""
    found = [*_of_interfaces(given), *_of_groups(ec2, given), *_of_capacity(given)]
    return [{"Code": code, "Message": message} for code, message in found]


def _of_interfaces(given: Data) -> t.Iterator[tuple[str, str]]:
    interfaces = given.get("NetworkInterfaces", [])
    if interfaces and (given.get("SecurityGroupIds") or given.get("SecurityGroups")):
        yield "InvalidParameterCombination", "Network interfaces and instance-level security groups may not be specified together"
    places = collections.Counter((each.get("NetworkCardIndex", 0), each.get("DeviceIndex", 0)) for each in interfaces)
    if any(number > 1 for number in places.values()):
        yield "InvalidParameterValue", "Each network interface requires a unique device index on its network card"
    if len(interfaces) > 1 and any(each.get("AssociatePublicIpAddress") is not None for each in interfaces):
        yield "InvalidParameterCombination", "AssociatePublicIpAddress is not supported for several network interfaces"
    for each in interfaces:
        if each.get("InterfaceType", "interface") not in TYPES:
            yield "InvalidParameterValue", f"Invalid interface type {each['InterfaceType']}"
        if each.get("InterfaceType") == "efa-only" and any(each.get(key) for key in ADDRESSES):
            yield "InvalidParameterCombination", "EFA-only network interfaces do not support IP addresses"
    if interfaces and given.get("InstanceType") in INSTANCE_TYPES:
        yield from _of_cards(given["InstanceType"], interfaces)


def _of_cards(instance_type: str, interfaces: t.Sequence[Data]) -> t.Iterator[tuple[str, str]]:
    """The limits of the type: interfaces for each card, one EFA for each card, and the types of a card."""
    cards = {each["NetworkCardIndex"]: each for each in INSTANCE_TYPES[instance_type]["NetworkInfo"]["NetworkCards"]}
    by_card = collections.defaultdict(list)
    for each in interfaces:
        by_card[each.get("NetworkCardIndex", 0)].append(each.get("InterfaceType", "interface"))
    if (0, 0) not in {(each.get("NetworkCardIndex", 0), each.get("DeviceIndex", 0)) for each in interfaces}:
        yield "InvalidParameterCombination", "The primary network interface must be on network card 0"
    for card, types in by_card.items():
        if card not in cards:
            yield "InvalidParameterValue", f"{instance_type} has no network card {card}"
        elif len(types) > cards[card]["MaximumNetworkInterfaces"] or sum(each != "interface" for each in types) > 1:
            yield "AttachmentLimitExceeded", f"Too many network interfaces on network card {card} of {instance_type}"
        elif set(types) - set(cards[card]["InterfaceTypes"]):
            yield "InvalidParameterCombination", f"Network card {card} of {instance_type} does not support EFA"


def _of_groups(ec2: t.Any, given: Data) -> t.Iterator[tuple[str, str]]:
    named = {group for each in given.get("NetworkInterfaces", []) for group in each.get("Groups", [])}
    for group in sorted(named - {each.id for each in ec2.every_group()}):
        yield "InvalidGroup.NotFound", f"The security group '{group}' does not exist"


def _of_capacity(given: Data) -> t.Iterator[tuple[str, str]]:
    market = given.get("InstanceMarketOptions", {}).get("MarketType")
    target = given.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    if market == "capacity-block" and not (target.get("CapacityReservationId") and given.get("InstanceType")):
        yield "InvalidParameterCombination", "A capacity block requires its capacity reservation and an instance type"
