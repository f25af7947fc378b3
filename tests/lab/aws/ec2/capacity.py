# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capacity reservations and placement groups, which moto lacks.

Setting ``capacity_reservations``: the members of CapacityReservation that differ from those of an active reservation of one
instance, by ID. They exist in all accounts.
"""

from __future__ import annotations

import typing as t

from moto.moto_api._internal import mock_random

from .. import cloud
from ..action import action
from .client_vpn.checks import invalid, refuse
from .client_vpn.responses import page, tag_keys

Answer = dict[str, t.Any]


class CapacityResponses:
    """A mixin of the handlers of EC2."""

    @action
    def describe_capacity_reservations(
        self, CapacityReservationIds: t.Sequence[str] = (), MaxResults: int = 1000, **listing: t.Any
    ) -> Answer:
        there: dict[str, Answer] = cloud.current().settings["capacity_reservations"]
        for each in CapacityReservationIds:
            if each not in there:
                refuse("InvalidCapacityReservationId.NotFound", f"The capacity reservation ID '{each}' does not exist")
        own = {"OwnerId": self.ec2_backend.account_id}  # type: ignore[attr-defined]
        found = [_reservation(each, {**own, **there[each]}) for each in CapacityReservationIds or there]
        keys = {"state": lambda each: each["State"], "instance-type": lambda each: each["InstanceType"]}
        shown, rest = page(found, keys, MaxResults=MaxResults, **listing)
        return {"CapacityReservations": shown, **rest}

    @action
    def create_placement_group(
        self, GroupName: str, Strategy: str = "cluster", TagSpecifications: t.Sequence[Answer] = (), **others: t.Any
    ) -> Answer:
        if others:
            raise NotImplementedError(f"{', '.join(others)} of CreatePlacementGroup")
        groups = self._placement_groups()
        if GroupName in groups:
            refuse("InvalidPlacementGroup.Duplicate", f"The Placement Group '{GroupName}' already exists.")
        tags = [tag for each in TagSpecifications for tag in each.get("Tags", ())]
        number = mock_random.get_random_hex(17)
        made = {"GroupName": GroupName, "GroupId": f"pg-{number}", "Strategy": Strategy, "State": "available", "Tags": tags}
        groups[GroupName] = made
        return {"PlacementGroup": made}

    @action
    def describe_placement_groups(
        self, GroupNames: t.Sequence[str] = (), Filters: t.Sequence[Answer] = (), **_: t.Any
    ) -> Answer:
        groups = self._placement_groups()
        for each in GroupNames:
            if each not in groups:
                refuse("InvalidPlacementGroup.Unknown", f"The Placement Group '{each}' is unknown.")
        found = [each for name, each in groups.items() if not GroupNames or name in GroupNames]
        keys = {"group-name": lambda each: each["GroupName"], "strategy": lambda each: each["Strategy"], **tag_keys({"Filters": Filters})}
        return {"PlacementGroups": page(found, keys, Filters=Filters)[0]}

    @action
    def delete_placement_group(self, GroupName: str, **_: t.Any) -> Answer:
        if self._placement_groups().pop(GroupName, None) is None:
            refuse("InvalidPlacementGroup.Unknown", f"The Placement Group '{GroupName}' is unknown.")
        return {}

    def _placement_groups(self) -> dict[str, Answer]:
        return self.ec2_backend.placement_groups  # type: ignore[attr-defined,no-any-return]


def _reservation(reservation: str, given: Answer) -> Answer:
    if "InstanceType" not in given:
        invalid(f"The lab's reservation {reservation} has no InstanceType")
    return {
        "CapacityReservationId": reservation,
        "AvailabilityZone": "us-west-2a",
        "AvailabilityZoneId": "usw2-az1",
        "InstancePlatform": "Linux/UNIX",
        "Tenancy": "default",
        "TotalInstanceCount": 1,
        "AvailableInstanceCount": 1,
        "State": "active",
        "ReservationType": "default",
        "InstanceMatchCriteria": "targeted",
        "EndDateType": "limited" if given.get("EndDate") else "unlimited",
        **given,
    }
