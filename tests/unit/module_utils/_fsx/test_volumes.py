# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects for the CSI driver of FSx for Lustre."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import TABLE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.volumes import (
    PARAMETERS,
    persistent_volume,
    persistent_volume_claim,
    storage_class,
)

FOUND = {"id": "fs-1", "lifecycle": "AVAILABLE", "dns_name": "dns", "mount_name": "mount", "storage_capacity": 1200}
PLACE = {"subnet_id": "subnet-1", "security_group_ids": ["sg-1", "sg-2"]}


def test_a_volume_for_an_existing_file_system() -> None:
    assert persistent_volume(FOUND, name="data", claim="data", namespace="ml", labels={"a": "b"}) == {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "data", "labels": {"a": "b"}},
        "spec": {
            "capacity": {"storage": "1200Gi"},
            "volumeMode": "Filesystem",
            "accessModes": ["ReadWriteMany"],
            "mountOptions": ["flock"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "ml", "name": "data"},
            "csi": {
                "driver": "fsx.csi.aws.com",
                "volumeHandle": "fs-1",
                "volumeAttributes": {"dnsname": "dns", "mountname": "mount"},
            },
        },
    }


@pytest.mark.parametrize("missing", ["dns_name", "mount_name"])
def test_a_file_system_that_cannot_be_mounted_has_no_volume(missing: str) -> None:
    with pytest.raises(Refused, match=f"^File system fs-1 has no {missing} because it is CREATING. Wait until it is AVAILABLE.$"):
        persistent_volume({**FOUND, "lifecycle": "CREATING", missing: None}, name="data", claim="data", namespace="ml")


def test_a_claim_binds_to_its_volume() -> None:
    assert persistent_volume_claim(name="data", namespace="ml", capacity=1200, volume="pv") == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "resources": {"requests": {"storage": "1200Gi"}},
            "volumeName": "pv",
        },
    }


def test_a_claim_for_a_new_file_system_names_its_class() -> None:
    spec = persistent_volume_claim(name="data", namespace="ml", capacity=2400, storage_class="fsx", labels={"a": "b"})["spec"]
    assert spec["storageClassName"] == "fsx" and "volumeName" not in spec


def test_a_class_has_all_settings_as_texts() -> None:
    settings: dict[str, t.Any] = {
        **PLACE,
        "per_unit_throughput": 1000,
        "efa": True,
        "metadata_iops": "AUTOMATIC",
        "compression": "LZ4",
        "file_system_version": "2.15",
        "backup_retention_days": 0,
        "weekly_maintenance": None,
        "storage_capacity": 4800,
    }
    made = storage_class(settings, name="fsx", tags={"b": "2", "a": "1"}, keeps_data=False)
    assert made == {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fsx"},
        "provisioner": "fsx.csi.aws.com",
        "parameters": {
            "deploymentType": "PERSISTENT_2",
            "subnetId": "subnet-1",
            "securityGroupIds": "sg-1,sg-2",
            "perUnitStorageThroughput": "1000",
            "efaEnabled": "true",
            "metadataConfigurationMode": "AUTOMATIC",
            "dataCompressionType": "LZ4",
            "fileSystemTypeVersion": "2.15",
            "automaticBackupRetentionDays": "0",
            "extraTags": "a=1,b=2",
        },
        "mountOptions": ["flock"],
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
    }


def test_a_class_keeps_data_by_default_and_may_have_a_fixed_rate() -> None:
    made = storage_class({**PLACE, "efa": False, "metadata_iops": "6000"}, name="fsx")
    parameters = made["parameters"]
    assert made["reclaimPolicy"] == "Retain" and "extraTags" not in parameters and parameters["efaEnabled"] == "false"
    assert (parameters["metadataConfigurationMode"], parameters["metadataIops"]) == ("USER_PROVISIONED", "6000")
    assert "metadataConfigurationMode" not in storage_class(PLACE, name="fsx")["parameters"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"subnet_id": None}, "subnet_id: missing"),
        ({"security_group_ids": []}, "security_group_ids: missing"),
        ({"per_unit_throughput": 50}, "per_unit_throughput: 50 is not allowed: deployment_type is PERSISTENT_2"),
        ({"deployment_type": "SCRATCH_2", "efa": True}, "efa: True"),
    ],
)
def test_a_class_that_fsx_would_not_accept_is_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        storage_class({**PLACE, **wrong}, name="fsx")


@pytest.mark.parametrize("tags", [{"a,b": "c"}, {"a": "b=c"}])
def test_tags_that_the_driver_would_split_are_refused(tags: dict[str, str]) -> None:
    with pytest.raises(Refused, match="tags: .* is not allowed: the FSx CSI driver splits tags there"):
        storage_class(PLACE, name="fsx", tags=tags)


def test_each_setting_has_a_parameter() -> None:
    assert {field.option for field in TABLE} - set(PARAMETERS) == {"storage_capacity", "metadata_iops"}
