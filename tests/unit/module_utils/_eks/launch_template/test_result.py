# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Return values of a launch template."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import (
    Card,
    Desired,
    Group,
    InstanceType,
    Reservation,
    State,
    Template,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.settings import Interface, Settings

NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
DESIRED = Desired("ml", "pods")
TYPE = InstanceType("p5.4xlarge", (Card(0, 4, ("interface", "efa-only")),), True, 1)
HAVE = Settings(
    instance_type="p5.4xlarge",
    image="ami-1",
    interfaces=(Interface(0, 0, "interface"), Interface(0, 1, "efa-only")),
    security_groups=("sg-1", "sg-2"),
    placement_group="near",
    device="/dev/xvda",
    volume_size=300,
    volume_kms_key="alias/nodes",
    hop_limit=2,
    user_data="text",
    instance_tags={"a": "b"},
)
EXPECTED = {
    "exists": True,
    "name": "ml",
    "eks_cluster": "pods",
    "launch_template_id": "lt-1",
    "version": 3,
    "instance_type": "p5.4xlarge",
    "network_interface_count": 2,
    "efa_interface_count": 1,
    "efa_source": "InterfaceTypes",
    "efa_traffic_allowed": True,
    "security_group_ids": ["sg-1", "sg-2"],
    "capacity_type": "ON_DEMAND",
    "capacity_reservation": None,
    "placement_group": "near",
    "placement_group_state": "",
    "image_id": "ami-1",
    "device_name": "/dev/xvda",
    "volume_size": 300,
    "volume_kms_key_id": "alias/nodes",
    "metadata_hop_limit": 2,
    "user_data": "text",
    "instance_tags": {"a": "b"},
    "tags": {"c": "d"},
}


def state(settings: Settings = HAVE, **given: object) -> State:
    template = Template("lt-1", {"c": "d"}, Version(3, settings.to_api()), Version(4, {}))
    return State("arn", NOW, template, **{"type": TYPE, "groups": {"sg-1": Group("sg-1", "vpc-1", efa=True)}, **given})


def test_a_template_has_the_settings_of_its_default_version():
    assert result(DESIRED, state()) == {"efa_launch_template": EXPECTED}


def test_an_absent_template():
    assert result(DESIRED, State("arn", NOW)) == {"efa_launch_template": {"exists": False, "name": "ml", "eks_cluster": "pods"}}


def test_a_capacity_block_with_its_zone():
    start, end = NOW, NOW + datetime.timedelta(days=7)
    found = Reservation("cr-1", "p5.4xlarge", "active", "capacity-block", "us-west-2a", "usw2-az1", start, end, total=4, available=3)
    shown = result(DESIRED, state(Settings(reservation="cr-1", market="capacity-block"), reservation=found))["efa_launch_template"]
    assert (shown["capacity_type"], shown["capacity_reservation"]) == (
        "CAPACITY_BLOCK",
        {
            "id": "cr-1",
            "type": "capacity-block",
            "instance_type": "p5.4xlarge",
            "state": "active",
            "availability_zone": "us-west-2a",
            "availability_zone_id": "usw2-az1",
            "start": "2026-12-01T00:00:00.000Z",
            "end": "2026-12-08T00:00:00.000Z",
            "total_instance_count": 4,
            "available_instance_count": 3,
        },
    )
    assert result(DESIRED, state(Settings(reservation="cr-1")))["efa_launch_template"]["capacity_reservation"] is None


@pytest.mark.parametrize(
    ("settings", "groups", "expected"),
    [
        (HAVE, {"sg-1": Group("sg-1", "vpc-1")}, False),
        (HAVE, {}, None),
        (Settings(interfaces=HAVE.interfaces[:1]), {"sg-1": Group("sg-1", "vpc-1", efa=True)}, None),
    ],
)
def test_traffic_of_efa(settings, groups, expected):
    assert result(DESIRED, state(settings, groups=groups))["efa_launch_template"]["efa_traffic_allowed"] is expected


def test_the_source_is_empty_without_a_need_for_it():
    assert result(Desired("ml", "pods", efa=False), state())["efa_launch_template"]["efa_source"] == ""
    assert result(DESIRED, state(type=None))["efa_launch_template"]["efa_source"] == ""
