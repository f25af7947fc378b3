# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The objects of a training job: one description, rendered for each kind. No I/O.

Sources: the custom resource definitions of Kubeflow's training operator 1.9, Kubeflow Trainer 2.3 and SageMaker HyperPod's training
operator 1.1, and the Kubernetes reference of Job.
"""

from __future__ import annotations

import typing as t

from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import NODE, OURS, Kind
from ..._kubernetes.nodes.devices import EFA, GPU, HUGE_PAGES, Share
from ..._kubernetes.pod_runner.manifest import CONTROLLER_SECONDS, KEPT_SECONDS
from ..._kubernetes.pod_runner.mark import Mark
from ..._topology.job.render import render
from ..model import RENDEZVOUS_PORT as PORT
from . import token
from .model import CONTAINER, LAUNCHERS, RESTARTS, RUNTIME, TRAINING, Desired

FILE, PROGRAM = "train.py", "/mlfleet"
"""The name of the program, and its folder in the container."""
CHECKPOINTS = "/checkpoints"
"""The folder in the container where the claim is mounted."""
FOLDER = "mlfleet-training"
"""The folder of checkpoints in the claim."""
MEMORY_MI = 16 * 1024
"""MiB of main memory for each GPU; less if the nodes have less. Half of a Pod's memory may be /dev/shm."""
RESTARTS_PER_POD = 2
"""The restarts per Pod that the operator allows: one is planned, and one lets this module report an unplanned restart."""
TOLERATED = (GPU, EFA)
"""The keys of the taints that the Pods tolerate."""
KEEPS_NODE = "karpenter.sh/do-not-disrupt"


def name(run: str) -> str:
    return f"training-{run}"


def rendezvous(run: str) -> str:
    """The name of the Pod that all launchers of a PyTorchJob connect to."""
    return f"{name(run)}-worker-0"


def program(run: str, desired: Desired) -> Object:
    """The ConfigMap with the program; without data if the program is in the image."""
    data = {FILE: desired.program.source} if desired.program.source else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(run, desired), "data": data}


def secret(run: str, desired: Desired, owner: Object) -> Object:
    """The Secret with the token.

    :param owner: the ConfigMap as the API server returned it. Kubernetes deletes the Secret with the ConfigMap. A later run can
        therefore remove the Secret of a killed run without the permission to list Secrets.
    """
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": name(run), "uid": owner["metadata"]["uid"]}
    metadata = {**_metadata(run, desired), "ownerReferences": [reference]}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {token.FILE: desired.token}}


def service(run: str, desired: Desired) -> Object:
    """The Service that gives the Pods of a Job DNS names. Operators create their own Services."""
    spec = {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {TRAINING: run},
        "ports": [{"name": "rendezvous", "port": PORT}],
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(run, desired), "spec": spec}


def job(run: str, desired: Desired, kind: Kind, share: Share) -> Object:
    """:raises Refused: if the kind does not support the queue's options."""
    metadata = _metadata(run, desired)
    spec = _SPECS[kind.name](run, desired, share)
    made = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": spec}
    if not desired.queue.name:
        return made
    queue, priority, wish = desired.queue.name, desired.queue.priority or None, desired.queue.wish
    rendered = render(
        made, source="kind", namespace=desired.namespace, queue=queue, priority=priority, wish=wish, sent=True
    )
    return rendered.manifest


def _pytorch_job(run: str, desired: Desired, share: Share) -> Object:
    count = len(desired.nodes)
    replaced = desired.program.replace_pod
    template = _template(run, desired, "PyTorchJob", share, _launched(desired, "PyTorchJob"), restart="")
    return {
        "nprocPerNode": str(desired.gpus),
        "runPolicy": {**_policy(desired), **({"backoffLimit": RESTARTS_PER_POD * count} if replaced else {})},
        # No metrics: the operator would create a HorizontalPodAutoscaler.
        "elasticPolicy": {
            "rdzvBackend": "c10d",
            "rdzvPort": PORT,
            "rdzvId": run,
            "rdzvConf": [{"key": key, "value": str(value)} for key, value in _patience(desired).items()],
            "minReplicas": count,
            "maxReplicas": count,
            "maxRestarts": _restarts(desired),
        },
        "pytorchReplicaSpecs": {
            "Worker": {"replicas": count, "restartPolicy": "OnFailure" if replaced else "Never", "template": template}
        },
    }


