# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a network interface from EC2, because SageMaker does not return interfaces."""

from __future__ import annotations

from ..._aws.client import Api
from ..api import HyperPod
from .model import Desired, State


class Observer:
    """Reads one interface, and the IDs of the cluster's nodes."""

    def __init__(self, api: HyperPod, ec2: Api, desired: Desired) -> None:
        self.api = api
        self.ec2 = ec2
        self.desired = desired

    def __call__(self) -> State:
        cluster = self.api.require_cluster(self.desired.cluster_arn)
        ids = [self.desired.interface_id]
        answer = self.ec2.call("DescribeNetworkInterfaces", about=self.desired.resource, NetworkInterfaceIds=ids)
        (found,) = answer["NetworkInterfaces"]
        attachment = found.get("Attachment") or {}
        return State(
            cluster=cluster.name,
            nodes=frozenset(node.instance_id for node in self.api.nodes(cluster)),
            status=found["Status"],
            holder=attachment.get("InstanceId") or "",
            attachment_id=attachment.get("AttachmentId") or "",
        )
