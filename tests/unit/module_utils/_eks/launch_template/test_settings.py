# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings in the form of EC2's API, and the differences between two templates."""

from __future__ import annotations

import copy
import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.settings import (
    Interface,
    Settings,
    differences,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.user_data import encoded

FULL = Settings(
    instance_type="p5.48xlarge",
    image="ami-1",
    interfaces=(Interface(0, 0, "interface"), Interface(0, 1, "efa-only"), Interface(10, 0, "efa-only")),
    security_groups=("sg-1", "sg-2"),
    reservation="cr-1",
    market="capacity-block",
    placement_group="near",
    device="/dev/sda1",
    volume_size=300,
    volume_kms_key="alias/nodes",
    hop_limit=2,
    user_data="#!/bin/sh\n",
    instance_tags={"b": "c", "a": "b"},
)
LEAST = Settings("p5.48xlarge", interfaces=(Interface(0, 0, "interface"),), security_groups=("sg-1",), device="/dev/xvda", volume_size=50, hop_limit=1)


def entry(card: int, device: int, kind: str) -> dict[str, t.Any]:
    return {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind, "Groups": ["sg-1", "sg-2"], "DeleteOnTermination": True}


def test_the_request_has_every_setting():
    volume = {"VolumeType": "gp3", "VolumeSize": 300, "Encrypted": True, "DeleteOnTermination": True, "KmsKeyId": "alias/nodes"}
    tags = [{"Key": "a", "Value": "b"}, {"Key": "b", "Value": "c"}]
    assert FULL.to_api() == {
        "InstanceType": "p5.48xlarge",
        "ImageId": "ami-1",
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": volume}],
        "NetworkInterfaces": [entry(0, 0, "interface"), entry(0, 1, "efa-only"), entry(10, 0, "efa-only")],
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 2},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-1"}},
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "Placement": {"GroupName": "near"},
        "UserData": encoded("#!/bin/sh\n"),
        "TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in ("instance", "volume")],
    }
    assert set(LEAST.to_api()) == {"InstanceType", "BlockDeviceMappings", "NetworkInterfaces", "MetadataOptions"}
    assert "KmsKeyId" not in LEAST.to_api()["BlockDeviceMappings"][0]["Ebs"]


@pytest.mark.parametrize("settings", [FULL, LEAST])
def test_a_template_is_read_as_it_was_written(settings):
    assert Settings.from_api(settings.to_api()) == settings
    assert differences("it", settings.to_api(), settings) == ()


def test_an_empty_template_has_empty_settings():
    assert Settings.from_api({}) == Settings()
    fields = [change.field for change in differences("it", {}, LEAST)]
    assert fields[:4] == ["instance_type", "network_interfaces", "security_group_ids", "device_name"]
    assert "MetadataOptions.HttpTokens" in fields and "BlockDeviceMappings[0].Ebs.Encrypted" in fields


def answered() -> dict[str, t.Any]:
    """The data of FULL in a different order, with values that EC2 may add."""
    data = copy.deepcopy(FULL.to_api())
    data["NetworkInterfaces"].reverse()
    data["TagSpecifications"].reverse()
    for each in data["NetworkInterfaces"]:
        each["Groups"].reverse()
    for each in data["TagSpecifications"]:
        each["Tags"].reverse()
    data["MetadataOptions"] |= {"HttpProtocolIpv6": "disabled", "InstanceMetadataTags": "disabled"}
    data["Placement"]["Tenancy"] = "default"
    data["MaintenanceOptions"] = {"AutoRecovery": "default"}
    data |= {"EbsOptimized": False, "ElasticGpuSpecifications": [], "KernelId": ""}
    for each in data["NetworkInterfaces"]:
        each |= {"Ipv6Addresses": [], "Description": ""}
        if each["NetworkCardIndex"] == 0:
            del each["NetworkCardIndex"]
        if each["InterfaceType"] == "interface":
            del each["InterfaceType"]
    return data