def _hyperpod_job(run: str, desired: Desired, share: Share) -> Object:
    count = len(desired.nodes)
    arguments = _launched(desired, "HyperPodPyTorchJob", *_numbers(desired))
    template = _template(run, desired, "HyperPodPyTorchJob", share, arguments, restart="")
    policy = {name: value for name, value in _policy(desired).items() if name != "backoffLimit"}
    return {
        "nprocPerNode": str(desired.gpus),
        "runPolicy": {**policy, "jobMaxRetryCount": 0},
        "replicaSpecs": [{"name": "worker", "replicas": count, "template": template}],
    }


def _train_job(run: str, desired: Desired, share: Share) -> Object:
    """The kind has no restartPolicy, backoffLimit or failurePolicy, so those of the runtime apply. A restart ends the wait."""
    container = _container(desired, "TrainJob", share, _launched(desired, "TrainJob"))
    patch = {**_pod(run, desired, share), "containers": [{"name": NODE, "volumeMounts": container["volumeMounts"]}]}
    body = {"metadata": _pod_metadata(run), "spec": patch}
    jobs = [{"name": NODE, "template": {"spec": {"template": body}}}]
    return {
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": RUNTIME},
        "activeDeadlineSeconds": desired.seconds + CONTROLLER_SECONDS,
        "trainer": {
            **{name: container[name] for name in ("image", "args", "env")},
            "numNodes": len(desired.nodes),
            "numProcPerNode": desired.gpus,
            "resourcesPerNode": container["resources"],
        },
        "runtimePatches": [{"manager": OURS, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}],
    }


def _indexed_job(run: str, desired: Desired, share: Share) -> Object:
    count = len(desired.nodes)
    patience = ",".join(f"{key}={value}" for key, value in _patience(desired).items())
    meeting = (f"--rdzv-endpoint={name(run)}-0.{name(run)}:{PORT}", f"--rdzv-conf={patience}", f"--rdzv-id={run}")
    arguments = _launched(desired, "Job", *_numbers(desired), "--rdzv-backend=c10d", *meeting)
    return {
        "completionMode": "Indexed",
        "completions": count,
        "parallelism": count,
        "backoffLimit": 0,
        "activeDeadlineSeconds": desired.seconds + CONTROLLER_SECONDS,
        "ttlSecondsAfterFinished": KEPT_SECONDS,
        "template": _template(run, desired, "Job", share, arguments, restart="Never", subdomain=name(run)),
    }


_SPECS: dict[str, t.Callable[[str, Desired, Share], Object]] = {
    "PyTorchJob": _pytorch_job,
    "HyperPodPyTorchJob": _hyperpod_job,
    "TrainJob": _train_job,
    "Job": _indexed_job,
}


def _policy(desired: Desired) -> Object:
    return {
        "cleanPodPolicy": "None",
        "backoffLimit": 0,
        "activeDeadlineSeconds": desired.seconds + CONTROLLER_SECONDS,
        "ttlSecondsAfterFinished": KEPT_SECONDS,
    }


def _numbers(desired: Desired) -> tuple[str, ...]:
    return f"--nnodes={len(desired.nodes)}", f"--nproc-per-node={desired.gpus}", f"--max-restarts={_restarts(desired)}"


