# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which instances, reservations and NAT gateways count towards the quotas.

AWS documents that On-Demand quotas include running instances, and all capacity of the account's On-Demand capacity reservations:
unused capacity, and the instances of the account and of other accounts in them. Pending instances are included here, because
they count as soon as they run. Capacity Blocks have quotas of their own. Spot quotas include running instances and open requests.
"""

from __future__ import annotations

import collections
import typing as t

from .model import ON_DEMAND, SPOT, Kind

Answer = t.Mapping[str, t.Any]
BLOCK = "capacity-block"
"""The lifecycle of an instance in a Capacity Block, and the type of its reservation."""
INSTANCE_STATES = ("pending", "running", "shutting-down")
NAT_STATES = ("pending", "available", "deleting")
OWN_POOL = "amazon"
"""The pool of addresses of AWS. The quota does not include addresses that customers brought."""


def instances(
    listed: t.Iterable[Answer], reservations: t.Sequence[Answer], requests: t.Iterable[Answer], *, account: str
) -> collections.Counter[Kind]:
    """Instances that count, by type and market.

    :param reservations: active reservations, which can also be those of other accounts.
    :param requests: open requests for Spot Instances.
    """
    reserved = {each["CapacityReservationId"] for each in reservations}
    count: collections.Counter[Kind] = collections.Counter()
    for each in listed:
        lifecycle = each.get("InstanceLifecycle", "")
        if lifecycle != BLOCK and each.get("CapacityReservationId") not in reserved:
            count[each["InstanceType"], SPOT if lifecycle == SPOT else ON_DEMAND] += 1
    for each in reservations:
        if each.get("ReservationType") != BLOCK and each.get("OwnerId", account) == account:
            count[each["InstanceType"], ON_DEMAND] += each["TotalInstanceCount"]
    for each in requests:
        name = (each.get("LaunchSpecification") or {}).get("InstanceType")
        if name:
            count[name, SPOT] += 1
    return +count


def nat_gateways(listed: t.Iterable[Answer], zones: t.Mapping[str, str]) -> collections.Counter[str]:
    """NAT gateways by Availability Zone. A regional one counts in each zone in which it has an address.

    :param zones: the zone of each subnet, keyed by ID.
    """
    count: collections.Counter[str] = collections.Counter()
    for each in listed:
        addresses = {one.get("AvailabilityZone", "") for one in each.get("NatGatewayAddresses") or ()}
        zone = zones.get(each.get("SubnetId", ""))
        count.update({zone} if zone else addresses - {""})
    return count


def elastic_ips(listed: t.Iterable[Answer]) -> int:
    return sum(each.get("Domain") == "vpc" and each.get("PublicIpv4Pool", OWN_POOL) == OWN_POOL for each in listed)
