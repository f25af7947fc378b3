# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Return values of a file system."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired, FileSystem, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import TABLE

DESIRED = Desired("arn", "data")
FOUND = FileSystem("fs-1", "arn", "AVAILABLE", {"storage_capacity": 1200}, dns_name="dns", mount_name="mount", interfaces=("eni-1",))


def test_nothing_but_the_name_is_returned_without_a_file_system() -> None:
    assert result(DESIRED, State()) == {"fsx_lustre_file_system": {"exists": False, "name": "data"}}


def test_each_value_is_returned() -> None:
    more = {"vpc_id": "vpc-1", "failure": "no", "storage_type": "HDD", "created": "t"}
    found = result(DESIRED, State(FOUND.having(**more, tags={"Name": "data"}), "us-west-2a"))["fsx_lustre_file_system"]
    assert found == {
        **dict.fromkeys(field.option for field in TABLE),
        **more,
        "exists": True,
        "id": "fs-1",
        "arn": "arn",
        "name": "data",
        "lifecycle": "AVAILABLE",
        "dns_name": "dns",
        "mount_name": "mount",
        "availability_zone": "us-west-2a",
        "network_interface_ids": ["eni-1"],
        "storage_capacity": 1200,
        "tags": {"Name": "data"},
    }


@pytest.mark.parametrize(("lifecycle", "shown"), [("AVAILABLE", ["dns", "mount"]), ("CREATING", [None, None]), ("FAILED", [None, None])])
def test_mount_data_is_null_until_the_file_system_can_be_mounted(lifecycle: str, shown: list[str | None]) -> None:
    found = result(DESIRED, State(FOUND.having(lifecycle=lifecycle)))["fsx_lustre_file_system"]
    assert [found["dns_name"], found["mount_name"]] == shown


def test_interfaces_of_a_predicted_file_system_are_known_later() -> None:
    found = result(DESIRED, State(FOUND.having(interfaces=KNOWN_AFTER_APPLY)))["fsx_lustre_file_system"]
    assert found["network_interface_ids"] == KNOWN_AFTER_APPLY
