# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network interfaces of an instance on several network cards, as a launch template describes them. moto has no network cards."""

from __future__ import annotations

import ipaddress
import typing as t

from moto.ec2.models.elastic_network_interfaces import Attachment, NetworkInterface

Data = t.Mapping[str, t.Any]
PLAIN, EFA, WITHOUT_ADDRESS = "interface", "efa", "efa-only"
RESERVED = 4
"""The first addresses of a subnet, which AWS keeps, as it does the last one."""


class CardInterface(NetworkInterface):
    """An interface with the index of its network card."""

    card = 0

    @property
    def attachment(self) -> Attachment | None:
        found = super().attachment
        if found is not None:
            found.network_card_index = self.card
        return found


_Made: t.Any = CardInterface
"""The class for type checkers: moto implements its abstract methods nowhere."""


def kind_of(interface: Data) -> str:
    return str(interface.get("InterfaceType", PLAIN))


def addresses_needed(interfaces: t.Sequence[Data]) -> int:
    return sum(kind_of(each) != WITHOUT_ADDRESS for each in interfaces)


def free_address(subnet: t.Any) -> str:
    """A free address, in turn, so that a new instance does not have the address of a removed one.

    :raises ValueError: if all are taken.
    """
    network = ipaddress.ip_network(subnet.cidr_block)
    taken = {eni.private_ip_address for eni in list(subnet.ec2_backend.enis.values()) if eni.subnet.id == subnet.id}
    usable = network.num_addresses - RESERVED - 1
    begin = getattr(subnet, "next_address", 0)
    for offset in range(usable):
        number = (begin + offset) % usable
        candidate = str(network[RESERVED + number])
        if candidate not in taken and candidate not in subnet._subnet_ips:
            subnet.next_address = number + 1
            return candidate
    raise ValueError(f"{subnet.id} has no free address")


def attach(instance: t.Any, subnet: t.Any, interfaces: t.Sequence[Data], groups: t.Sequence[str]) -> None:
    """Create the interfaces other than the first; they are removed with the instance.

    :param groups: security groups of interfaces that name none.
    """
    for number, each in enumerate(interfaces[1:], start=1):
        address = None
        if kind_of(each) != WITHOUT_ADDRESS:
            address = free_address(subnet)
            subnet.request_ip(address, instance=instance)
        named = list(each.get("Groups") or groups)
        made: t.Any = _Made(instance.ec2_backend, subnet, address or "", group_ids=named, delete_on_termination=True)
        if address is None:
            made.private_ip_address, made.private_ip_addresses = None, []
        made.interface_type, made.card = kind_of(each), each.get("NetworkCardIndex", 0)
        instance.ec2_backend.enis[made.id] = made
        instance.attach_eni(made, number)  # moto finds an instance's interfaces by a number, which must be unique
        made.device_index = each.get("DeviceIndex", 0)
