# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The DaemonSets of the device plugins. No I/O.

Their privileges follow the published manifests. NVIDIA's plugin reads the driver through the container runtime, and needs no
privileges. AWS's EFA plugin is privileged since its chart of September 2025, and uses the host's network.
"""

from __future__ import annotations

import hashlib
import json
import typing as t

from ..client import Object
from ..nodes.labels import AUTO, COMPUTE_TYPE, TYPE
from ..objects.model import MANAGED_BY, US, Declared
from .known import AWS_EFA, FOLDER, NVIDIA, Plugin
from .model import NAMESPACE, name_of

NAME = "app.kubernetes.io/name"
"""The label in the selector of the DaemonSet."""
SPECIFICATION = "mlfleet.hyperpod/specification"
"""The annotation of Pods with the hash of their template. Webhooks may change other fields of Pods, such as the image."""
SOCKETS, INFINIBAND = "device-plugins", "infiniband"
DEVICES = "/dev/infiniband"
CONTAINERS: dict[str, Object] = {
    NVIDIA.key: {"securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}},
    AWS_EFA.key: {
        "securityContext": {"allowPrivilegeEscalation": True, "privileged": True, "runAsNonRoot": False, "runAsUser": 0},
        "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}},
    },
}
PODS: dict[str, Object] = {NVIDIA.key: {}, AWS_EFA.key: {"hostNetwork": True}}
FOLDERS: dict[str, dict[str, str]] = {NVIDIA.key: {SOCKETS: FOLDER}, AWS_EFA.key: {SOCKETS: FOLDER, INFINIBAND: DEVICES}}
"""The folders of the node that are mounted at the same path, keyed by the name of the volume."""


def bare(plugin: Plugin) -> Declared:
    """The identity of our DaemonSet, without its specification."""
    labels = {NAME: name_of(plugin), MANAGED_BY: US}
    meta = {"name": name_of(plugin), "namespace": NAMESPACE, "labels": labels}
    return Declared({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": meta})


def daemon_set(plugin: Plugin, image: str, types: t.Sequence[str], tolerations: t.Sequence[Object]) -> Declared:
    mine, pod = {NAME: name_of(plugin)}, _pod(plugin, image, types, tolerations)
    digest = hashlib.sha256(json.dumps(pod, sort_keys=True).encode()).hexdigest()
    spec = {
        "selector": {"matchLabels": mine},
        "updateStrategy": {"type": "RollingUpdate"},
        "template": {"metadata": {"labels": mine, "annotations": {SPECIFICATION: digest[:16]}}, "spec": pod},
    }
    return Declared({**bare(plugin).definition, "spec": spec})


def _pod(plugin: Plugin, image: str, types: t.Sequence[str], tolerations: t.Sequence[Object]) -> Object:
    folders = FOLDERS[plugin.key]
    container = {
        "name": plugin.container,
        "image": image,
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in folders.items()],
        **CONTAINERS[plugin.key],
    }
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _nodes(types)}},
        "automountServiceAccountToken": False,
        "containers": [container],
        "priorityClassName": "system-node-critical",
        **({"tolerations": list(tolerations)} if tolerations else {}),  # the API server drops an empty list
        "volumes": [{"name": name, "hostPath": {"path": path}} for name, path in folders.items()],
        **PODS[plugin.key],
    }


def _nodes(types: t.Sequence[str]) -> Object:
    """Nodes of the types. Nodes of EKS Auto Mode have device plugins in their image."""
    expressions = [
        {"key": TYPE, "operator": "In", "values": list(types)},
        {"key": COMPUTE_TYPE, "operator": "NotIn", "values": [AUTO]},
    ]
    return {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
