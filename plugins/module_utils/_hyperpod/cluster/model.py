# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the actual cluster, with settings under the names of the options."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..._core.settings import Table, Values
from .. import statuses
from .group_table import GROUP, RESTRICTED_GROUP

LISTS: tuple[tuple[str, str, Table], ...] = (
    ("instance_groups", "InstanceGroups", GROUP),
    ("restricted_instance_groups", "RestrictedInstanceGroups", RESTRICTED_GROUP),
)
"""The lists of groups, each with its option, its name in the API, and the table of a group's settings."""
AUTOSCALER = ("auto_scaling", "cluster_role")
"""Settings that AWS changes only in a separate call."""

Groups = t.Mapping[str, t.Mapping[str, Values]]
"""Settings of groups, keyed by option and by name of the group."""


@dataclass(frozen=True)
class Desired:
    """The desired cluster. Missing settings stay unchanged."""

    name: str
    present: bool = True
    cluster_arn: str | None = None
    settings: Values = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    purge_groups: bool = False
    tags: Tags | None = None
    purge_tags: bool = True

    @property
    def resource(self) -> str:
        return f"cluster {self.name}"


@dataclass(frozen=True)
class Progress:
    """The progress of a group: ``current`` nodes of ``target`` exist."""

    status: str
    current: int
    target: int
    operations: int = 0
    software_update: str = ""

    @property
    def settled(self) -> bool:
        if statuses.GROUP.is_busy(self.status) or self.status == statuses.FAILED:
            return False
        return self.current == self.target and not self.operations


@dataclass(frozen=True)
class Found:
    """The cluster as AWS describes it."""

    arn: str
    name: str
    status: str
    settings: Values
    groups: Groups
    tags: Tags = field(default_factory=dict)
    progress: t.Mapping[str, Progress] = field(default_factory=dict)
    """The progress of each group, keyed by group name."""
    failure: str = ""
    autoscaler_status: str = ""
    autoscaler_failure: str = ""
    dropped: tuple[str, ...] = ()
    """Fields of groups that the installed botocore drops from answers and requests, as paths of the API."""

    @property
    def settled(self) -> bool:
        """Whether all changes have ended. InService alone is not enough: with continuous provisioning, groups grow afterwards."""
        scaler = not statuses.AUTOSCALER.is_busy(self.autoscaler_status) and self.autoscaler_status != statuses.FAILED
        return self.status == statuses.IN_SERVICE and scaler and all(each.settled for each in self.progress.values())

    @property
    def exchanges_nodes(self) -> bool:
        """Whether MoveClusterNodes can move nodes between the groups."""
        return "eks" in self.settings.get("orchestrator", {}) and self.settings.get("node_provisioning_mode") == "Continuous"

    @property
    def broken(self) -> tuple[str, ...]:
        """Descriptions of all failures. Failures in a cluster that is being deleted don't count."""
        if self.status == statuses.DELETING:
            return ()
        failed = statuses.FAILED
        own = (self.failure or "DescribeCluster returns no reason",) if self.status == failed else ()
        scaler = (self.autoscaler_failure or f"its autoscaler is {failed}",) if self.autoscaler_status == failed else ()
        return (*own, *scaler, *(f"group {name} is {failed}" for name, each in self.progress.items() if each.status == failed))

    @property
    def described(self) -> str:
        """The progress of a wait, as one line."""
        busy = [
            f"{name} {each.current}/{each.target} {each.status}" for name, each in self.progress.items() if not each.settled
        ]
        scaler = f"autoscaler {self.autoscaler_status}" if statuses.AUTOSCALER.is_busy(self.autoscaler_status) else ""
        return ", ".join(filter(None, (self.status, scaler, *busy)))


@dataclass(frozen=True)
class State:
    cluster: Found | None = None
    blockers: tuple[str, ...] = ()
    """Resources that must be deleted before the cluster."""
    nodes: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The node IDs of a cluster that will be deleted, keyed by group name."""
    moving: tuple[str, ...] = ()
    """IDs of nodes that MoveClusterNodes is moving. Only read before a change of groups."""

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the cluster are replaced."""
        return dataclasses.replace(self, cluster=dataclasses.replace(self.cluster, **values)) if self.cluster else self


def whole(settings: Values, groups: Groups) -> dict[str, t.Any]:
    """A definition as one value: the settings, and the groups in lists."""
    return {**settings, **{option: [*groups.get(option, {}).values()] for option, _api, _table in LISTS if groups.get(option)}}
