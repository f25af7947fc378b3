# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's automatic recovery: the health monitoring agent reports a node, and HyperPod repairs it without a call of the API.

Developer Guide, sagemaker-hyperpod-resiliency-slurm-cluster-health-check and sagemaker-hyperpod-eks-resiliency-health-monitoring-agent.
"""

from __future__ import annotations

import typing as t

from . import clusters, notices, work
from .cluster import Cluster, Node

REPAIRS: dict[str, tuple[str, t.Callable[[Cluster, list[Node]], None]]] = {
    "Replace": ("ShuttingDown", work.replace),
    "Reboot": ("Pending", work.reboot),
}


def report(instance_id: str, status: str = notices.UNHEALTHY, action: str = "None", reason: str = "") -> None:
    """Report the health of a node; ``action`` repairs it if the cluster's NodeRecovery is Automatic.

    :raises ValueError: for an unknown instance or action.
    """
    cluster = next((each for each in clusters() if instance_id in each.nodes), None)
    if cluster is None or action not in ("None", *REPAIRS):
        raise ValueError(f"no node {instance_id}, or unknown action {action}; known: None, {', '.join(REPAIRS)}")
    node = cluster.nodes[instance_id]
    repaired = cluster.request.get("NodeRecovery", "Automatic") == "Automatic" and action != "None"
    notices.health(cluster, node, status, action if repaired else "None", reason)
    if repaired:
        node.status, repair = REPAIRS[action]
        work.start(_repair, cluster, node, repair)


def _repair(cluster: Cluster, node: Node, repair: t.Callable[[Cluster, list[Node]], None]) -> None:
    repair(cluster, [node])
    if node.instance_id in cluster.nodes and node.status == "Running":
        notices.health(cluster, node, notices.HEALTHY, reason="The node passed the health checks after its repair.")
