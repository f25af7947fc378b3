# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod writes down about a cluster. A failure is two events within a second, and the newest 500 are kept.

Source: AWS's field notes, awslabs/awsome-distributed-ai, hyperpod-mental-model.md, "Event surfaces".
"""

from __future__ import annotations

import datetime
import typing as t
import uuid

from .cluster import Cluster, Node, now

KEPT = 500


def failed(cluster: Cluster, why: str, *, group: str = "") -> None:
    """Write down that an operation failed; the listing alone does not say why."""
    about = {"ResourceType": "InstanceGroup", "InstanceGroupName": group} if group else {"ResourceType": "Cluster"}
    _write(cluster, "Operation failed", {"FailureMessage": why}, about)


def not_launched(cluster: Cluster, node: Node, why: str) -> None:
    """Write down that an instance, which has no id, could not be launched: only the older one of two events has the reason."""
    about = {"ResourceType": "Instance", "InstanceGroupName": node.group}
    where, named = f"in Cluster {cluster.name} and InstanceGroup {node.group}", {"NodeLogicalId": node.logical_id}
    _write(cluster, f"Failed to provision EC2 Instance {where}", {"FailureMessage": why, **named}, about)
    _write(cluster, f"Instance creation {where} failed", named, about, later=datetime.timedelta(milliseconds=700))


def _write(
    cluster: Cluster,
    description: str,
    metadata: dict[str, t.Any],
    about: dict[str, str],
    *,
    later: datetime.timedelta = datetime.timedelta(),
) -> None:
    written = {"EventId": str(uuid.uuid4()), "EventTime": now() + later}
    event = {"ClusterArn": cluster.arn, "ClusterName": cluster.name, **written, **about}
    details = {"EventMetadata": {about["ResourceType"]: metadata}}
    cluster.events.append({**event, "EventLevel": "Error", "Description": description, "EventDetails": details})
    del cluster.events[:-KEPT]
