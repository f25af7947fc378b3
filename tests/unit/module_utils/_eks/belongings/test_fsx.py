# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our file systems, and the network interfaces of others."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import fsx
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import DETAILS, Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
OURS, THEIRS = ([{"Key": "mlfleet.hyperpod/cluster", "Value": value}] for value in (OWNER.arn, f"{OWNER.arn}2"))
IDS = ("fs-0123456789abcdef0", "fs-0123456789abcdef1", "fs-0123456789abcdef2")
INTERFACES = ("eni-00000001", "eni-00000002", "eni-00000003")


def answer(number: int, kind: str, tags: list[dict[str, str]], **more: t.Any) -> dict[str, t.Any]:
    return {"FileSystemId": IDS[number], "FileSystemType": kind, "NetworkInterfaceIds": [INTERFACES[number]], "Tags": tags, **more}


def test_file_systems_of_others_are_known_by_their_interfaces(stubbed: t.Any) -> None:
    client, stub = stubbed("fsx")
    ec2, of_ec2 = stubbed("ec2")
    stub.add_response("describe_file_systems", {"FileSystems": [answer(0, "LUSTRE", THEIRS)], "NextToken": "next"}, {})
    more = [answer(1, "WINDOWS", OURS), answer(2, "LUSTRE", OURS, Lifecycle="DELETING")]
    stub.add_response("describe_file_systems", {"FileSystems": more}, {"NextToken": "next"})
    wanted = {"Filters": [{"Name": "network-interface-id", "Values": [INTERFACES[2]]}]}
    interface = {"NetworkInterfaceId": INTERFACES[2], "Groups": [{"GroupId": "sg-2"}, {"GroupId": "sg-1"}]}
    of_ec2.add_response("describe_network_interfaces", {"NetworkInterfaces": [interface]}, wanted)
    found = fsx.read(Api(client), Api(ec2), OWNER)
    assert found.others == {INTERFACES[0]: IDS[0], INTERFACES[1]: IDS[1]}
    (ours,) = found.resources
    assert (ours.id, ours.status, ours.ours, tuple(ours.details)) == (IDS[2], "DELETING", True, DETAILS["file_system"])
    assert ours.details["security_group_ids"] == ["sg-1", "sg-2"] and ours.interfaces == [INTERFACES[2]]


def test_groups_are_unknown_without_interfaces(stubbed: t.Any) -> None:
    client, stub = stubbed("fsx")
    ec2, of_ec2 = stubbed("ec2")
    listed = [answer(0, "LUSTRE", OURS), {"FileSystemId": IDS[1], "FileSystemType": "LUSTRE", "Lifecycle": "CREATING", "Tags": OURS}]
    stub.add_response("describe_file_systems", {"FileSystems": listed}, {})
    of_ec2.add_response("describe_network_interfaces", {"NetworkInterfaces": []})
    found = fsx.read(Api(client), Api(ec2), OWNER).resources
    assert [each.details["security_group_ids"] for each in found] == [None, None]
    assert found[1].details | {"security_group_ids": 0} == {
        "storage_capacity": None,
        "storage_type": "",
        "deployment_type": "",
        "per_unit_throughput": None,
        "metadata_iops": "",
        "backup_retention_days": None,
        "vpc_id": "",
        "subnet_id": "",
        "security_group_ids": 0,
        "network_interface_ids": [],
    }


@pytest.mark.parametrize(
    ("metadata", "iops"), [({"Mode": "AUTOMATIC", "Iops": 1500}, "AUTOMATIC"), ({"Mode": "USER_PROVISIONED", "Iops": 12000}, "12000")]
)
def test_settings_that_are_billed(stubbed: t.Any, metadata: dict[str, t.Any], iops: str) -> None:
    client, stub = stubbed("fsx")
    ec2, of_ec2 = stubbed("ec2")
    lustre = {"PerUnitStorageThroughput": 250, "MetadataConfiguration": metadata, "AutomaticBackupRetentionDays": 7}
    stub.add_response("describe_file_systems", {"FileSystems": [answer(0, "LUSTRE", OURS, LustreConfiguration=lustre)]}, {})
    of_ec2.add_response("describe_network_interfaces", {"NetworkInterfaces": []})
    (found,) = fsx.read(Api(client), Api(ec2), OWNER).resources
    details = [found.details[name] for name in ("per_unit_throughput", "metadata_iops", "backup_retention_days")]
    assert details == [250, iops, 7]
