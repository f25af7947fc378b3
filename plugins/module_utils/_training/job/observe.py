# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the nodes, the kinds of jobs and the claim that a cluster has."""

from __future__ import annotations

from ..._kubernetes.client import Kubernetes, Object
from ..._kubernetes.job_kinds import known_kind
from ..._kubernetes.namespace import BASELINE, check_own
from ..._kubernetes.nodes.devices import observe as observe_nodes
from ..._topology.job.cluster import Cluster
from .model import AUTO, KINDS, RUNTIME, TRAINING, Desired, State


def observe(kubernetes: Kubernetes, desired: Desired, *, others: bool = True) -> State:
    """
    :param others: whether nodes count as busy if they run Pods of other runs in the namespace. A run that will hold the Lease
        removes these Pods.
    :raises Refused: if the namespace must be ours and has another owner.
    :raises KubernetesError: if the API server refuses a read.
    """
    there = check_own(kubernetes, desired.namespace, BASELINE) if desired.owned else True
    path = f"/api/v1/namespaces/{desired.namespace}/persistentvolumeclaims/{desired.claim}"
    claim = kubernetes.find(path) if desired.claim else None

    def ignored(pod: Object) -> bool:
        metadata = pod["metadata"]
        return not others and metadata["namespace"] == desired.namespace and TRAINING in (metadata.get("labels") or {})

    return State(observe_nodes(kubernetes, ignored), tuple(_served(kubernetes, desired.kind)), claim, there)


def _served(kubernetes: Kubernetes, wanted: str) -> list[str]:
    """The kinds that the cluster has. Only objects that affect the choice of the kind are read."""
    cluster, of_trainer = Cluster(kubernetes), known_kind("TrainJob")
    kinds = [kind for kind in KINDS if cluster.kind_served(known_kind(kind))]
    if wanted not in (AUTO, of_trainer.name):
        return kinds
    runtime = f"/apis/{of_trainer.api_version}/clustertrainingruntimes/{RUNTIME}"
    if of_trainer.name in kinds and kubernetes.find(runtime) is None:
        kinds.remove(of_trainer.name)
    return kinds
