# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""File systems in DescribeFileSystems, with the mount name, owner, VPC and state that moto lacks."""

from __future__ import annotations

import datetime
import typing as t

from moto.fsx.models import FSxBackend

from ..action import Refusal

Answer = dict[str, t.Any]


class FileSystems(FSxBackend):
    """moto's backend; each file system is available at once."""

    def made(self, given: Answer) -> Answer:
        """Create a file system from the parameters of CreateFileSystem."""
        kept = super().create_file_system(
            client_request_token="",
            file_system_type=given["FileSystemType"],
            storage_capacity=given.get("StorageCapacity", 0),
            storage_type=given.get("StorageType", "SSD"),
            subnet_ids=given["SubnetIds"],
            security_group_ids=[],
            tags=given.get("Tags"),
            kms_key_id=None,
            windows_configuration=None,
            lustre_configuration=given.get("LustreConfiguration"),
            ontap_configuration=None,
            file_system_type_version=None,
            open_zfs_configuration=given.get("OpenZFSConfiguration"),
        )
        return self._description(kept)

    def described(self, ids: t.Sequence[str]) -> list[Answer]:
        """:raises Refusal: for an unknown ID: the whole call fails, as in AWS."""
        for each in ids:
            if each not in self.file_systems:
                raise Refusal("FileSystemNotFound", f"File system '{each}' does not exist.")
        return [self._description(kept) for name, kept in self.file_systems.items() if not ids or name in ids]

    def _description(self, kept: t.Any) -> Answer:
        lustre = {"MountName": kept.file_system_id[-8:]} if kept.file_system_type == "LUSTRE" else {}
        configuration = {"LustreConfiguration": {"DeploymentType": "PERSISTENT_2", **lustre}} if lustre else {}
        return {
            "OwnerId": self.account_id,
            "CreationTime": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc),
            "FileSystemId": kept.file_system_id,
            "FileSystemType": kept.file_system_type,
            "Lifecycle": "AVAILABLE",
            "StorageCapacity": kept.storage_capacity,
            "SubnetIds": kept.subnet_ids,
            "DNSName": kept.dns_name,
            "ResourceARN": kept.resource_arn,
            "Tags": self.list_tags_for_resource(kept.resource_arn),
            **configuration,
        }
