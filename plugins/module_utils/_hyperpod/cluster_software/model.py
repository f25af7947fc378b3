# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the actual software of instance groups."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._core.settings import Setting, Values
from .. import statuses
from ..cluster.parts import DEPLOYMENT
from ..model import Cluster

TABLE: tuple[Setting, ...] = (DEPLOYMENT,)


@dataclass(frozen=True)
class Desired:
    """``versions``: image releases, keyed by group; empty for the newest release. ``image_id`` applies to all groups."""

    cluster_arn: str
    versions: t.Mapping[str, str]
    image_id: str | None = None
    deployment: Values = field(default_factory=dict)
    force: bool = False


@dataclass(frozen=True)
class Software:
    """A group's software and the status of its last update, in AWS's terms; empty if AWS returns none."""

    name: str
    release: str = ""
    image_id: str = ""
    version_status: str = ""
    update_status: str = ""
    group_status: str = ""

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> Software:
        return cls(
            name=answer["InstanceGroupName"],
            release=answer.get("CurrentImageReleaseVersion", ""),
            image_id=answer.get("CurrentImageId", ""),
            version_status=answer.get("ImageVersionStatus", ""),
            update_status=answer.get("SoftwareUpdateStatus", ""),
            group_status=answer.get("Status", ""),
        )

    @property
    def under_way(self) -> bool:
        return statuses.SOFTWARE_UPDATE.is_busy(self.update_status) or self.group_status == statuses.UPDATING_SOFTWARE


@dataclass(frozen=True)
class NodeSoftware:
    """A node's software, in AWS's terms; empty if AWS returns none."""

    instance_id: str
    group: str
    release: str = ""
    version_status: str = ""

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> NodeSoftware:
        return cls(
            instance_id=answer["InstanceId"],
            group=answer["InstanceGroupName"],
            release=answer.get("CurrentImageReleaseVersion", ""),
            version_status=answer.get("ImageVersionStatus", ""),
        )


@dataclass(frozen=True)
class State:
    """A cluster and the software of its groups, keyed by name. With EKS, also of its nodes, as an update skips protected nodes."""

    cluster: Cluster
    groups: t.Mapping[str, Software]
    nodes: tuple[NodeSoftware, ...] = ()

    def behind(self, group: str, version: str) -> list[str]:
        """IDs of a group's nodes that do not run ``version``; if ``version`` is empty, that do not run the newest version."""
        return [node.instance_id for node in self.nodes if node.group == group and _is_behind(node, version)]


def _is_behind(node: NodeSoftware, version: str) -> bool:
    """Whether the node does not run ``version``. False if AWS does not return the node's software."""
    if version:
        return node.release not in ("", version)
    return node.version_status not in ("", *statuses.IMAGE_VERSION.settled)