def test_order_defaults_and_generated_values_do_not_matter():
    assert differences("it", answered(), FULL) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"instance_type": "p5e.48xlarge"}, ("instance_type", "p5.48xlarge", "p5e.48xlarge")),
        ({"image": ""}, ("image_id", "ami-1", None)),
        ({"security_groups": ("sg-1",)}, ("security_group_ids", ["sg-1", "sg-2"], ["sg-1"])),
        ({"reservation": "cr-2"}, ("capacity_reservation_id", "cr-1", "cr-2")),
        ({"market": ""}, ("market_type", "capacity-block", None)),
        ({"placement_group": "far"}, ("placement_group", "near", "far")),
        ({"device": "/dev/xvda"}, ("device_name", "/dev/sda1", "/dev/xvda")),
        ({"volume_size": 301}, ("volume_size", 300, 301)),
        ({"volume_kms_key": ""}, ("volume_kms_key_id", "alias/nodes", None)),
        ({"hop_limit": 1}, ("metadata_hop_limit", 2, 1)),
        ({"user_data": "#!/bin/bash\n"}, ("user_data", "#!/bin/sh\n", "#!/bin/bash\n")),
        ({"instance_tags": {"a": "b"}}, ("instance_tags", {"a": "b", "b": "c"}, {"a": "b"})),
        (
            {"interfaces": FULL.interfaces[:1]},
            ("network_interfaces", ["card 0 device 0 interface", "card 0 device 1 efa-only", "card 10 device 0 efa-only"], ["card 0 device 0 interface"]),
        ),
    ],
)
def test_each_setting_is_compared(change, expected):
    for data in (FULL.to_api(), answered()):
        (found,) = differences("launch template x", data, dataclasses.replace(FULL, **change))
        assert (found.action, found.resource, found.field, found.before, found.after) == ("update", "launch template x", *expected)


def test_user_data_with_the_same_meaning_is_no_difference():
    assert differences("it", FULL.to_api(), dataclasses.replace(FULL, user_data="#!/bin/sh")) == ()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("KeyName",), "mine", ("KeyName", "mine", None)),
        (("IamInstanceProfile", "Name"), "mine", ("IamInstanceProfile.Name", "mine", None)),
        (("MetadataOptions", "HttpTokens"), "optional", ("MetadataOptions.HttpTokens", "optional", "required")),
        (("NetworkInterfaces", 1, "SubnetId"), "subnet-1", ("NetworkInterfaces[1].SubnetId", "subnet-1", None)),
        (("NetworkInterfaces", 1, "AssociatePublicIpAddress"), True, ("NetworkInterfaces[1].AssociatePublicIpAddress", True, None)),
        (("NetworkInterfaces", 2, "DeleteOnTermination"), False, ("NetworkInterfaces[2].DeleteOnTermination", None, True)),
        (("NetworkInterfaces", 2, "Groups"), ["sg-1"], ("NetworkInterfaces[2].Groups", ["sg-1"], ["sg-1", "sg-2"])),
        (("BlockDeviceMappings", 0, "Ebs", "VolumeType"), "gp2", ("BlockDeviceMappings[0].Ebs.VolumeType", "gp2", "gp3")),
        (("BlockDeviceMappings", 0, "Ebs", "Iops"), 9000, ("BlockDeviceMappings[0].Ebs.Iops", 9000, None)),
        (("BlockDeviceMappings", 0, "Ebs", "Encrypted"), False, ("BlockDeviceMappings[0].Ebs.Encrypted", None, True)),
        (("TagSpecifications", 1, "Tags", 0, "Value"), "x", ("TagSpecifications[1].Tags[0].Value", "x", "b")),
        (("Placement", "Tenancy"), "dedicated", ("Placement.Tenancy", "dedicated", None)),
    ],
)
def test_settings_of_others_are_differences(path, value, expected):
    data: t.Any = copy.deepcopy(FULL.to_api())
    *parents, last = path
    inner = data
    for each in parents:
        inner = inner.setdefault(each, {}) if isinstance(inner, dict) else inner[each]
    inner[last] = value
    (found,) = differences("it", data, FULL)
    assert (found.field, found.before, found.after) == expected


def test_efa_interfaces():
    assert [Interface(0, 0, kind).efa for kind in ("interface", "efa", "efa-only")] == [False, True, True]
