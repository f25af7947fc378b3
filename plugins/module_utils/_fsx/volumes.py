# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Kubernetes objects for FSx for Lustre, in the form that the CSI driver ``fsx.csi.aws.com`` expects. No I/O.

Source: docs and examples of kubernetes-sigs/aws-fsx-csi-driver, and the names of the parameters in its controller.
"""

from __future__ import annotations

import typing as t

from .._core.failure import Refused, refuse_option
from .lustre import rules
from .lustre.table import AUTOMATIC, PERSISTENT_2, PROVISIONED

Manifest = dict[str, t.Any]
Labels = t.Mapping[str, str]
FileSystem = t.Mapping[str, t.Any]
"""A file system as ``fsx_lustre_file_system`` returns it."""

DRIVER = "fsx.csi.aws.com"
MODES = ("ReadWriteMany",)
MOUNT_OPTIONS = ("flock",)
"""Without this option, programs on different nodes cannot lock files against each other."""
PARAMETERS: t.Mapping[str, str] = {
    "subnet_id": "subnetId",
    "security_group_ids": "securityGroupIds",
    "deployment_type": "deploymentType",
    "per_unit_throughput": "perUnitStorageThroughput",
    "efa": "efaEnabled",
    "compression": "dataCompressionType",
    "kms_key_id": "kmsKeyId",
    "file_system_version": "fileSystemTypeVersion",
    "backup_retention_days": "automaticBackupRetentionDays",
    "weekly_maintenance": "weeklyMaintenanceStartTime",
}
"""The driver's parameter of each option of ``fsx_lustre_file_system``. The driver gets the capacity from the claim."""


def persistent_volume(
    file_system: FileSystem, *, name: str, claim: str, namespace: str, labels: Labels | None = None
) -> Manifest:
    """A volume for an existing file system, reserved for one claim. Kubernetes never removes the file system.

    :raises Refused: for a file system that cannot be mounted yet.
    """
    for field in ("dns_name", "mount_name"):
        if not file_system.get(field):
            state = file_system.get("lifecycle", "missing")
            raise Refused(f"File system {file_system.get('id')} has no {field} because it is {state}. Wait until it is AVAILABLE.")
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": _metadata(name, labels),
        "spec": {
            "capacity": {"storage": quantity(file_system["storage_capacity"])},
            "volumeMode": "Filesystem",
            "accessModes": list(MODES),
            "mountOptions": list(MOUNT_OPTIONS),
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim},
            "csi": {
                "driver": DRIVER,
                "volumeHandle": file_system["id"],
                "volumeAttributes": {"dnsname": file_system["dns_name"], "mountname": file_system["mount_name"]},
            },
        },
    }


def persistent_volume_claim(
    *, name: str, namespace: str, capacity: int, volume: str = "", storage_class: str = "", labels: Labels | None = None
) -> Manifest:
    """A claim for the volume ``volume``, or for a new file system of ``storage_class``.

    :param capacity: GiB. The driver rounds the capacity of a new file system up to the next valid one.
    """
    chosen = {"volumeName": volume} if volume else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {**_metadata(name, labels), "namespace": namespace},
        "spec": {
            "accessModes": list(MODES),
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": quantity(capacity)}},
            **chosen,
        },
    }


def storage_class(
    settings: t.Mapping[str, t.Any],
    *,
    name: str,
    tags: t.Mapping[str, str] | None = None,
    keeps_data: bool = True,
    labels: Labels | None = None,
) -> Manifest:
    """A class whose claims each create a file system.

    :param settings: by option name of ``fsx_lustre_file_system``. Without a deployment type, the driver would choose a scratch file
        system.
    :param keeps_data: whether the file system stays when its claim is deleted.
    :raises Refused: for settings that FSx does not accept.
    """
    chosen = {"deployment_type": PERSISTENT_2, **{option: value for option, value in settings.items() if value is not None}}
    for option in ("subnet_id", "security_group_ids"):
        if not chosen.get(option):
            raise Refused(f"{option}: missing; a storage class requires this option.", option=option)
    rules.check(chosen, asked=chosen)
    parameters = {PARAMETERS[option]: _text(value) for option, value in chosen.items() if option in PARAMETERS}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": _metadata(name, labels),
        "provisioner": DRIVER,
        "parameters": {**parameters, **_metadata_parameters(chosen.get("metadata_iops")), **_extra_tags(tags or {})},
        "mountOptions": list(MOUNT_OPTIONS),
        "reclaimPolicy": "Retain" if keeps_data else "Delete",
        "volumeBindingMode": "Immediate",
    }


def quantity(gibibytes: int) -> str:
    """A capacity as a quantity of Kubernetes."""
    return f"{gibibytes}Gi"


def _metadata(name: str, labels: Labels | None) -> Manifest:
    return {"name": name, **({"labels": dict(labels)} if labels else {})}


def _text(value: t.Any) -> str:
    """The driver accepts only texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _metadata_parameters(iops: str | None) -> dict[str, str]:
    if iops is None:
        return {}
    if iops == AUTOMATIC:
        return {"metadataConfigurationMode": AUTOMATIC}
    return {"metadataConfigurationMode": PROVISIONED, "metadataIops": str(iops)}


def _extra_tags(tags: t.Mapping[str, str]) -> dict[str, str]:
    """:raises Refused: for a tag that the driver would split."""
    for text in (*tags, *tags.values()):
        if set(text) & {",", "="}:
            refuse_option("tags", text, "texts without commas and equals signs", "the FSx CSI driver splits tags there")
    return {"extraTags": ",".join(f"{key}={value}" for key, value in sorted(tags.items()))} if tags else {}
