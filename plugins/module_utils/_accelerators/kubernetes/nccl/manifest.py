# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Manifests of a test. docs/use/topology.md explains the settings of the Pods."""

from __future__ import annotations

import typing as t

from ...._kubernetes.client import Object
from ...._kubernetes.nodes.devices import EFA, GPU, HUGE_PAGES, Share
from ...._kubernetes.pod_runner.manifest import CONTROLLER_SECONDS, job as job_of
from ...._kubernetes.pod_runner.mark import Mark
from ...node.nccl.command import STEPS
from ...node.nccl.programs import POD, TORCH
from .model import TEST, Desired

CONTAINER = "nccl-test"
PORT = 29500
"""The port of the rendezvous of all processes, in the first Pod."""
MEMORY_GI, SHARED_GI = 8, 2
"""Main memory that a Pod requests for each GPU, and the part of it that may be used as shared memory, both in GiB."""
KEEPS_NODE = "karpenter.sh/do-not-disrupt"


def name(run: str) -> str:
    return f"nccl-{run}"


def job_name(run: str, number: int) -> str:
    return f"{name(run)}-{number}"


def job(run: str, desired: Desired, number: int, share: Share) -> Object:
    """The manifest of the Job that runs the test's Pod on one node."""
    pod = _pod(run, desired, number, share)
    return job_of(_metadata(job_name(run, number), run, desired), pod, seconds=desired.seconds, annotations={KEEPS_NODE: "true"})


def service(run: str, desired: Desired, owner: Object) -> Object:
    """The Service resolves the names of the Pods, even before they are ready. The first Job owns the Service."""
    first = {"apiVersion": "batch/v1", "kind": "Job", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {**_metadata(name(run), run, desired), "ownerReferences": [first]},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {TEST: run},
            "ports": [{"name": "meeting", "port": PORT}],
        },
    }


def _pod(run: str, desired: Desired, number: int, share: Share) -> Object:
    """The Pod can be scheduled only to this node, with all GPUs of the node. It stays pending while other Pods use these GPUs."""
    node = {"key": "metadata.name", "operator": "In", "values": [desired.nodes[number]]}
    terms = {"nodeSelectorTerms": [{"matchFields": [node]}]}
    resources = _resources(desired, share)
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
        "tolerations": [{"key": key, "operator": "Exists"} for key in (GPU, EFA)],
        "hostname": f"node-{number}",
        "subdomain": name(run),
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [
            {
                "name": CONTAINER,
                "image": desired.image,
                "imagePullPolicy": "IfNotPresent",
                "args": _arguments(desired, number),
                "env": [{"name": key, "value": value} for key, value in _environment(run, desired).items()],
                "resources": {"requests": {"cpu": str(desired.test.gpus), **resources}, "limits": resources},
                "volumeMounts": [{"name": "shared", "mountPath": "/dev/shm"}],
            }
        ],
        "volumes": [{"name": "shared", "emptyDir": {"medium": "Memory", "sizeLimit": f"{SHARED_GI * desired.test.gpus}Gi"}}],
    }


def _resources(desired: Desired, share: Share) -> dict[str, str]:
    return {
        GPU: str(desired.test.gpus),
        "memory": f"{MEMORY_GI * desired.test.gpus}Gi",
        **({EFA: str(share.efa)} if share.efa else {}),
        **({HUGE_PAGES: "5120Mi"} if share.huge_pages else {}),
    }


def _arguments(desired: Desired, number: int) -> list[str]:
    """The command, passed to the image's entry point, which sets up the driver's libraries in some images.

    Kubernetes replaces ``$$`` by ``$``.
    """
    test = desired.test
    numbers = (test.gpus, number, test.nodes, test.bytes // STEPS, test.bytes)
    return ["/bin/sh", "-c", POD.replace("$", "$$"), CONTAINER, *map(str, numbers), TORCH.replace("$", "$$")]


def _environment(run: str, desired: Desired) -> dict[str, str]:
    """The variables of the container.

    With ``NCCL_DEBUG``, NCCL's log proves what carried the data. ``MEETING_SECONDS`` is long, because nodes that have the image
    wait for nodes that pull it. AWS's images send usage data unless ``OPT_OUT_TRACKING`` is set.
    """
    return {
        "NCCL_DEBUG": "INFO",
        "NCCL_SOCKET_IFNAME": "^lo,docker,veth,eni,pod-id-link",
        "MASTER_ADDR": f"node-0.{name(run)}",
        "MASTER_PORT": str(PORT),
        "MEETING_SECONDS": str(desired.start_timeout + desired.test.timeout),
        "OPT_OUT_TRACKING": "true",
    }


def _metadata(called: str, run: str, desired: Desired) -> dict[str, t.Any]:
    return Mark(TEST, run).metadata(called, needed=desired.seconds + CONTROLLER_SECONDS)
