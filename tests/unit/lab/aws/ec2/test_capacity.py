# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capacity reservations and placement groups by boto3 against the simulator."""

from __future__ import annotations

import typing as t

from refusals import code

ONE, BLOCK = "cr-00000001", "cr-00000002"


def test_reservations_are_those_of_the_settings(account: t.Any) -> None:
    block = {"InstanceType": "p5.48xlarge", "ReservationType": "capacity-block", "State": "scheduled", "EndDate": "2099-01-01T00:00:00+00:00"}
    account.control.settings(capacity_reservations={ONE: {"InstanceType": "p4d.24xlarge"}, BLOCK: block})
    describe = account.ec2.describe_capacity_reservations
    assert [each["CapacityReservationId"] for each in describe()["CapacityReservations"]] == [ONE, BLOCK]
    (found,) = describe(CapacityReservationIds=[BLOCK])["CapacityReservations"]
    assert (found["State"], found["ReservationType"], found["EndDate"].year, found["EndDateType"]) == ("scheduled", "capacity-block", 2099, "limited")
    (found,) = describe(Filters=[{"Name": "state", "Values": ["active"]}])["CapacityReservations"]
    assert (found["CapacityReservationId"], found["ReservationType"], found["EndDateType"]) == (ONE, "default", "unlimited")
    assert found["OwnerId"] == account.number
    assert code(describe, CapacityReservationIds=["cr-00000003"]) == "InvalidCapacityReservationId.NotFound"


def test_placement_groups(account: t.Any) -> None:
    describe, delete = account.ec2.describe_placement_groups, account.ec2.delete_placement_group
    made = account.ec2.create_placement_group(GroupName="near", Strategy="cluster")["PlacementGroup"]
    assert (made["GroupName"], made["Strategy"], made["State"]) == ("near", "cluster", "available")
    assert code(account.ec2.create_placement_group, GroupName="near") == "InvalidPlacementGroup.Duplicate"
    account.ec2.create_placement_group(GroupName="apart", Strategy="spread")
    filters = [{"Filters": [{"Name": name, "Values": values}]} for name, values in (("group-name", ["near", "none"]), ("strategy", ["cluster"]))]
    for by in ({"GroupNames": ["near"]}, *filters):
        assert describe(**by)["PlacementGroups"] == [made]
    tagged = [{"ResourceType": "placement-group", "Tags": [{"Key": "team:of", "Value": "a"}]}]
    ours = account.ec2.create_placement_group(GroupName="ours", Strategy="cluster", TagSpecifications=tagged)["PlacementGroup"]
    assert describe(Filters=[{"Name": "tag:team:of", "Values": ["a"]}])["PlacementGroups"] == [ours] and ours["Tags"] == tagged[0]["Tags"]
    assert describe(Filters=[{"Name": "tag:team:of", "Values": ["b"]}])["PlacementGroups"] == []
    delete(GroupName="ours")
    assert code(describe, GroupNames=["none"]) == code(delete, GroupName="none") == "InvalidPlacementGroup.Unknown"
    delete(GroupName="near")
    assert [each["GroupName"] for each in describe()["PlacementGroups"]] == ["apart"]
