# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a cluster, which are also sent to EventBridge. A failure consists of several events within a second; the newest 500 are kept.

Sources: AWS's field notes, awslabs/awsome-distributed-ai, hyperpod-mental-model.md, "Event surfaces", and the Developer Guide,
sagemaker-hyperpod-cluster-events-reference.
"""

from __future__ import annotations

import datetime
import typing as t
import uuid

from . import notices
from .cluster import Cluster, Node, now

KEPT = 500


def failed(cluster: Cluster, reason: str, *, group: str = "") -> None:
    """Record the failure of an operation; only the description of the event has the reason."""
    about = {"ResourceType": "InstanceGroup", "InstanceGroupName": group} if group else {"ResourceType": "Cluster"}
    _write(cluster, "Operation failed", {about["ResourceType"]: {"FailureMessage": reason}}, about)
    where = f"Instance Group {group} operation in Cluster {cluster.name}" if group else f"Cluster {cluster.name} operation"
    _write(cluster, f"{where} failed", {about["ResourceType"]: {}}, about, later=0.7)


def not_launched(cluster: Cluster, node: Node, reason: str) -> None:
    """Record that an instance, which has no ID, could not be launched.

    Only the oldest of three events has the reason. The newest is for the scaling step, with a generic message.
    """
    of_group = {"InstanceGroupName": node.group}
    of_instance = {"ResourceType": "Instance", **of_group}
    where, named = f"in Cluster {cluster.name} and InstanceGroup {node.group}", {"NodeLogicalId": node.logical_id}
    _write(cluster, f"Failed to provision EC2 Instance {where}", {"Instance": {"FailureMessage": reason, **named}}, of_instance)
    _write(cluster, f"Instance creation {where} failed", {"Instance": named}, of_instance, later=0.7)
    step = {"InstanceGroupScaling": {"FailureMessage": "Request to service failed"}}
    _write(cluster, f"Scaling {where}", step, {"ResourceType": "InstanceGroup", **of_group}, level="Warn", later=0.9)


def of_node(cluster: Cluster, node: Node, text: str) -> None:
    """Record the progress of an instance. ``{id}`` and ``{where}`` in the text are the instance and its group."""
    where = f"in Cluster {cluster.name} and IG {node.group}"
    about = {"ResourceType": "Instance", "InstanceGroupName": node.group, "InstanceId": node.instance_id}
    _write(cluster, text.format(id=node.instance_id, where=where), {"Instance": {}}, about, level="Info")


def _write(
    cluster: Cluster,
    description: str,
    metadata: dict[str, t.Any],
    about: dict[str, str],
    *,
    level: str = "Error",
    later: float = 0.0,
) -> None:
    """:param later: seconds from now."""
    written = {"EventId": str(uuid.uuid4()), "EventTime": now() + datetime.timedelta(seconds=later)}
    event = {"ClusterArn": cluster.arn, "ClusterName": cluster.name, **written, **about}
    details = {"EventMetadata": metadata}
    cluster.events.append({**event, "EventLevel": level, "Description": description, "EventDetails": details})
    del cluster.events[:-KEPT]
    notices.event(cluster, {**event, "EventLevel": level, "Description": description})
