# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system as FSx describes it."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Action, Desired, FileSystem

TIME = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
CLUSTER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
OURS = {"mlfleet.hyperpod/cluster": CLUSTER, "mlfleet.hyperpod/component": "file_system"}


def of(lifecycle: str, *statuses: str, kind: str = "FILE_SYSTEM_UPDATE", **more: t.Any) -> FileSystem:
    actions = tuple(Action(kind, status, str(place)) for place, status in enumerate(statuses))
    return FileSystem("fs-1", "arn", lifecycle, actions=actions, **more)


def test_a_description_is_read() -> None:
    answer = {
        "FileSystemId": "fs-1",
        "ResourceARN": "arn",
        "FileSystemType": "LUSTRE",
        "Lifecycle": "MISCONFIGURED",
        "FailureDetails": {"Message": "no\x1b"},
        "StorageType": "HDD",
        "StorageCapacity": 1200,
        "CreationTime": TIME,
        "DNSName": "dns",
        "VpcId": "vpc-1",
        "NetworkInterfaceIds": ["eni-2", "eni-1"],
        "LustreConfiguration": {"MountName": "mount", "DataRepositoryConfiguration": {"ImportPath": "s3://a"}},
        "AdministrativeActions": [{"AdministrativeActionType": "FILE_SYSTEM_UPDATE", "Status": "PENDING", "RequestTime": TIME}],
        "Tags": [{"Key": "Name", "Value": "data"}],
    }
    found = FileSystem.from_api(answer)
    expected = {
        "name": "data",
        "about": "file system data (fs-1)",
        "failure": "no?",
        "interfaces": ("eni-1", "eni-2"),
        "linked": True,
        "storage_type": "HDD",
        "created": "2026-01-02T03:04:05.000Z",
        "mount_name": "mount",
        "actions": (Action("FILE_SYSTEM_UPDATE", "PENDING", "2026-01-02T03:04:05.000Z"),),
    }
    assert {name: getattr(found, name) for name in expected} == expected and found.settings["storage_capacity"] == 1200


def test_a_description_with_the_required_fields_only() -> None:
    found = FileSystem.from_api({"FileSystemId": "fs-1"})
    assert (found.about, found.lifecycle, found.linked, found.storage_type) == ("file system fs-1", "", False, "SSD")
    assert Action.from_api({}) == Action("", "", "")


@pytest.mark.parametrize(
    ("found", "settled"),
    [
        (of("AVAILABLE"), True),
        (of("FAILED"), True),
        (of("MISCONFIGURED"), True),
        (of("MISCONFIGURED_UNAVAILABLE"), True),
        (of("CREATING"), False),
        (of("UPDATING"), False),
        (of("DELETING"), False),
        (of("SPLENDID"), False),
        *((of("AVAILABLE", each), False) for each in ("PENDING", "IN_PROGRESS", "PAUSED", "COMPLETING")),
        *((of("AVAILABLE", each), True) for each in ("COMPLETED", "UPDATED_OPTIMIZING", "OPTIMIZING", "FAILED", "CANCELLED")),
        (of("AVAILABLE", "COMPLETED", "IN_PROGRESS"), False),
        (of("AVAILABLE", "IN_PROGRESS", kind="STORAGE_OPTIMIZATION"), True),
    ],
)
def test_a_file_system_is_settled_if_no_update_is_in_progress(found: FileSystem, settled: bool) -> None:
    """The rebalancing of data after an increase takes days and does not count."""
    assert found.is_settled is settled


@pytest.mark.parametrize(
    ("lifecycle", "mountable"),
    [("AVAILABLE", True), ("UPDATING", True), ("CREATING", False), ("FAILED", False), ("MISCONFIGURED", False), ("SPLENDID", False)],
)
def test_mount_data_is_valid_only_with_known_lifecycles(lifecycle: str, mountable: bool) -> None:
    assert of(lifecycle).is_mountable is mountable


def test_scratch_and_failed_file_systems_have_no_backups() -> None:
    persistent, scratch = ({"deployment_type": kind} for kind in ("PERSISTENT_2", "SCRATCH_2"))
    assert of("AVAILABLE", settings=persistent).has_backups and of("MISCONFIGURED", settings=persistent).has_backups
    assert not of("AVAILABLE", settings=scratch).has_backups and not of("FAILED", settings=persistent).has_backups


def test_progress_lines_contain_the_reason_and_the_running_update() -> None:
    assert of("CREATING").described == "CREATING"
    assert of("FAILED", failure="no").described == "FAILED (no)"
    assert of("AVAILABLE", "COMPLETED", "IN_PROGRESS").described == "AVAILABLE, with an update that is IN_PROGRESS"


@pytest.mark.parametrize(
    ("tags", "owned"),
    [(OURS, True), ({**OURS, "a": "b"}, True), ({}, False), ({**OURS, "mlfleet.hyperpod/cluster": "else"}, False), (dict(list(OURS.items())[:1]), False)],
)
def test_our_file_systems_have_both_tags(tags: dict[str, str], owned: bool) -> None:
    assert Desired(CLUSTER, "data").owns(tags) is owned
    assert (Desired(CLUSTER, "data").resource, Desired(CLUSTER, id="fs-1").resource) == ("file system data", "file system fs-1")


def test_actions_in_results() -> None:
    action = Action("FILE_SYSTEM_UPDATE", "FAILED", "t", failure="no", percent=5)
    assert action.to_result() == {"type": "FILE_SYSTEM_UPDATE", "status": "FAILED", "requested": "t", "progress_percent": 5, "failure": "no"}
