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
from ..._kubernetes.nodes import labels
from ..._kubernetes.nodes.devices import State as OfNodes
from ..._topology.job.model import Wish

TRAINING = labels.TRAINING
"""The label of all objects that are created for a job. Its value identifies the run."""
CONTAINER = {"PyTorchJob": "pytorch", "HyperPodPyTorchJob": "pytorch", "TrainJob": "node", "Job": "pytorch"}
"""The container that trains, keyed by kind. The training operator and Kubeflow Trainer's runtimes require these names."""
AUTO = "auto"
KINDS = tuple(CONTAINER)
"""The order in which ``AUTO`` tries kinds. ``AUTO`` skips ``HyperPodPyTorchJob``, because public images lack its launcher."""
LAUNCHERS = {"HyperPodPyTorchJob": "hyperpodrun"}
"""The programs that start the processes of a node instead of ``torchrun``, keyed by kind."""
RESTARTABLE = ("PyTorchJob", "Job")
"""Kinds whose rendezvous is c10d, so that the launcher can restart all processes. A TrainJob has a static rendezvous. The
operator of a HyperPodPyTorchJob provides the rendezvous."""
RECREATED = ("PyTorchJob",)
"""Kinds whose operator creates a deleted Pod again under the same name, by which all launchers find the rendezvous."""
RESTARTS = 3
"""The maximum number of restarts by the launcher in a job with a killed process. The verdict accepts one restart."""
RUNTIME = "torch-distributed"
"""The ClusterTrainingRuntime of Kubeflow Trainer."""

LATE_SECONDS = 30
"""Seconds to wait after the deadline of the processes, so that each process can still report what it waited for."""
BUSY, ALLOCATION, DEVICES, CHECK_MODE, KIND, FIELDS, REFUSED, CLAIM, HELD, GAVE_WAY = (
    *("busy", "allocation", "devices", "check-mode", "kind", "fields"),
    *("refused", "claim", "lease", "gave-way"),
)
IMAGE, STORAGE, TIMEOUT, OUTPUT = "image", "storage", "timeout", "output"
"""The values of ``failure``."""


