# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A training job: the request, the plan and the outcome."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind
from ..._kubernetes.nodes.devices import State as OfNodes
from ..._topology.job.model import Wish

TRAINING = "mlfleet.hyperpod/training"
"""Label of all that is created for a job; its value is the run."""
CONTAINER = {"PyTorchJob": "pytorch", "HyperPodPyTorchJob": "pytorch", "TrainJob": "node", "Job": "pytorch"}
"""Name of the container that trains, by kind. The training operator and the runtimes of Kubeflow Trainer require theirs."""
AUTO = "auto"
KINDS = tuple(CONTAINER)
"""In the order in which ``AUTO`` tries them, without ``HyperPodPyTorchJob``, whose launcher the public images lack."""
LAUNCHERS = {"HyperPodPyTorchJob": "hyperpodrun"}
"""Programs that start the processes of a node in place of ``torchrun``, by kind."""
RESTARTABLE = ("PyTorchJob", "Job")
"""Kinds whose rendezvous is c10d, so that the launcher can restart all processes. It is static in a TrainJob, and the operator of a
HyperPodPyTorchJob makes it."""
RECREATED = ("PyTorchJob",)
"""Kinds whose operator creates a deleted Pod again under its name, by which all launchers find the rendezvous."""
RESTARTS = 3
"""Most restarts by the launcher in a job with a killed process. The verdict accepts one."""
RUNTIME = "torch-distributed"
"""ClusterTrainingRuntime of Kubeflow Trainer."""

LATE_SECONDS = 30
"""How much longer than the processes the job is waited for: at their deadline they report what they wait for."""
BUSY, ALLOCATION, DEVICES, CHECK_MODE, KIND, FIELDS, REFUSED, CLAIM = (
    *("busy", "allocation", "devices", "check-mode", "kind", "fields"),
    *("refused", "claim"),
)
IMAGE, STORAGE, TIMEOUT, OUTPUT = "image", "storage", "timeout", "output"
"""Values of ``failure``."""


@dataclass(frozen=True)
class Program:
    source: str
    """Text of a Python program that each process runs."""
    arguments: tuple[str, ...] = ()
    steps: int = 40
    """In total, counted over resumed jobs."""
    resume_from: int = 0
    """Step of the checkpoint that must be loaded; 0 for a new job."""
    checkpoint_every: int = 20
    """Steps."""
    checkpoint: str = ""
    """Name of the directory of checkpoints in the claim."""
    loss_bound: float | None = None
    """None for the default of the verdict."""
    kill: bool = False
    """One process must be killed, and the job must survive it."""
    replace_pod: bool = False
    """The Pod with the rendezvous must be deleted, and the job must survive it."""
    remove: bool = False
    """The directory of checkpoints is removed after the job has ended well."""

    @property
    def interrupted(self) -> bool:
        return self.kill or self.replace_pod

    @property
    def interrupt_at(self) -> int:
        """Step before which the job is interrupted, after three quarters of its steps; 0 for never."""
        return self.resume_from + (self.steps - self.resume_from) * 3 // 4 if self.interrupted else 0

    @property
    def saved_every(self) -> int:
        """Steps between two checkpoints. One of them is complete before the job is interrupted."""
        return min(self.checkpoint_every, (self.steps - self.resume_from) // 4) if self.interrupted else self.checkpoint_every


@dataclass(frozen=True)
class Queue:
    """Of Kueue."""

    name: str = ""
    priority: str = ""
    """A WorkloadPriorityClass."""
    wish: Wish = field(default_factory=Wish)
    """How near to each other the Pods must be."""


@dataclass(frozen=True)
class Desired:
    nodes: tuple[str, ...]
    """Names in Kubernetes; each runs one Pod, which requests all GPUs of its node."""
    gpus: int
    """Per node; also the number of processes of each Pod."""
    image: str
    program: Program
    namespace: str
    kind: str = AUTO
    """Of ``AUTO`` and ``KINDS``."""
    efa: bool = False
    """All nodes must have EFA devices."""
    claim: str = ""
    """PersistentVolumeClaim for checkpoints; empty: a volume that ends with the Pod."""
    queue: Queue = Queue()
    environment: tuple[tuple[str, str], ...] = ()
    pull_secrets: tuple[str, ...] = ()
    queue_timeout: int = 60
    """Seconds until all Pods have a node."""
    start_timeout: int = 900
    """Seconds until all containers run after that; pulling the image takes most of it."""
    timeout: int = 600
    """Seconds for the training after that."""

    @property
    def owned(self) -> bool:
        """The namespace is ours; that of a claim or a queue belongs to others."""
        return not self.claim and not self.queue.name

    @property
    def seconds(self) -> int:
        return self.queue_timeout + self.start_timeout + self.timeout + LATE_SECONDS


@dataclass(frozen=True)
class State:
    nodes: OfNodes
    served: tuple[str, ...] = ("Job",)
    """Kinds that the API server has, with what they need."""
    claim: Object | None = None
    """The PersistentVolumeClaim; None if it does not exist, or none is requested."""
    namespace: bool = True
    """It exists, as far as it must be ours."""


@dataclass(frozen=True)
class Planned:
    kind: Kind
    run: str
    program: Object
    """The ConfigMap."""
    service: Object | None
    """Names of the Pods of a Job; operators create their own."""
    job: Object
    new_namespace: bool = False

    @property
    def name(self) -> str:
        return str(self.job["metadata"]["name"])


@dataclass(frozen=True)
class PodLog:
    name: str
    """Of the Pod."""
    node: str
    text: str
    status: int | None
    """Exit status of the container; None while it runs, and if it never ran."""
    trouble: str = ""
    """Reason and message that Kubernetes gives; empty for none."""
    unread: str = ""
    """Why the log could not be read; empty if it was."""
    restarts: int = 0
    """Of the container; the log is that of the last two starts."""
    planned_restarts: int = 0
    """How many of them are part of the test."""
    reasons: tuple[str, ...] = ()
    """Why the Pod or its container ended, before a restart as well."""
    image: str = ""
    """Such as ``repository@sha256:...``; empty if unknown."""
    before: str = ""
    """Name of a Pod that ran in its place and was deleted, but not as planned; empty without one."""
    gone: bool = False
    """It ran, and does not exist any more."""


@dataclass(frozen=True)
class Ran:
    """A job whose containers ran."""

    pods: tuple[PodLog, ...]
    """With those that are gone."""
    late: bool = False
    """It was ended at its deadline."""
    unreplaced: str = ""
    """Why no other Pod ran in place of the one that was deleted as planned; empty if one did, or none was deleted."""


@dataclass(frozen=True)
class NotRun:
    failure: str
    text: str


Outcome = t.Union[Ran, NotRun]
