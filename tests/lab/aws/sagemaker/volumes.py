# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes and network interfaces of the account at nodes. EC2 shows the ARN of the node for a volume."""

from __future__ import annotations

import dataclasses
import datetime
import secrets
import threading
import typing as t

from moto.ec2.models import ec2_backends

from ..action import Refusal, action
from ..delays import pause
from .cluster import Cluster, now

Answer = dict[str, t.Any]
DEVICE = "/dev/sdf"


@dataclasses.dataclass
class Attachment:
    """An attachment with the attribute names that moto's replies use."""

    volume_id: str
    associated_resource: str
    state: str = "attaching"
    device: str = DEVICE
    instance_id: str | None = None
    attach_time: datetime.datetime = dataclasses.field(default_factory=now)

    @property
    def status(self) -> str:
        return self.state


@dataclasses.dataclass
class Holder:
    """A node with the interface of moto's instances."""

    id: str
    owner_id: str
    nics: tuple[int, ...] = (0, 1)

    def detach_eni(self, interface: t.Any) -> None:
        interface.instance = interface.attachment_id = interface.attach_time = interface.device_index = None
        interface.status = "available"


class Volumes:
    """The operations."""

    sagemaker_backend: t.Any

    @action
    def attach_cluster_node_volume(self, ClusterArn: str, NodeId: str, VolumeId: str) -> Answer:
        cluster, volume = self._found(ClusterArn, NodeId, VolumeId)
        if volume.attachment:
            raise Refusal("ValidationException", f"Volume {VolumeId} is not available")
        volume.attachment = Attachment(VolumeId, f"{cluster.arn}-{NodeId}")
        _afterwards(lambda: setattr(volume.attachment, "state", "attached"))
        return _answer(cluster, NodeId, volume)

    @action
    def detach_cluster_node_volume(self, ClusterArn: str, NodeId: str, VolumeId: str) -> Answer:
        cluster, volume = self._found(ClusterArn, NodeId, VolumeId)
        there = volume.attachment
        if not isinstance(there, Attachment) or there.state != "attached" or not there.associated_resource.endswith(f"-{NodeId}"):
            raise Refusal("ValidationException", f"Volume {VolumeId} is not attached to node {NodeId}")
        there.state = "detaching"
        answer = _answer(cluster, NodeId, volume)
        _afterwards(lambda: setattr(volume, "attachment", None))
        return answer

    @action
    def attach_cluster_node_network_interface(self, ClusterName: str, NodeId: str, NetworkInterfaceId: str) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        interfaces = ec2_backends[cluster.account][cluster.region].enis
        if NodeId not in cluster.nodes or NetworkInterfaceId not in interfaces:
            raise Refusal("ResourceNotFound", f"Node {NodeId} or interface {NetworkInterfaceId} not found")
        interface = interfaces[NetworkInterfaceId]
        if interface.attachment_id:
            raise Refusal("ValidationException", f"Interface {NetworkInterfaceId} is in use")
        interface.instance = Holder(NodeId, cluster.account)
        interface.attachment_id, interface.attach_time = f"eni-attach-{secrets.token_hex(9)[:17]}", now()
        interface.status, interface.device_index = "in-use", 1
        about = {"ClusterArn": cluster.arn, "NodeId": NodeId, "NetworkInterfaceId": NetworkInterfaceId}
        return {**about, "AttachmentId": interface.attachment_id}

    def _found(self, arn: str, node_id: str, volume_id: str) -> tuple[Cluster, t.Any]:
        cluster = self.sagemaker_backend.find(arn)
        if not cluster.eks_arn:
            raise Refusal("ValidationException", "Volumes are for clusters with EKS")
        volumes = ec2_backends[cluster.account][cluster.region].volumes
        if node_id not in cluster.nodes or volume_id not in volumes:
            raise Refusal("ResourceNotFound", f"Node {node_id} or volume {volume_id} not found")
        return cluster, volumes[volume_id]


def _afterwards(end: t.Callable[[], None]) -> None:
    def run() -> None:
        pause()
        end()

    threading.Thread(target=run, daemon=True).start()


def _answer(cluster: Cluster, node_id: str, volume: t.Any) -> Answer:
    there = volume.attachment
    about = {"ClusterArn": cluster.arn, "NodeId": node_id, "VolumeId": there.volume_id}
    return {**about, "AttachTime": there.attach_time, "Status": there.state, "DeviceName": there.device}
