# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A file system of FSx for Lustre, desired and observed."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.statuses import Statuses
from ..._aws.tags import CLUSTER_TAG, Tags, plain_tags
from ..._core.text import printable
from ..._core.times import iso_time
from .access import Access
from .table import LUSTRE_PART, SCRATCH_2, settings_of

Answer = t.Mapping[str, t.Any]

COMPONENT_TAG, COMPONENT = "mlfleet.hyperpod/component", "file_system"
"""Together with the tag of the cluster, this tag marks file systems of this collection."""
NAME_TAG = "Name"
LUSTRE_TYPE = "LUSTRE"

AVAILABLE, CREATING, UPDATING, DELETING, FAILED = "AVAILABLE", "CREATING", "UPDATING", "DELETING", "FAILED"
LIFECYCLE = Statuses(
    "fsx",
    "FileSystemLifecycle",
    settled=(AVAILABLE,),
    busy=(CREATING, UPDATING, DELETING),
    failed=(FAILED, "MISCONFIGURED", "MISCONFIGURED_UNAVAILABLE"),
)
MOUNTABLE = (AVAILABLE, UPDATING)
"""Only with one of these lifecycles are the DNS name and the mount name returned."""
ACTION = Statuses(
    "fsx",
    "Status",
    settled=("COMPLETED", "UPDATED_OPTIMIZING", "OPTIMIZING"),
    busy=("PENDING", "IN_PROGRESS", "PAUSED"),
    failed=("FAILED", "CANCELLED"),
)
"""Statuses of administrative actions. UPDATED_OPTIMIZING: the update is complete, and FSx redistributes data for hours or days."""
UPDATE = "FILE_SYSTEM_UPDATE"
"""The administrative action of an UpdateFileSystem call. FSx performs one at a time."""


@dataclass(frozen=True)
class Desired:
    """The desired file system. None leaves the current value unchanged."""

    cluster_arn: str
    name: str | None = None
    id: str | None = None
    present: bool = True
    settings: t.Mapping[str, t.Any] = field(default_factory=dict)
    """The given options, by name."""
    client_groups: tuple[str, ...] = ()
    """Security groups of clients, whose access is checked."""
    tags: Tags | None = None
    purge_tags: bool = True
    skip_final_backup: bool = False
    waits: bool = True
    """Whether the module waits outside of check mode."""

    @property
    def resource(self) -> str:
        return f"file system {self.name or self.id}"

    @property
    def own_tags(self) -> dict[str, str]:
        return {CLUSTER_TAG: self.cluster_arn, COMPONENT_TAG: COMPONENT}

    def owns(self, tags: Tags) -> bool:
        return all(tags.get(key) == value for key, value in self.own_tags.items())


@dataclass(frozen=True)
class Action:
    """An administrative action. An action has no ID; actions of the same kind differ in the time of their request."""

    kind: str
    status: str
    requested: str
    """Time in UTC."""
    target: t.Mapping[str, t.Any] = field(default_factory=dict, compare=False)
    """The values of the request, as in a request."""
    failure: str = ""
    percent: int | None = None

    @classmethod
    def from_api(cls, answer: Answer) -> Action:
        return cls(
            kind=answer.get("AdministrativeActionType", ""),
            status=answer.get("Status", ""),
            requested=iso_time(answer.get("RequestTime")),
            target=answer.get("TargetFileSystemValues") or {},
            failure=printable((answer.get("FailureDetails") or {}).get("Message", "")),
            percent=answer.get("ProgressPercent"),
        )

    @property
    def is_busy(self) -> bool:
        return self.kind == UPDATE and ACTION.is_busy(self.status)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "type": self.kind,
            "status": self.status,
            "requested": self.requested,
            "progress_percent": self.percent,
            "failure": self.failure,
        }


@dataclass(frozen=True)
class FileSystem:
    id: str
    arn: str
    lifecycle: str
    settings: t.Mapping[str, t.Any] = field(default_factory=dict)
    """The settings by option name. ``security_group_ids`` is missing if it is unknown."""
    dns_name: str = ""
    mount_name: str = ""
    vpc_id: str = ""
    interfaces: t.Sequence[str] = ()
    kind: str = LUSTRE_TYPE
    failure: str = ""
    """Why the file system failed or is misconfigured; empty if FSx gives no reason."""
    storage_type: str = "SSD"
    linked: bool = False
    """Whether the file system was created with a data repository in S3. FSx takes no backups of such a file system."""
    actions: tuple[Action, ...] = ()
    created: str = ""
    tags: Tags = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer) -> FileSystem:
        lustre = answer.get(LUSTRE_PART) or {}
        return cls(
            id=answer["FileSystemId"],
            arn=answer.get("ResourceARN", ""),
            lifecycle=answer.get("Lifecycle", ""),
            settings=settings_of(answer),
            dns_name=answer.get("DNSName", ""),
            mount_name=lustre.get("MountName", ""),
            vpc_id=answer.get("VpcId", ""),
            interfaces=tuple(sorted(answer.get("NetworkInterfaceIds") or ())),
            kind=answer.get("FileSystemType", ""),
            failure=printable((answer.get("FailureDetails") or {}).get("Message", "")),
            storage_type=answer.get("StorageType", "SSD"),
            linked=bool(lustre.get("DataRepositoryConfiguration")),
            actions=tuple(Action.from_api(each) for each in answer.get("AdministrativeActions") or ()),
            created=iso_time(answer.get("CreationTime")),
            tags=plain_tags(answer.get("Tags")),
        )

    @property
    def name(self) -> str:
        return self.tags.get(NAME_TAG, "")

    @property
    def about(self) -> str:
        return f"file system {self.name} ({self.id})" if self.name else f"file system {self.id}"

    @property
    def is_mountable(self) -> bool:
        return self.lifecycle in MOUNTABLE

    @property
    def is_settled(self) -> bool:
        """Whether FSx is neither changing the file system nor about to. False for unknown statuses."""
        return not LIFECYCLE.is_busy(self.lifecycle) and not any(action.is_busy for action in self.actions)

    @property
    def has_backups(self) -> bool:
        """Whether FSx can take a final backup."""
        return self.settings.get("deployment_type") != SCRATCH_2 and self.lifecycle != FAILED

    @property
    def described(self) -> str:
        """The lifecycle with its reason and the running updates, for progress lines and messages."""
        reason = f" ({self.failure})" if self.failure else ""
        busy = next((action for action in self.actions if action.is_busy), None)
        update = f", with an update that is {busy.status}" if busy else ""
        return f"{self.lifecycle}{reason}{update}"

    def having(self, **changes: t.Any) -> FileSystem:
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True)
class State:
    file_system: FileSystem | None = None
    zone: str | None = None
    """The Availability Zone of the subnet; None if it is unknown."""
    access: Access | None = None
    """What the security groups of a new file system allow; None if there is no need to check it."""
    vpc_id: str = ""
    """The VPC of the subnet of a new file system."""
    others: tuple[str, ...] = ()
    """IDs of file systems with the same name and without our tags."""
    older: tuple[str, ...] = ()
    """IDs of file systems with the same name and our tags that FSx is deleting."""

    def having(self, **changes: t.Any) -> State:
        return dataclasses.replace(self, **changes)
