# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a cluster. A failure consists of several events within a second; the newest 500 are kept.

Source: AWS's field notes, awslabs/awsome-distributed-ai, hyperpod-mental-model.md, "Event surfaces".
"""

from __future__ import annotations

import datetime
import typing as t
import uuid

from .cluster import Cluster, Node, now

KEPT = 500


def failed(cluster: Cluster, reason: str, *, group: str = "") -> None:
    """Record the failure of an operation; only the description of the event has the reason."""
    about = {"ResourceType": "InstanceGroup", "InstanceGroupName": group} if group else {"ResourceType": "Cluster"}
    _write(cluster, "Operation failed", {about["ResourceType"]: {"FailureMessage": reason}}, about)


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