@dataclass(frozen=True)
class Program:
    source: str
    """The text of the Python program that each process runs; empty for a program in the image."""
    arguments: tuple[str, ...] = ()
    """Further arguments of ``source``. If ``source`` is empty, the image's program and its arguments, as torchrun accepts them."""
    steps: int = 40
    """The total number of steps, including those up to ``resume_from``."""
    resume_from: int = 0
    """The step of the checkpoint that must be loaded; 0 for a new job."""
    checkpoint_every: int = 20
    """Steps between two checkpoints."""
    checkpoint: str = ""
    """The name of the directory of checkpoints in the claim."""
    loss_bound: float | None = None
    """The bound of the final loss; None for the verdict's default."""
    kill: bool = False
    """Whether one process is killed, which the job must survive."""
    replace_pod: bool = False
    """Whether the Pod with the rendezvous is deleted, which the job must survive."""
    remove: bool = False
    """Whether the directory of checkpoints is removed after the job has succeeded."""

    @property
    def interrupted(self) -> bool:
        return self.kill or self.replace_pod

    @property
    def interrupt_at(self) -> int:
        """The step before which the job is interrupted, after three quarters of its steps; 0 without an interruption."""
        return self.resume_from + (self.steps - self.resume_from) * 3 // 4 if self.interrupted else 0

    @property
    def saved_every(self) -> int:
        """Steps between two checkpoints: few enough that one checkpoint is complete before the job is interrupted."""
        return min(self.checkpoint_every, (self.steps - self.resume_from) // 4) if self.interrupted else self.checkpoint_every


@dataclass(frozen=True)
class Queue:
    """The options for Kueue."""

    name: str = ""
    priority: str = ""
    """A WorkloadPriorityClass."""
    wish: Wish = field(default_factory=Wish)
    """How close together in the network the Pods must be."""


@dataclass(frozen=True)
class Desired:
    nodes: tuple[str, ...]
    """The names of the nodes in Kubernetes. Each node runs one Pod, which requests all GPUs of the node."""
    gpus: int
    """GPUs per node, which is also the number of processes of each Pod."""
    image: str
    program: Program
    namespace: str
    kind: str = AUTO
    """``AUTO`` or one of ``KINDS``."""
    efa: bool = False
    """Whether all nodes must have EFA devices."""
    claim: str = ""
    """The PersistentVolumeClaim for checkpoints; empty for a volume that is deleted with the Pod."""
    queue: Queue = Queue()
    environment: tuple[tuple[str, str], ...] = ()
    pull_secrets: tuple[str, ...] = ()
    token: str = field(default="", repr=False)
    """A token of Hugging Face, which the processes read from a file; empty for none."""
    queue_timeout: int = 60
    """Seconds within which all Pods must have a node."""
    start_timeout: int = 900
    """Seconds within which all containers must then run. Most of this time is the pull of the image."""
    timeout: int = 600
    """Seconds within which the training must then end."""
    lease_holder: str = ""
    """The name of the run that holds the Lease before and after the job; empty if only the job holds it."""

    @property
    def owned(self) -> bool:
        """Whether the namespace is ours. The namespace of a claim or a queue has another owner."""
        return not self.claim and not self.queue.name

    @property
    def seconds(self) -> int:
        return self.queue_timeout + self.start_timeout + self.timeout + LATE_SECONDS


@dataclass(frozen=True)
class State:
    nodes: OfNodes
    served: tuple[str, ...] = ("Job",)
    """The kinds that the API server has. A TrainJob counts only if the runtime that it needs exists."""
    claim: Object | None = None
    """The PersistentVolumeClaim; None if it does not exist, or if none is requested."""
    volume: Object | None = None
    """The bound PersistentVolume of the claim; None without one, or if the caller may not read it."""
    namespace: bool = True
    """Whether our own namespace exists. True if the namespace has another owner."""


@dataclass(frozen=True)
class Planned:
    kind: Kind
    run: str
    program: Object
    """The ConfigMap with the program."""
    service: Object | None
    """The Service of a Job; None for other kinds, whose operators create Services."""
    job: Object
    new_namespace: bool = False
    priority: Object | None = None
    """The PriorityClass of the Pods; None if a queue determines the priority, or if the kind does not support one."""
    layers: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The network nodes from layer 1 above each node, keyed by node."""

    @property
    def name(self) -> str:
        return str(self.job["metadata"]["name"])


@dataclass(frozen=True)
class PodLog:
    name: str
    """The name of the Pod."""
    node: str
    text: str
    status: int | None
    """The exit status of the container; None if it still runs or never ran."""
    trouble: str = ""
    """The reason and the message that Kubernetes reports; empty if there are none."""
    unread: str = ""
    """Why the log could not be read; empty if it was read."""
    restarts: int = 0
    """The restarts of the container. ``text`` contains only the logs of the last two starts."""
    planned_restarts: int = 0
    """The number of restarts that are part of the test."""
    reasons: tuple[str, ...] = ()
    """Why the Pod or its container ended, also before a restart."""
    image: str = ""
    """The image, such as ``repository@sha256:...``; empty if it is unknown."""
    before: str = ""
    """The name of the Pod that this Pod replaced; empty without one, or if that Pod was deleted as planned."""
    gone: bool = False
    """Whether the Pod ran and no longer exists."""


@dataclass(frozen=True)
class Ran:
    """A job whose containers ran."""

    pods: tuple[PodLog, ...]
    """All Pods, including those that no longer exist."""
    late: bool = False
    """Whether the job was ended at its deadline."""
    unreplaced: str = ""
    """Why no Pod replaced the Pod that was deleted as planned; empty if it was replaced, or if no Pod was deleted."""


@dataclass(frozen=True)
class NotRun:
    failure: str
    text: str


Outcome = t.Union[Ran, NotRun]
