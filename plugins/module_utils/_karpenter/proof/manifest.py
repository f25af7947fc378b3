# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Pod of a proof: it is idle, fits on any node, and meets the Pod Security Standard restricted."""

from __future__ import annotations

import typing as t

from ..._kubernetes.nodes.labels import NODE_POOL, TYPE
from ..meta import MANAGED_BY, US
from ..model import NodePool
from .model import PROOF, Desired

UNPRIVILEGED = 65535
"""The UID of the user in the image pause. Other images need not define this user."""


def pod(desired: Desired, pool: NodePool, instance_type: str) -> dict[str, t.Any]:
    """The Pod's manifest. The Pod has a deadline, which the kubelet counts from the Pod's start."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": desired.pod_name,
            "namespace": desired.namespace,
            "labels": {MANAGED_BY: US, PROOF: desired.node_pool},
        },
        "spec": {
            "restartPolicy": "Never",
            "activeDeadlineSeconds": desired.up_seconds,
            "terminationGracePeriodSeconds": 1,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "nodeSelector": {NODE_POOL: desired.node_pool, TYPE: instance_type},
            "tolerations": [_toleration(each) for each in (*pool.taints, *pool.startup_taints)],
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": UNPRIVILEGED,
                "runAsGroup": UNPRIVILEGED,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "proof",
                    "image": desired.image,
                    "resources": {
                        "requests": {"cpu": "10m", "memory": "16Mi"},
                        "limits": {"cpu": "100m", "memory": "64Mi"},
                    },
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                }
            ],
        },
    }


def _toleration(taint: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Tolerates exactly this taint."""
    return {"key": taint["key"], "operator": "Equal", "value": taint.get("value", ""), "effect": taint["effect"]}
