# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a volume from EC2, because SageMaker does not return volumes."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._core.waits import Waits
from ..api import HyperPod
from .model import ATTACHMENT, Attachment, Desired, State


class Observer:
    """Reads one volume, the cluster and the IDs of its nodes."""

    def __init__(self, api: HyperPod, ec2: Api, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.ec2 = ec2
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended."""
        return self.until(lambda state: state.attachment is None or not ATTACHMENT.is_busy(state.attachment.status))

    def look(self) -> State:
        cluster = self.api.require_cluster(self.desired.cluster_arn)
        volume = self.desired.volume_id
        (found,) = self.ec2.call("DescribeVolumes", about=f"volume {volume}", VolumeIds=[volume])["Volumes"]
        attachments = [Attachment.from_api(each) for each in found.get("Attachments") or ()]
        own = [each for each in attachments if each.holder == self.desired.node_id]
        nodes = frozenset(node.instance_id for node in self.api.nodes(cluster))
        return State(cluster, nodes, found["State"], next(iter([*own, *attachments]), None))

    def until(self, done: t.Callable[[State], bool]) -> State:
        """The state once ``done``, or immediately if the module does not wait."""
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, subject=self.desired.resource, state=_described)


def _described(state: State) -> str:
    return state.attachment.status if state.attachment else state.status
