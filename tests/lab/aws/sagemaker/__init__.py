# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SageMaker HyperPod: clusters whose nodes are hosts of the lab, and nodes of its Kubernetes for clusters with EKS."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud
    from .cluster import Cluster, Node


def install(_cloud: Cloud) -> None:
    """Replace moto's backend; its inherited operations still work."""
    from moto.sagemaker.models import sagemaker_backends

    from .models import HyperPodBackend

    sagemaker_backends.backend = HyperPodBackend


def clusters() -> list[Cluster]:
    """Every cluster of every account and region."""
    from moto.sagemaker.models import sagemaker_backends

    backends = [backend for account in list(sagemaker_backends.values()) for backend in list(account.values())]
    return [cluster for backend in backends for cluster in list(getattr(backend, "hyperpod", {}).values())]


def every_node() -> list[dict[str, t.Any]]:
    """Every node of every cluster, with fields that the API splits over several calls."""
    return [_row(cluster, node) for cluster in clusters() for node in list(cluster.nodes.values())]


def _row(cluster: Cluster, node: Node) -> dict[str, t.Any]:
    return {
        "account": cluster.account,
        "region": cluster.region,
        "cluster": cluster.name,
        "cluster_id": cluster.id,
        "cluster_arn": cluster.arn,
        "cluster_status": cluster.shown_status,
        "eks_arn": cluster.eks_arn,
        "group": node.group,
        "node_type": cluster.node_type(node.group),
        "instance_id": node.instance_id,
        "instance_type": node.instance_type,
        "status": node.status,
        "message": node.message,
        "ip": node.address.ip if node.address else None,
        "subnet": node.address.subnet if node.address else None,
        "vpc": node.address.vpc if node.address else None,
        "eni": node.address.eni if node.address else None,
        "launch_time": node.launch_time.isoformat(),
        "last_software_update_time": node.updated.isoformat() if node.updated else "",
        "ssm_target": f"sagemaker-cluster:{cluster.id}_{node.group}-{node.instance_id}",
    }
