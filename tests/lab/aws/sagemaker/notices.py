# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's events in EventBridge: state changes of clusters, events of clusters with continuous provisioning, the health of nodes.

Their forms are those of SageMaker's Developer Guide, automating-sagemaker-with-eventbridge and
sagemaker-hyperpod-cluster-events-reference. On AWS, EventMetadata had all its keys with null.
"""

from __future__ import annotations

import datetime
import typing as t

from .. import cloud, events as eventbridge
from .cluster import Cluster, Node

SOURCE = "aws.sagemaker"
METADATA = ("Cluster", "Instance", "InstanceGroup", "InstanceGroupScaling", "InstanceMonitor", "InstanceHealth")
OF_STATE = ("ClusterArn", "ClusterName", "ClusterStatus", "CreationTime", "InstanceGroups", "RestrictedInstanceGroups", "Orchestrator", "VpcConfig")
COUNTS = ("InstanceGroupName", "Status", "CurrentCount", "TargetCount")
HEALTHY, UNHEALTHY = "Healthy", "Unhealthy"
RECOMMENDATIONS = {"None": "Please Replace the Faulty Node.", "Replace": "No action required.", "Reboot": "No action required."}


def state(cluster: Cluster) -> None:
    """Send the state of a cluster if its status, or the status or a count of a group differs from the last state sent."""
    with cluster.noticing:
        described = cluster.described()
        groups = [*described["InstanceGroups"], *described.get("RestrictedInstanceGroups", ())]
        current = (described["ClusterStatus"], [[group[name] for name in COUNTS] for group in groups])
        if current == cluster.noticed:
            return
        cluster.noticed = current
        detail = {name: described[name] for name in OF_STATE if name in described}
        recovery = cluster.request.get("NodeRecovery", "Automatic")
        _put(cluster, "State Change", {**detail, "FailureMessage": cluster.failure, "NodeRecovery": recovery})


def event(cluster: Cluster, written: t.Mapping[str, t.Any]) -> None:
    """Send an event as ListClusterEvents returns it, which exists only with continuous provisioning."""
    if cluster.continuous:
        details = {"EventDetails": {"EventMetadata": dict.fromkeys(METADATA)}}
        _put(cluster, "Event", {"EventDetails": {**written, **details}})


def health(cluster: Cluster, node: Node, status: str, action: str = "None", reason: str = "") -> None:
    """Send the health of a node.

    :param action: how HyperPod repairs the node: ``None``, ``Replace`` or ``Reboot``.
    """
    if not cloud.current().settings["node_health_events"]:
        return
    recommendation = RECOMMENDATIONS[action] if status == UNHEALTHY else "No action required."
    summary = {"HealthStatus": status, "HealthStatusReason": reason, "RepairAction": action, "Recommendation": recommendation}
    about = {"ClusterName": cluster.name, "ClusterArn": cluster.arn, "InstanceId": node.instance_id}
    _put(cluster, "Node Health Event", {**about, "Tags": {}, "HealthSummary": summary})


def _put(cluster: Cluster, kind: str, detail: dict[str, t.Any]) -> None:
    eventbridge.put(f"SageMaker HyperPod Cluster {kind}", SOURCE, cluster.account, cluster.region, [cluster.arn], _plain(detail))


def _plain(value: t.Any) -> t.Any:
    """The value with times in milliseconds."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return int(value.timestamp() * 1000) if isinstance(value, datetime.datetime) else value