def _patience(desired: Desired) -> dict[str, int]:
    """Seconds to wait for other launchers, whose nodes may pull the image. A launcher connects twice with ``read_timeout``."""
    return {"join_timeout": desired.start_timeout + 60, "read_timeout": max(60, desired.start_timeout // 2)}


def _restarts(desired: Desired) -> int:
    """The restarts that the launcher may make: 0 unless a process is killed, because a restart would hide a failure."""
    return RESTARTS if desired.program.kill else 0


def _launched(desired: Desired, kind: str, *arguments: str) -> list[str]:
    """The arguments of the image's entry point, which prepares the driver's libraries in some images."""
    program = desired.program
    given = (
        f"--steps={program.steps}",
        f"--checkpoint-every={program.saved_every if desired.claim else 0}",
        f"--directory={CHECKPOINTS}/{program.checkpoint or 'none'}",
        *(["--resume"] if program.resume_from or program.interrupted else []),
        f"--deadline={desired.timeout}",
        *([f"--kill-at={program.interrupt_at}"] if program.kill else []),
        *([f"--hold-at={program.interrupt_at}"] if program.replace_pod else []),
        *(["--remove"] if program.remove else []),
    )
    own = (each.replace("$", "$$") for each in program.arguments)
    return [LAUNCHERS.get(kind, "torchrun"), *arguments, *([f"{PROGRAM}/{FILE}", *given] if program.source else []), *own]


def _template(
    run: str, desired: Desired, kind: str, share: Share, arguments: list[str], *, restart: str, subdomain: str = ""
) -> Object:
    """:param restart: the restartPolicy; empty if the operator sets it."""
    spec = {
        **({"restartPolicy": restart} if restart else {}),
        **({"subdomain": subdomain} if subdomain else {}),
        "terminationGracePeriodSeconds": 10, "automountServiceAccountToken": False, "enableServiceLinks": False,
        **_pod(run, desired, share),
        "containers": [_container(desired, kind, share, arguments)],
    }
    return {"metadata": _pod_metadata(run), "spec": spec}


def _memory(desired: Desired, share: Share) -> int:
    """The memory of a Pod, in MiB."""
    wanted = MEMORY_MI * desired.gpus
    return min(wanted, share.memory // 2**20) if share.memory else wanted


def _pod(run: str, desired: Desired, share: Share) -> Object:
    """The nodes and the volumes of the Pods. Each Pod runs on its own node."""
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]} for node in desired.nodes]
    apart = {"labelSelector": {"matchLabels": {TRAINING: run}}, "topologyKey": "kubernetes.io/hostname"}
    shared = {"medium": "Memory", "sizeLimit": f"{_memory(desired, share) // 2}Mi"}
    claim: Object = {"persistentVolumeClaim": {"claimName": desired.claim}} if desired.claim else {"emptyDir": {}}
    secrets = [{"name": each} for each in desired.pull_secrets]
    return {
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}},
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
        },
        "tolerations": [{"key": key, "operator": "Exists"} for key in TOLERATED],
        **({"imagePullSecrets": secrets} if secrets else {}),
        "volumes": [
            {"name": "program", "configMap": {"name": name(run)}},
            {"name": "shared", "emptyDir": shared},
            {"name": "checkpoints", **claim},
            *([{"name": "token", "secret": {"secretName": name(run), "defaultMode": 0o444}}] if desired.token else []),
        ],
    }


def _container(desired: Desired, kind: str, share: Share, arguments: list[str]) -> Object:
    resources = {
        GPU: str(desired.gpus),
        "memory": f"{_memory(desired, share)}Mi",
        **({EFA: str(share.efa)} if share.efa else {}),
        **({HUGE_PAGES: "5120Mi"} if share.huge_pages else {}),
    }
    return {
        "name": CONTAINER[kind],
        "image": desired.image,
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "env": [{"name": key, "value": value} for key, value in _environment(desired).items()],
        "resources": {"requests": {"cpu": str(desired.gpus), **resources}, "limits": resources},
        "volumeMounts": [
            {"name": "program", "mountPath": PROGRAM, "readOnly": True},
            {"name": "shared", "mountPath": "/dev/shm"},
            {"name": "checkpoints", "mountPath": CHECKPOINTS, "subPath": FOLDER},
            *([{"name": "token", "mountPath": token.FOLDER, "readOnly": True}] if desired.token else []),
        ],
    }


def _environment(desired: Desired) -> dict[str, str]:
    """The variables of the container.

    NCCL's log proves which network carried the data. The launcher's log at level INFO proves which launchers joined. AWS's images
    send usage data unless ``OPT_OUT_TRACKING`` is set. Restarted processes may read stale addresses from a store that they share
    with the launcher (pytorch/pytorch#135712).
    """
    return {
        "NCCL_DEBUG": "INFO",
        "LOGLEVEL": "INFO",
        "NCCL_SOCKET_IFNAME": "^lo,docker,veth,eni,pod-id-link",
        "OPT_OUT_TRACKING": "true",
        "PYTHONUNBUFFERED": "1",
        **{key: value.replace("$", "$$") for key, value in desired.environment},
        **({"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if desired.program.kill else {}),
        **({token.VARIABLE: f"{token.FOLDER}/{token.FILE}"} if desired.token else {}),
    }


def _pod_metadata(run: str) -> Object:
    return {"labels": {TRAINING: run}, "annotations": {KEEPS_NODE: "true"}}


def _metadata(run: str, desired: Desired) -> Object:
    return {**Mark(TRAINING, run).metadata(name(run)), "namespace": desired.namespace}
