# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A volume and its node."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..._aws.statuses import Statuses
from ..model import Cluster

ATTACHED, DETACHING, AVAILABLE = "attached", "detaching", "available"
ATTACHMENT = Statuses(
    "ec2", "VolumeAttachmentState", settled=(ATTACHED, "detached"), busy=("attaching", DETACHING), failed=("busy",)
)
"""EC2's *busy*: the instance does not release the volume, possibly forever."""


@dataclass(frozen=True)
class Desired:
    cluster_arn: str
    node_id: str
    volume_id: str
    present: bool = True

    @property
    def resource(self) -> str:
        return f"volume {self.volume_id} on node {self.node_id}"


@dataclass(frozen=True)
class Attachment:
    """``holder``: ID of the instance, or the name of another holder."""

    holder: str
    status: str
    device: str = ""

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> Attachment:
        """EC2 names a HyperPod node by an ARN that ends with the IDs of its cluster and its instance."""
        resource = answer.get("AssociatedResource") or ""
        node = re.search(r":cluster/[a-z0-9]{12}-(i-[a-f0-9]+)$", resource)
        holder = node[1] if node else resource or answer.get("InstanceId") or "an unknown resource"
        return cls(holder, answer.get("State") or "", answer.get("Device") or "")


@dataclass(frozen=True)
class State:
    """``status`` and ``attachment`` are those of the volume. ``nodes``: the IDs of the cluster's nodes."""

    cluster: Cluster
    nodes: frozenset[str]
    status: str
    attachment: Attachment | None = None
