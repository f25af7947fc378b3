# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a file system by its ID, or by its name and our tags, and waits until FSx has completed its operations."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._core.failure import refuse_option
from ..._core.waits import Waits, repeated
from .model import DELETING, LUSTRE_TYPE, Desired, FileSystem, State
from .network import FileSystemNetwork

NOT_FOUND = "FileSystemNotFound"
GONE = "gone"


class Observer:
    """
    :param waits: how the module waits; None without waiting.
    """

    def __init__(self, fsx: Api, network: FileSystemNetwork, desired: Desired, *, waits: Waits | None) -> None:
        self.fsx = fsx
        self.network = network
        self.desired = desired
        self.waits = waits
        self.id = desired.id
        """The ID once it is known. A listing may lag behind."""
        self.made: FileSystem | None = None
        """FSx's reply to our creation, because a new file system may not be found for a moment."""
        self.removed: set[str] = set()
        """IDs of the file systems that this run has removed."""

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until operations of earlier runs and other callers have ended.

        :raises Refused: for an ambiguous name, and for an ID without our tags.
        """
        state = self._by_id(self.id) if self.id else self._by_name()
        if not self.desired.present:
            for each in state.older:
                self.until(each, lambda seen: seen is None)
        found = self.settled(state.file_system) if state.file_system is not None else None
        if found is None:
            return self._missing(state)
        subnet = found.settings.get("subnet_id", "")
        return state.having(file_system=with_groups(self.network, found), zone=self.network.zones([subnet]).get(subnet))

    def settled(self, found: FileSystem) -> FileSystem | None:
        """The file system once FSx changes nothing; None if it no longer exists. One reply that it does not exist may be wrong."""
        gone = repeated(lambda seen: GONE if seen is None else None)
        seen = self.until(found.id, lambda seen: seen.is_settled if seen is not None else bool(gone(seen)))
        return found if seen is None and self.waits is None and found.lifecycle != DELETING else seen

    def until(
        self,
        file_system_id: str,
        done: t.Callable[[FileSystem | None], bool],
        *,
        failed: t.Callable[[FileSystem | None], str | None] = lambda seen: None,
    ) -> FileSystem | None:
        """The file system once ``done`` is true, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look(file_system_id)
        return self.waits.until(
            lambda: self.look(file_system_id),
            done=done,
            failed=failed,
            subject=self.subject(file_system_id),
            state=lambda seen: seen.described if seen else GONE,
        )

    def subject(self, file_system_id: str) -> str:
        name = self.desired.name
        return f"file system {name} ({file_system_id})" if name else f"file system {file_system_id}"

    def look(self, file_system_id: str) -> FileSystem | None:
        return look(self.fsx, file_system_id)

    def _by_id(self, file_system_id: str) -> State:
        found = self.look(file_system_id) or self.made
        if found is None or file_system_id in self.removed:
            return State()
        if found.kind != LUSTRE_TYPE:
            refuse_option("file_system_id", file_system_id, "a file system of FSx for Lustre", f"its type is {found.kind}")
        if not self.desired.owns(found.tags):
            tags = " and ".join(f"{key}={value}" for key, value in self.desired.own_tags.items())
            why = f"{found.about} does not have the tags {tags}"
            allowed = "a file system with these tags (add them yourself to let this module manage the file system)"
            refuse_option("file_system_id", file_system_id, allowed, why)
        return State(older=(found.id,)) if found.lifecycle == DELETING else State(found)

    def _by_name(self) -> State:
        named = [each for each in lustre_file_systems(self.fsx) if each.name == self.desired.name and each.id not in self.removed]
        ours = [each for each in named if self.desired.owns(each.tags)]
        left = [each for each in ours if each.lifecycle != DELETING]
        if len(left) > 1:
            listed = " and ".join(f"{each.id} ({each.lifecycle})" for each in left)
            why = f"{listed} have this name and belong to {self.desired.cluster_arn}"
            refuse_option("name", self.desired.name, "the name of one file system, or file_system_id with one of the IDs", why)
        return State(
            file_system=left[0] if left else None,
            others=tuple(each.id for each in named if each not in ours),
            older=tuple(each.id for each in ours if each.lifecycle == DELETING),
        )

    def _missing(self, state: State) -> State:
        """The state without a file system. For a new file system, it includes the zone and what the security groups allow."""
        desired, settings = self.desired, self.desired.settings
        state = state.having(file_system=None)
        if not desired.present:
            return state
        if desired.id is not None:
            allowed = "the ID of an existing file system, or no value to create one"
            refuse_option("file_system_id", desired.id, allowed, "this file system does not exist")
        subnet_id, groups = settings.get("subnet_id"), settings.get("security_group_ids")
        if subnet_id is None:
            return state
        subnet = self.network.subnet(subnet_id)
        if subnet is None:
            refuse_option("subnet_id", subnet_id, "a subnet of this account and Region", "it was not found")
        if not groups:
            return state.having(zone=subnet.zone)
        access = self.network.access(subnet, groups, desired.client_groups, efa=bool(settings.get("efa")))
        return state.having(zone=subnet.zone, vpc_id=subnet.vpc_id, access=access)


def with_groups(network: FileSystemNetwork, found: FileSystem) -> FileSystem:
    """The file system with its security groups, unless they are unknown."""
    groups = network.groups_of(found.interfaces)
    return found if groups is None else found.having(settings={**found.settings, "security_group_ids": groups})


def look(fsx: Api, file_system_id: str) -> FileSystem | None:
    """The file system; None if FSx answers that it does not exist."""
    about = f"file system {file_system_id}"
    try:
        found = fsx.call("DescribeFileSystems", about=about, FileSystemIds=[file_system_id])["FileSystems"]
    except AwsError as error:
        if error.code == NOT_FOUND:
            return None
        raise
    return FileSystem.from_api(found[0]) if found else None


def lustre_file_systems(fsx: Api) -> list[FileSystem]:
    """All file systems of FSx for Lustre in the Region, sorted by ID. FSx cannot search by tag."""
    listed = fsx.pages("DescribeFileSystems", "FileSystems", about="all file systems")
    found = [FileSystem.from_api(each) for each in listed if each.get("FileSystemType") == LUSTRE_TYPE]
    return sorted(found, key=lambda each: each.id)
