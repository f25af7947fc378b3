# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FSx by boto3 against the simulator."""

from __future__ import annotations

import typing as t

import pytest
from refusals import code


@pytest.fixture(scope="module")
def fsx(account: t.Any) -> t.Any:
    return account.client("fsx")


def test_file_systems_are_listed_in_pages_with_mount_data(account: t.Any, fsx: t.Any) -> None:
    subnet = account.network()["Subnets"][:1]
    shared = {"SubnetIds": subnet, "StorageCapacity": 1200}
    lustre = [
        fsx.create_file_system(FileSystemType="LUSTRE", Tags=[{"Key": "Name", "Value": name}], **shared)["FileSystem"]
        for name in ("a", "b")
    ]
    homes = fsx.create_file_system(FileSystemType="OPENZFS", **shared)["FileSystem"]
    assert len(fsx.describe_file_systems()["FileSystems"]) == 2
    pages = list(fsx.get_paginator("describe_file_systems").paginate())
    assert [each["FileSystemId"] for page in pages for each in page["FileSystems"]] == [each["FileSystemId"] for each in (*lustre, homes)]
    assert len(lustre[0]["LustreConfiguration"]["MountName"]) == 8 and lustre[0]["Tags"] == [{"Key": "Name", "Value": "a"}]
    assert "LustreConfiguration" not in homes
    (one,) = fsx.describe_file_systems(FileSystemIds=[homes["FileSystemId"]])["FileSystems"]
    assert one["DNSName"] == homes["DNSName"]


def test_an_unknown_id_fails_the_whole_listing(fsx: t.Any) -> None:
    assert code(fsx.describe_file_systems, FileSystemIds=["fs-00000000"]) == "FileSystemNotFound"
