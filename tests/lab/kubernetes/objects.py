# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of nodes and pods as objects without machines: layers three and four deep, every 50th node without labels, a quarter used.

No kubelet tells anything of them later: a control plane that is to keep them ready takes a ``grace``.
"""

from __future__ import annotations

from .api import Object

LAYER = "topology.k8s.aws/network-node-layer-"
TYPE, GPUS = "ml.p5.48xlarge", "8"
GRACE = "24h"
OF_LEAF, OF_SPINE, UNTOLD = 16, 8, 50
"""Nodes of a last network node, leaves of a spine; every so-many'th node has no labels of the network."""
USED, NEARLY_FREE, USED_THERE = 4, 5, 2
"""Nodes of a leaf that a job is on; the one leaf with fewer of them, and how many it has."""


def name(number: int) -> str:
    return f"hyperpod-i-{number:017x}"


def layers(number: int) -> list[str]:
    """Every other leaf is of a type with four layers."""
    if number % UNTOLD == UNTOLD - 1:
        return []
    leaf = number // OF_LEAF
    return ["nn-1", f"nn-2{leaf // OF_SPINE}", f"nn-3{leaf}", *([f"nn-4{leaf}"] if leaf % 2 else [])]


def job(number: int) -> str:
    """On the first nodes of each leaf, one job for all leaves of a spine; empty where none is."""
    leaf, place = divmod(number, OF_LEAF)
    used = USED_THERE if leaf == NEARLY_FREE else USED
    return f"train-{leaf // OF_SPINE}" if place < used else ""


def node(number: int) -> Object:
    """As a kubelet registers it that is ready at once."""
    labels = {f"{LAYER}{layer}": above for layer, above in enumerate(layers(number), 1)}
    resources = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": GPUS}
    conditions = [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}]
    return {
        "metadata": {"name": name(number), "labels": {**labels, "node.kubernetes.io/instance-type": TYPE}},
        "status": {"capacity": resources, "allocatable": resources, "conditions": conditions},
    }


def pod(number: int) -> Object:
    """Of the job on the node, with all of its GPUs; nothing starts it."""
    container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": GPUS}}}
    meta = {"name": f"{job(number)}-{number}", "namespace": "default", "labels": {"job-name": job(number)}}
    return {"metadata": meta, "spec": {"nodeName": name(number), "containers": [container]}}
