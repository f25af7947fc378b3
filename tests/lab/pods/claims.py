# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims of volumes for Pods: of one folder that all nodes share, or of a separate folder on each node."""

from __future__ import annotations

import time

from lab.kubernetes.api import Api, Object
from lab.names import LabError

from .node import SHARED

SEPARATE = "var/lib/separate"
SECONDS = 30


def claim(api: Api, namespace: str, name: str, *, shared: bool, size: str = "100Gi") -> None:
    """Create a volume and a claim that is bound to it. Both are ReadWriteMany, even if the folder is not shared.

    :raises LabError: if the claim is not bound in time.
    """
    api.create("/api/v1/persistentvolumes", volume(namespace, name, shared=shared, size=size))
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": f"{namespace}-{name}"}
    api.create(claims, {"metadata": {"name": name}, "spec": {**spec, "resources": {"requests": {"storage": size}}}})
    deadline = time.monotonic() + SECONDS
    while api.get(f"{claims}/{name}")["status"].get("phase") != "Bound":
        if time.monotonic() > deadline:
            raise LabError(f"claim {namespace}/{name} is not bound after {SECONDS} s")
        time.sleep(0.1)


def volume(namespace: str, name: str, *, shared: bool, size: str) -> Object:
    path = f"/{SHARED if shared else SEPARATE}/{namespace}-{name}"
    return {
        "metadata": {"name": f"{namespace}-{name}"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "capacity": {"storage": size},
            "claimRef": {"namespace": namespace, "name": name},
            "hostPath": {"path": path, "type": "DirectoryOrCreate"},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
        },
    }
