# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of EC2 and EKS as values, and the settings that omitted options keep."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import (
    Card,
    Cluster,
    Desired,
    Group,
    InstanceType,
    Reservation,
    State,
    Template,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.settings import Settings

NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
CR = {"CapacityReservationId": "cr-1", "InstanceType": "p5.48xlarge", "State": "active"}


def itself(group: str = "sg-1", protocol: str = "-1") -> dict[str, t.Any]:
    return {"IpProtocol": protocol, "UserIdGroupPairs": [{"GroupId": group}]}


@pytest.mark.parametrize(
    ("ingress", "egress", "expected"),
    [
        ([itself()], [itself()], True),
        ([{"IpProtocol": "tcp"}, itself("sg-2"), itself()], [itself()], True),
        ([itself()], [], False),
        ([], [itself()], False),
        ([itself()], [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}], False),
        ([itself("sg-2")], [itself()], False),
        ([itself(protocol="tcp")], [itself()], False),
    ],
)
def test_a_group_allows_efa_by_rules_for_itself(ingress, egress, expected):
    found = {"GroupId": "sg-1", "VpcId": "vpc-1", "IpPermissions": ingress, "IpPermissionsEgress": egress}
    assert Group.from_api(found) == Group("sg-1", "vpc-1", expected)


def test_a_type_has_its_cards_in_order():
    cards = [{"NetworkCardIndex": 1, "MaximumNetworkInterfaces": 2, "InterfaceTypes": ["efa"]}, {"NetworkCardIndex": 0, "MaximumNetworkInterfaces": 4}]
    answer = {
        "InstanceType": "x1.large",
        "NetworkInfo": {"NetworkCards": cards, "EfaSupported": True, "EfaInfo": {"MaximumEfaInterfaces": 1}},
        "PlacementGroupInfo": {"SupportedStrategies": ["cluster"]},
        "ProcessorInfo": {"SupportedArchitectures": ["arm64"]},
        "InstanceStorageSupported": True,
    }
    assert InstanceType.from_api(answer) == InstanceType("x1.large", (Card(0, 4), Card(1, 2, ("efa",))), True, 1, ("cluster",), ("arm64",), True)
    assert InstanceType.from_api({"InstanceType": "x1.large"}) == InstanceType("x1.large")


def test_a_reservation():
    more = {
        "ReservationType": "capacity-block",
        "AvailabilityZone": "us-west-2a",
        "AvailabilityZoneId": "usw2-az1",
        "StartDate": NOW,
        "EndDate": NOW,
        "InstancePlatform": "Windows",
        "Tenancy": "dedicated",
        "PlacementGroupArn": "arn:aws:ec2:us-west-2:111111111111:placement-group/near",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 0,
    }
    expected = ("capacity-block", "us-west-2a", "usw2-az1", NOW, NOW, "Windows", "dedicated", "near", 4, 0)
    assert Reservation.from_api({**CR, **more}) == Reservation("cr-1", "p5.48xlarge", "active", *expected)
    assert Reservation.from_api(CR) == Reservation("cr-1", "p5.48xlarge", "active", platform="")


def test_a_cluster_may_not_have_its_values_yet():
    new = {"name": "ml", "status": "CREATING"}
    assert Cluster.from_api(new) == Cluster("ml", "CREATING") and Cluster.from_api({"name": "ml"}).status == "unknown"
    values = {"endpoint": "https://a", "certificateAuthority": {"data": "Q0E="}, "resourcesVpcConfig": {"clusterSecurityGroupId": "sg-1"}}
    for network, cidr in (({"serviceIpv4Cidr": "10.0.0.0/16"}, "10.0.0.0/16"), ({"serviceIpv6Cidr": "fd00::/108"}, "fd00::/108")):
        found = Cluster.from_api({**new, **values, "kubernetesNetworkConfig": network})
        assert found == Cluster("ml", "CREATING", "https://a", "Q0E=", cidr, "sg-1")


RESERVED, GROUPED = Settings(reservation="cr-1", placement_group="of-cr-1", image="ami-1"), Settings(placement_group="near")


@pytest.mark.parametrize(
    ("options", "have", "reservation", "group"),
    [
        ({}, Settings(), "", ""),
        ({}, RESERVED, "cr-1", ""),
        ({}, GROUPED, "", "near"),
        ({"reservation": "cr-2"}, RESERVED, "cr-2", ""),
        ({"reservation": "cr-2"}, GROUPED, "cr-2", ""),
        ({"reservation": ""}, RESERVED, "", ""),
        ({"reservation": ""}, GROUPED, "", "near"),
        ({"placement_group": "far"}, RESERVED, "", "far"),
        ({"placement_group": "far"}, GROUPED, "", "far"),
        ({"placement_group": ""}, RESERVED, "cr-1", ""),
        ({"placement_group": ""}, GROUPED, "", ""),
    ],
)
def test_a_reservation_and_a_placement_group_replace_each_other(options, have, reservation, group):
    desired = Desired("x", "ml", **options)
    assert (desired.reservation_of(have), desired.placement_group_of(have)) == (reservation, group)


def test_an_image_is_kept_unless_it_is_given():
    assert [Desired("x", "ml", image=image).image_of(RESERVED) for image in (None, "", "ami-2")] == ["ami-1", "", "ami-2"]


def test_the_settings_are_those_of_the_default_version():
    default, latest = Version(1, {"InstanceType": "a"}), Version(2, {"InstanceType": "b"})
    state = State("arn", NOW, Template("lt-1", {}, default, latest))
    assert state.have == Settings("a") and State("arn", NOW).have == Settings()
    assert Desired("x", "ml").resource == "launch template x"
