# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of NAT gateways, which takes a while. Meanwhile, a gateway keeps its address and its interface.

EC2 returns a deleted gateway for an hour.
"""

from __future__ import annotations

import time
import typing as t

from moto.ec2.exceptions import EC2ClientError

from .. import cloud

DELETING, DELETED = "deleting", "deleted"


class GatewaysInRemoval:
    """Ends a removal once the seconds of the setting have passed. A shorter setting also applies to running removals."""

    def __init__(self, ec2: t.Any) -> None:
        self.ec2 = ec2
        self.since: dict[str, float] = {}
        """The start of each removal, by ID of the gateway."""

    def begin(self, gateway: t.Any) -> None:
        """A second request for the same gateway has no effect."""
        if gateway._eni.id in self.ec2.enis:
            gateway.state = DELETING
            self.since.setdefault(gateway.id, time.monotonic())
            self.end()

    def end(self) -> None:
        seconds = float(cloud.current().settings["nat_gateway_removal_seconds"])
        for identifier, since in list(self.since.items()):
            if time.monotonic() - since >= seconds:
                del self.since[identifier]
                self._release(self.ec2.nat_gateways[identifier])

    def _release(self, gateway: t.Any) -> None:
        gateway.state = DELETED
        for address in self.ec2.addresses:
            if address.eni is gateway._eni:
                address.eni = address.association_id = None
        self.ec2.release_network_interface(gateway._eni.id)

    def check_address(self, public_ip: str | None, allocation_id: str | None) -> None:
        """Refuse the release of an address that a gateway uses."""
        used = {each._eni.id for each in self.ec2.nat_gateways.values() if each.state != DELETED}
        for address in self.ec2.addresses:
            asked = address.public_ip == public_ip or (allocation_id is not None and address.allocation_id == allocation_id)
            if asked and address.eni is not None and address.eni.id in used:
                raise EC2ClientError("InvalidIPAddress.InUse", f"Address {address.public_ip} is in use.")
