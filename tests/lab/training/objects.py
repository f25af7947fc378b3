# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and Services of a PyTorchJob, as the training operator makes them."""

from __future__ import annotations

import copy
import typing as t

from lab.kubernetes.api import Object

PREFIX = "training.kubeflow.org/"
OPERATOR = "pytorchjob-controller"
CONTAINER = "pytorch"
PORT, PORT_NAME = 23456, "pytorchjob-port"
MASTER, WORKER = "Master", "Worker"


def replicas(job: Object) -> dict[str, Object]:
    """Specifications by type, the master's first."""
    specs = job["spec"]["pytorchReplicaSpecs"]
    return {kind: specs[kind] for kind in (MASTER, WORKER) if kind in specs}


def count(replica: Object) -> int:
    return int(replica.get("replicas", 1))


def name(job: Object, kind: str, index: int) -> str:
    """Of a Pod, and of its Service."""
    return f"{job['metadata']['name']}-{kind.lower()}-{index}"


def labels(job: Object, kind: str, index: int) -> dict[str, str]:
    found = {"operator-name": OPERATOR, "job-name": job["metadata"]["name"], "replica-type": kind.lower(), "replica-index": str(index)}
    return {f"{PREFIX}{key}": value for key, value in {**found, **({"job-role": "master"} if kind == MASTER else {})}.items()}


def pod(job: Object, kind: str, index: int) -> Object:
    replica = replicas(job)[kind]
    template = copy.deepcopy(replica["template"])
    meta, spec = template.get("metadata") or {}, template["spec"]
    policy = replica.get("restartPolicy", "OnFailure")
    for container in spec["containers"]:
        if container["name"] == CONTAINER:
            container["env"] = [*(container.get("env") or []), *environment(job, kind, index)]
            container.setdefault("ports", [{"name": PORT_NAME, "containerPort": PORT}])
    return {
        "metadata": {
            **_owned(job, kind, index),
            "labels": {**(meta.get("labels") or {}), **labels(job, kind, index)},
            "annotations": meta.get("annotations") or {},
        },
        "spec": {**spec, "restartPolicy": "Never" if policy == "ExitCode" else policy},
    }


def service(job: Object, kind: str, index: int) -> Object:
    """Headless: it gives the Pod a name that other Pods can resolve."""
    ports = [{"name": PORT_NAME, "port": PORT, "targetPort": PORT}]
    spec = {"clusterIP": "None", "selector": labels(job, kind, index), "ports": ports}
    return {"metadata": {**_owned(job, kind, index), "labels": labels(job, kind, index)}, "spec": spec}


def environment(job: Object, kind: str, index: int) -> list[dict[str, str]]:
    """Variables that torchrun reads, and those that scripts read which start without it."""
    specs, elastic = replicas(job), job["spec"].get("elasticPolicy")
    total = sum(map(count, specs.values()))
    rank = index + (count(specs[MASTER]) if kind == WORKER and MASTER in specs else 0)
    processes = str((elastic or {}).get("nProcPerNode") or job["spec"].get("nprocPerNode", "auto"))
    found: dict[str, t.Any] = {"PYTHONUNBUFFERED": "1"}
    if MASTER in specs:
        world = total * (int(processes) if processes.isdigit() else 1)
        at = {"MASTER_ADDR": name(job, MASTER, 0), "MASTER_PORT": PORT}
        found |= {**at, **{f"PET_{key}": value for key, value in at.items()}, "WORLD_SIZE": world, "RANK": rank}
    found |= {"PET_NPROC_PER_NODE": processes, "PET_NODE_RANK": rank}
    found |= _elastic(job, elastic, total) if elastic else {"PET_NNODES": total}
    return [{"name": key, "value": str(value)} for key, value in found.items()]


def _elastic(job: Object, policy: Object, total: int) -> dict[str, t.Any]:
    endpoint = f"{policy.get('rdzvHost') or name(job, WORKER, 0)}:{policy.get('rdzvPort', PORT)}"
    found = {
        "PET_NNODES": f"{policy.get('minReplicas', total)}:{policy.get('maxReplicas', total)}",
        "PET_RDZV_BACKEND": policy.get("rdzvBackend", "c10d"),
        "PET_RDZV_ENDPOINT": endpoint,
        "PET_RDZV_ID": policy.get("rdzvId"),
        "PET_RDZV_CONF": ",".join(f"{each['key']}={each['value']}" for each in policy.get("rdzvConf") or []) or None,
        "PET_MAX_RESTARTS": policy.get("maxRestarts"),
        "PET_STANDALONE": policy.get("standalone"),
    }
    return {key: value for key, value in found.items() if value is not None}


def _owned(job: Object, kind: str, index: int) -> Object:
    meta = job["metadata"]
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": meta["name"], "uid": meta["uid"]}
    references = [{**owner, "controller": True, "blockOwnerDeletion": True}]
    return {"name": name(job, kind, index), "namespace": meta["namespace"], "ownerReferences": references}
