# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings in requests and replies of FSx."""

from __future__ import annotations

import typing as t

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import knows
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.fields import Field
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import (
    IMMUTABLE,
    TABLE,
    member,
    request,
    same_key,
    settings_of,
)

ARN = "arn:aws:kms:us-west-2:111111111111:key/1"
ANSWER: dict[str, t.Any] = {
    "SubnetIds": ["subnet-1"],
    "StorageCapacity": 1200,
    "KmsKeyId": ARN,
    "FileSystemTypeVersion": "2.15",
    "LustreConfiguration": {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 125,
        "EfaEnabled": True,
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        "DataCompressionType": "LZ4",
        "AutomaticBackupRetentionDays": 7,
        "WeeklyMaintenanceStartTime": "7:09:00",
    },
}
VALUES = {
    "subnet_id": "subnet-1",
    "storage_capacity": 1200,
    "kms_key_id": ARN,
    "file_system_version": "2.15",
    "deployment_type": "PERSISTENT_2",
    "per_unit_throughput": 125,
    "efa": True,
    "metadata_iops": "6000",
    "compression": "LZ4",
    "backup_retention_days": 7,
    "weekly_maintenance": "7:09:00",
}


def test_a_reply_is_read_and_its_values_give_the_same_request() -> None:
    assert settings_of(ANSWER) == VALUES
    assert request(VALUES) == ANSWER


def test_a_reply_without_optional_values() -> None:
    sparse = {"deployment_type": "SCRATCH_2", "efa": False, "metadata_iops": None, "compression": "NONE"}
    assert settings_of({"SubnetIds": [], "LustreConfiguration": {"DeploymentType": "SCRATCH_2"}}) == {"subnet_id": "", **sparse}


def test_an_automatic_rate_has_no_number_in_requests() -> None:
    automatic = {"Mode": "AUTOMATIC", "Iops": 1500}
    assert settings_of({"LustreConfiguration": {"MetadataConfiguration": automatic}})["metadata_iops"] == "AUTOMATIC"
    assert request({"metadata_iops": "AUTOMATIC"}) == {"LustreConfiguration": {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}}


def test_a_request_has_no_empty_part() -> None:
    assert request({"storage_capacity": 2400}) == {"StorageCapacity": 2400}
    assert request({"security_group_ids": ["sg-1"]}) == {"SecurityGroupIds": ["sg-1"]}


@pytest.mark.parametrize(("want", "same"), [(ARN, True), ("1", True), ("2", False), (f"{ARN}1", False), ("key/1", False)])
def test_a_key_is_compared_by_id_or_arn(want: str, same: bool) -> None:
    assert same_key(ARN, want) is same and not same_key(None, want)


def test_security_groups_are_compared_as_a_set() -> None:
    (groups,) = [field for field in TABLE if field.option == "security_group_ids"]
    assert groups.same(["a", "b"], ["b", "a"]) and not groups.same(["a"], ["a", "b"])


@pytest.mark.parametrize("field", TABLE, ids=lambda field: field.option)
def test_the_service_has_each_setting(field: Field) -> None:
    model = botocore.session.get_session().get_service_model("fsx")
    assert knows(model.operation_model("CreateFileSystem").input_shape, member(field))
    changes = knows(model.operation_model("UpdateFileSystem").input_shape, member(field))
    assert changes is (field not in IMMUTABLE)
    shape: t.Any = model.operation_model("CreateFileSystem").input_shape
    for name in member(field):
        shape = shape.members[name]
    assert set(field.choices) <= set(getattr(shape, "enum", None) or field.choices)
