# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system for Lustre: its description, and the time after which a change is visible."""

from __future__ import annotations

import contextlib
import datetime
import typing as t

from ..delays import Delay
from .rules import SCRATCH_1, automatic_iops, persistent

Answer = dict[str, t.Any]
MANAGED_KEY = "00000000-0000-0000-0000-0000000000f5"
MAINTENANCE = "7:09:00"


class Lustre:
    """``moto`` is moto's file system, ``actions`` are the administrative actions, the newest first."""

    def __init__(self, moto: t.Any, given: Answer, *, account: str, region: str, vpc_id: str) -> None:
        self.moto, self.account, self.vpc_id = moto, account, vpc_id
        self.created = now()
        self.lifecycle, self.failure = "CREATING", ""
        self.capacity = given["StorageCapacity"]
        self.configuration = _configuration(given)
        self.version = given.get("FileSystemTypeVersion") or _version(self.configuration)
        key = given.get("KmsKeyId", MANAGED_KEY)
        self.key = key if key.startswith("arn:") else f"arn:aws:kms:{region}:{account}:key/{key}"
        self.interfaces: list[str] = []
        self.actions: list[Answer] = []
        self._earlier: Answer | None = None
        self._lag: Delay | None = None

    @property
    def id(self) -> str:
        return str(self.moto.file_system_id)

    @property
    def arn(self) -> str:
        return str(self.moto.resource_arn)

    @property
    def is_updated(self) -> bool:
        """Whether an update has not ended."""
        return any(each["AdministrativeActionType"] == "FILE_SYSTEM_UPDATE" and each["Status"] in ("PENDING", "IN_PROGRESS") for each in self.actions)

    def description(self) -> Answer:
        """The current description; AWS returns DNS and mount name already while it creates the file system."""
        return {
            "OwnerId": self.account,
            "CreationTime": self.created,
            "FileSystemId": self.id,
            "FileSystemType": "LUSTRE",
            "Lifecycle": self.lifecycle,
            "StorageCapacity": self.capacity,
            "StorageType": self.moto.storage_type,
            "SubnetIds": self.moto.subnet_ids,
            "DNSName": self.moto.dns_name,
            "ResourceARN": self.arn,
            "KmsKeyId": self.key,
            "FileSystemTypeVersion": self.version,
            "Tags": self.moto.backend.list_tags_for_resource(self.arn),
            "LustreConfiguration": {**self.configuration, "MountName": self.id[-8:]},
            **({"VpcId": self.vpc_id} if self.vpc_id else {}),
            **({"NetworkInterfaceIds": list(self.interfaces)} if self.interfaces else {}),
            **({"FailureDetails": {"Message": self.failure}} if self.failure else {}),
            **({"AdministrativeActions": [dict(each) for each in self.actions]} if self.actions else {}),
        }

    def shown(self) -> Answer | None:
        """The description that calls return; None if the file system is not visible yet."""
        return self.description() if self._lag is None or self._lag.is_over else self._earlier

    @contextlib.contextmanager
    def changing(self, *, new: bool = False) -> t.Iterator[None]:
        """Around a change. Setting ``file_system_lag_seconds`` delays its visibility."""
        earlier = None if new else self.shown()
        yield
        self._earlier, self._lag = earlier, Delay("file_system_lag_seconds")

    def set(self, values: Answer) -> None:
        """Set the values of an update."""
        self.capacity = values.get("StorageCapacity", self.capacity)
        self.version = values.get("FileSystemTypeVersion", self.version)
        self.configuration |= values.get("LustreConfiguration", {})
        metadata = self.configuration.get("MetadataConfiguration")
        if metadata and metadata["Mode"] == "AUTOMATIC":
            self.configuration["MetadataConfiguration"] = {"Mode": "AUTOMATIC", "Iops": automatic_iops(self.capacity)}


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _configuration(given: Answer) -> Answer:
    """LustreConfiguration with the defaults of CreateFileSystem."""
    asked = given.get("LustreConfiguration") or {}
    kind = asked.get("DeploymentType", SCRATCH_1)
    backups = {"AutomaticBackupRetentionDays": 0, "CopyTagsToBackups": False} if persistent(kind) else {}
    fixed = {"DeploymentType": kind, "DataCompressionType": "NONE", "WeeklyMaintenanceStartTime": MAINTENANCE, "EfaEnabled": False}
    made = {**fixed, **backups, **asked}
    if made.get("MetadataConfiguration", {}).get("Mode") == "AUTOMATIC":
        made["MetadataConfiguration"] = {"Mode": "AUTOMATIC", "Iops": automatic_iops(given["StorageCapacity"])}
    return made


def _version(configuration: Answer) -> str:
    if configuration["DeploymentType"] != "PERSISTENT_2":
        return "2.10"
    return "2.15" if "MetadataConfiguration" in configuration else "2.12"
