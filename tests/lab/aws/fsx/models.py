# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: file systems of all types, with the fields, tokens, tags and network interfaces that moto lacks."""

from __future__ import annotations

import datetime
import json
import typing as t

from moto.ec2.exceptions import InvalidSubnetIdError
from moto.ec2.models import ec2_backends
from moto.fsx.models import FSxBackend

from ..action import Refusal
from . import rules, work
from .lustre import Lustre

Answer = dict[str, t.Any]
SERVERS = 2
"""Network interfaces of a file system for Lustre."""


class FileSystems(FSxBackend):
    """moto's backend. A file system that is not for Lustre is available at once."""

    def __init__(self, *arguments: t.Any, **named: t.Any) -> None:
        super().__init__(*arguments, **named)
        self.lustre: dict[str, Lustre] = {}
        self.tokens: dict[tuple[str, str], tuple[str, str]] = {}
        """By operation and token: the parameters and the ID of the file system."""

    @property
    def ec2(self) -> t.Any:
        return ec2_backends[self.account_id][self.region_name]

    def made(self, given: Answer) -> Answer:
        """Create a file system from the parameters of CreateFileSystem."""
        known = self._known("CreateFileSystem", given)
        if known is not None:
            return self._description(self.file_systems[known])
        subnet = None
        if given["FileSystemType"] == "LUSTRE":
            rules.check_creation(given)
            subnet = self._subnet(given["SubnetIds"][0])
            efa = bool(given.get("LustreConfiguration", {}).get("EfaEnabled"))
            rules.check_network(self.ec2, subnet, given.get("SecurityGroupIds", ()), efa=efa)
        kept = self._created(given)
        self._remember("CreateFileSystem", given, kept.file_system_id)
        if subnet is not None:
            made = Lustre(kept, given, account=self.account_id, region=self.region_name, vpc_id=subnet.vpc_id)
            answer = made.description()
            with made.changing(new=True):
                self.lustre[made.id] = made
            work.create(self, made, given.get("SecurityGroupIds", ()))
            return answer
        return self._description(kept)

    def _created(self, given: Answer) -> t.Any:
        return super().create_file_system(
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

    def described(self, ids: t.Sequence[str]) -> list[Answer]:
        """:raises Refusal: for an unknown ID: the whole call fails, as in AWS."""
        shown = {name: self._shown(kept) for name, kept in list(self.file_systems.items())}
        for each in ids:
            if shown.get(each) is None:
                raise unknown(each)
        return [answer for name, answer in shown.items() if answer is not None and (not ids or name in ids)]

    def updated(self, given: Answer) -> Answer:
        """Change a file system for Lustre; it returns before the change is complete."""
        made = self._lustre(given["FileSystemId"])
        if self._known("UpdateFileSystem", given) is None:
            values = {name: value for name, value in given.items() if name not in ("FileSystemId", "ClientRequestToken")}
            rules.check_update(made, values)
            self._remember("UpdateFileSystem", given, made.id)
            work.update(made, values)
        return made.description()

    def removed(self, given: Answer) -> Answer:
        """Remove a file system for Lustre; it returns before the removal is complete."""
        made = self._lustre(given["FileSystemId"])
        answer: Answer = {"FileSystemId": made.id, "Lifecycle": "DELETING"}
        if self._known("DeleteFileSystem", given) is not None:
            return answer
        if made.lifecycle == "DELETING":
            raise rules.bad(f"File system {made.id} is being deleted")
        asked = given.get("LustreConfiguration", {})
        if not asked.get("SkipFinalBackup", True):
            if not rules.persistent(made.configuration["DeploymentType"]) or made.lifecycle == "FAILED":
                raise rules.bad(f"Backups are not supported for file system {made.id}")
            backup = self.create_backup(made.id, None, None, asked.get("FinalBackupTags"))
            answer["LustreResponse"] = {"FinalBackupId": backup.backup_id, "FinalBackupTags": asked.get("FinalBackupTags", [])}
        self._remember("DeleteFileSystem", given, made.id)
        work.delete(self, made)
        return answer

    def connect(self, made: Lustre, groups: t.Sequence[str]) -> None:
        """Create the network interfaces, which only FSx may remove."""
        subnet = self._subnet(made.moto.subnet_ids[0])
        for _server in range(SERVERS):
            interface = self.ec2.create_network_interface(subnet, None, group_ids=list(groups), description=f"FSx {made.id}")
            interface.status, interface.requester_managed = "in-use", True
            made.interfaces.append(interface.id)

    def forget(self, made: Lustre) -> None:
        """Remove the file system with its interfaces and tokens."""
        for each in made.interfaces:
            self.ec2.release_network_interface(each)
        self.tokens = {key: value for key, value in self.tokens.items() if value[1] != made.id}
        self.lustre.pop(made.id, None)
        self.file_systems.pop(made.id, None)

    def tags(self, arn: str) -> str:
        """The ARN, if it belongs to a file system.

        :raises Refusal: ResourceNotFound.
        """
        if arn not in {kept.resource_arn for kept in list(self.file_systems.values())}:
            raise Refusal("ResourceNotFound", f"The resource {arn} does not exist")
        return arn

    def _subnet(self, subnet_id: str) -> t.Any:
        try:
            return self.ec2.get_subnet(subnet_id)
        except InvalidSubnetIdError:
            raise Refusal("InvalidNetworkSettings", f"The subnet ID {subnet_id} does not exist") from None

    def _lustre(self, name: str) -> Lustre:
        if name not in self.lustre:
            raise unknown(name)
        return self.lustre[name]

    def _known(self, operation: str, given: Answer) -> str | None:
        """The ID of the file system of an earlier call with the same token."""
        values, name = self.tokens.get((operation, given.get("ClientRequestToken", "")), ("", None))
        if name is not None and values != json.dumps(given, sort_keys=True):
            raise Refusal("IncompatibleParameterError", "The client request token was used with other parameters")
        return name

    def _remember(self, operation: str, given: Answer, name: str) -> None:
        if "ClientRequestToken" in given:
            self.tokens[operation, given["ClientRequestToken"]] = (json.dumps(given, sort_keys=True), name)

    def _shown(self, kept: t.Any) -> Answer | None:
        """The description that calls return; None if the file system is not visible yet."""
        lustre = self.lustre.get(kept.file_system_id)
        return lustre.shown() if lustre else self._description(kept)

    def _description(self, kept: t.Any) -> Answer:
        lustre = self.lustre.get(kept.file_system_id)
        if lustre is not None:
            return lustre.description()
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
        }


def unknown(name: str) -> Refusal:
    return Refusal("FileSystemNotFound", f"File system '{name}' does not exist.")
