# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fsx_lustre_file_system_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

MODULE = "fsx_lustre_file_system_info"


@pytest.mark.slow
def test_file_systems_are_listed_over_all_pages_and_filtered(lustre):
    ids = sorted(lustre.make(tags={}) for _time in range(3))
    other = lustre.make(name=f"{lustre.name}-other", tags={})
    homes = lustre.fsx.create_file_system(FileSystemType="OPENZFS", SubnetIds=[lustre.subnet], StorageCapacity=64)["FileSystem"]
    found = [each["id"] for each in reads(lustre, MODULE)["fsx_lustre_file_systems"]]
    assert set(found) >= {*ids, other} and found == sorted(found) and homes["FileSystemId"] not in found
    named = reads(lustre, MODULE, name=lustre.name)["fsx_lustre_file_systems"]
    assert [each["id"] for each in named] == ids
    assert {each["availability_zone"] for each in named} == {"us-west-2a"} and named[0]["security_group_ids"] == [lustre.group]
    assert named[0]["deployment_type"] == "SCRATCH_2" and named[0]["dns_name"].startswith(ids[0])
    (one,) = reads(lustre, MODULE, file_system_id=other)["fsx_lustre_file_systems"]
    assert one["name"] == f"{lustre.name}-other"
    for nothing in ({"file_system_id": "fs-0123456789abcdef0"}, {"file_system_id": homes["FileSystemId"]}, {"file_system_id": other, "name": "x"}):
        assert reads(lustre, MODULE, **nothing)["fsx_lustre_file_systems"] == []


def test_updates_and_failures_are_returned(lustre, faults):
    made = lustre.make()
    lustre.control("settings", {"transition_seconds": 3600})
    lustre.fsx.update_file_system(FileSystemId=made, StorageCapacity=2400)
    (found,) = reads(lustre, MODULE, name=lustre.name)["fsx_lustre_file_systems"]
    (action,) = found["administrative_actions"]
    assert (action["type"], action["status"], action["failure"]) == ("FILE_SYSTEM_UPDATE", "PENDING", "")
    assert found["lifecycle"] == "UPDATING" and found["dns_name"]


def test_a_file_system_that_is_created_has_no_mount_data(lustre, faults):
    faults(kind="fail_later", operation="CreateFileSystem", code="No capacity", times=1)
    made = lustre.make()
    (found,) = reads(lustre, MODULE, file_system_id=made)["fsx_lustre_file_systems"]
    assert (found["lifecycle"], found["failure"], found["dns_name"], found["security_group_ids"]) == ("FAILED", "No capacity", None, None)


def test_bad_input_is_refused_before_any_call(lustre):
    for wrong, named in (({"name": ""}, "name: ''"), ({"file_system_id": "a"}, "file_system_id: 'a'")):
        result = lustre.run(MODULE, **wrong)
        assert result["failed"] and named in result["msg"] and lustre.calls() == [], result
