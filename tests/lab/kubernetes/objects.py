# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of nodes and pods as objects without machines: three or four layers, every 50th node without labels, a quarter used.

No kubelet updates them: a control plane must have a ``grace`` period to keep them ready.
"""

from __future__ import annotations

from .api import Object

LAYER = "topology.k8s.aws/network-node-layer-"
TYPE, GPUS = "ml.p5.48xlarge", "8"
GRACE = "24h"
OF_LEAF, OF_SPINE, UNLABELLED = 16, 8, 50
"""Nodes of a leaf, leaves of a spine, and the interval of nodes without network labels."""
USED, NEARLY_FREE, FEWER_USED = 4, 5, 2
"""Used nodes of a leaf; the one leaf with fewer used nodes, and their number."""


def name(number: int) -> str:
    return f"hyperpod-i-{number:017x}"


def layers(number: int) -> list[str]:
    """Network nodes above a node; every other leaf has four layers."""
    if number % UNLABELLED == UNLABELLED - 1:
        return []
    leaf = number // OF_LEAF
    return ["nn-1", f"nn-2{leaf // OF_SPINE}", f"nn-3{leaf}", *([f"nn-4{leaf}"] if leaf % 2 else [])]


def job(number: int) -> str:
    """The job of a node: one for all leaves of a spine, on the first nodes of each; empty for free nodes."""
    leaf, place = divmod(number, OF_LEAF)
    used = FEWER_USED if leaf == NEARLY_FREE else USED
    return f"train-{leaf // OF_SPINE}" if place < used else ""


def node(number: int) -> Object:
    """A Node as registered by a kubelet that is ready at once."""
    labels = {f"{LAYER}{layer}": above for layer, above in enumerate(layers(number), 1)}
    resources = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": GPUS}
    conditions = [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}]
    return {
        "metadata": {"name": name(number), "labels": {**labels, "node.kubernetes.io/instance-type": TYPE}},
        "status": {"capacity": resources, "allocatable": resources, "conditions": conditions},
    }


def pod(number: int) -> Object:
    """A pod of the job on the node with all its GPUs; it is never started."""
    container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": GPUS}}}
    meta = {"name": f"{job(number)}-{number}", "namespace": "default", "labels": {"job-name": job(number)}}
    return {"metadata": meta, "spec": {"nodeName": name(number), "containers": [container]}}
