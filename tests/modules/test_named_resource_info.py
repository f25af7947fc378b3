# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""named_resource_info against the simulated API."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from simulated.shape import reads


def tags(kind: str, name: str) -> dict[str, t.Any]:
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": [{"Key": "Name", "Value": name}]}]} if name else {}


@dataclasses.dataclass
class Place:
    """A VPC; each test chooses the names of its resources."""

    simulator: t.Any

    def __post_init__(self) -> None:
        self.ec2, self.fsx = self.simulator.client("ec2"), self.simulator.client("fsx")
        self.vpc = self.ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
        self.subnets = 0

    def subnet(self, name: str) -> str:
        self.subnets += 1
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=f"10.8.{self.subnets}.0/24", **tags("subnet", name))
        return str(made["Subnet"]["SubnetId"])

    def group(self, group_name: str, name: str = "") -> str:
        made = self.ec2.create_security_group(GroupName=group_name, Description="x", VpcId=self.vpc, **tags("security-group", name))
        return str(made["GroupId"])

    def file_system(self, name: str, kind: str = "LUSTRE") -> dict[str, t.Any]:
        named = [{"Key": "Name", "Value": name}, {"Key": "team", "Value": "a"}]
        given = {"SubnetIds": [self.subnet("")], "StorageCapacity": 1200, "Tags": named}
        return dict(self.fsx.create_file_system(FileSystemType=kind, **given)["FileSystem"])


@pytest.fixture(scope="module")
def place(simulator: t.Any) -> Place:
    return Place(simulator)


def test_all_subnets_of_a_name_and_of_an_id_are_found(simulator: t.Any, place: Place) -> None:
    one, other, plain = place.subnet("twice"), place.subnet("twice"), place.subnet("")
    place.subnet("twice-and-more")
    found = reads(simulator, "named_resource_info", subnets=["twice", plain, "none", "twice*"])
    assert {each["id"]: each["name"] for each in found["subnets"]} == {one: "twice", other: "twice", plain: ""}
    assert {each["vpc_id"] for each in found["subnets"]} == {place.vpc}
    assert simulator.calls() == ["DescribeSubnets", "DescribeSubnets"]
    assert found["security_groups"] == found["file_systems"] == []


def test_security_groups_are_also_found_by_name(simulator: t.Any, place: Place) -> None:
    group, tagged, plain = place.group("nodes"), place.group("other", "nodes"), place.group("third")
    found = reads(simulator, "named_resource_info", security_groups=["nodes", plain])
    assert {each["id"]: (each["group_name"], each["name"]) for each in found["security_groups"]} == {
        group: ("nodes", ""),
        tagged: ("other", "nodes"),
        plain: ("third", ""),
    }


def test_file_systems_are_found_on_all_pages_with_mount_data(simulator: t.Any, place: Place) -> None:
    first, _second, last = place.file_system("a"), place.file_system("b"), place.file_system("c", "OPENZFS")
    found = reads(simulator, "named_resource_info", file_systems=["c", first["FileSystemId"], "fs-00000000"])
    by_name = {each["name"]: each for each in found["file_systems"]}
    assert by_name["a"] == {
        "id": first["FileSystemId"],
        "name": "a",
        "type": "LUSTRE",
        "dns_name": first["DNSName"],
        "mount_name": first["LustreConfiguration"]["MountName"],
    }
    assert (by_name["c"]["id"], by_name["c"]["mount_name"]) == (last["FileSystemId"], "") and len(by_name) == 2


def test_empty_input_makes_no_call(simulator: t.Any) -> None:
    reads(simulator, "named_resource_info")
    assert simulator.calls() == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"subnets": ["  "]}, "subnets: '  ' is not allowed. Allowed: an ID or a name."),
        ({"security_groups": ["a" * 257]}, "security_groups: 'aaaaaaaaaaaaaaaaaaaa…' is not allowed: it has 257 characters."),
    ],
)
def test_bad_input_is_refused(simulator: t.Any, wrong: dict[str, t.Any], message: str) -> None:
    refused = simulator.run("named_resource_info", **wrong)
    assert message in refused["msg"] and not simulator.calls()


def test_a_denied_call_names_the_missing_action(simulator: t.Any, faults: t.Any) -> None:
    faults(kind="deny", operation="DescribeFileSystems")
    failed = simulator.run("named_resource_info", file_systems=["shared"])
    assert failed["msg"].startswith("DescribeFileSystems for file systems shared failed; allow the action"), failed
