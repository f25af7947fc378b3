# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired job, and its state in the API server."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind
from ..._kubernetes.kueue import TopologyAware

NONE, ADMITTED, RUNNING, FINISHED = STAGES = ("none", "admitted", "running", "finished")
"""The stages for which the module can wait."""
REQUIRED, PREFERRED, UNCONSTRAINED = "required", "preferred", "unconstrained"
HASH = "mlfleet.hyperpod/manifest"
"""The annotation with the hash of the job's manifest."""


@dataclass(frozen=True)
class Wish:
    """The requested placement of Pods. If all fields are empty, the manifest decides."""

    mode: str = ""
    """``required``, ``preferred`` or ``unconstrained``; empty if no placement is requested."""
    level: str = ""
    """The label of the layer; empty for a mode without a layer."""
    slice_level: str = ""
    slice_size: int = 0
    """The number of Pods per slice; 0 without slices."""

    def __bool__(self) -> bool:
        return bool(self.mode or self.slice_level)


@dataclass(frozen=True)
class PodSet:
    name: str
    pods: int | None
    """The number of Pods; None if the manifest does not define it."""
    wish: Wish
    leads: bool = False
    """Whether this pod set is the leader of the other Pods."""


@dataclass(frozen=True)
class Rendered:
    """A job in the form that is submitted."""

    kind: Kind
    manifest: Object
    podsets: tuple[PodSet, ...]
    hash: str
    notes: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    """The rights of the job's Pods beyond their own containers, named as in the allow list."""
    runtime: str = ""
    """A warning about a runtime of the cluster, which may grant rights to the job's Pods."""

    @property
    def name(self) -> str:
        return str(self.manifest["metadata"]["name"])

    @property
    def namespace(self) -> str:
        return str(self.manifest["metadata"]["namespace"])

    @property
    def described(self) -> str:
        return f"{self.kind.name} {self.namespace}/{self.name}"

    @property
    def reach(self) -> str:
        """A warning about the rights of the job's Pods; empty if the Pods have no such rights."""
        return f"Pods of {self.described} have rights beyond their containers: {', '.join(self.rights)}." if self.rights else ""

    @property
    def path(self) -> str:
        return f"{self.kind.path(self.namespace)}/{self.name}"

    @property
    def queue(self) -> str:
        return str((self.manifest["metadata"].get("labels") or {}).get("kueue.x-k8s.io/queue-name") or "")

    @property
    def priority(self) -> str:
        return str((self.manifest["metadata"].get("labels") or {}).get("kueue.x-k8s.io/priority-class") or "")


@dataclass(frozen=True)
class Desired:
    rendered: Rendered
    present: bool
    replace: bool
    force: bool
    stage: str
    verify: bool
    vanishing: str = ""
    """A warning if the job is removed soon after its end; empty otherwise."""


@dataclass(frozen=True)
class Facts:
    """A cluster's facts for a job. Facts that the caller may not read are None, and ``unseen`` names them."""

    namespace: str = "there"
    """The state of the job's namespace: ``there``, ``missing``, ``leaving`` (Kubernetes is deleting the namespace), or ``unseen``
    (the caller may not read the namespace).
    """
    kind_served: bool = True
    kueue: tuple[str, ...] = ()
    """The served versions of Kueue's API, the newest first."""
    local_queue: Object | None = None
    queues: tuple[str, ...] = ()
    """The names of the namespace's LocalQueues."""
    cluster_queue: Object | None = None
    flavors: t.Mapping[str, str] | None = None
    """The name of the Topology of each ResourceFlavor of the queue; empty if the flavor has none."""
    levels: t.Mapping[str, tuple[str, ...]] | None = None
    """The levels of each Topology, from the top down."""
    priorities: tuple[str, ...] | None = None
    frameworks: tuple[str, ...] | None = None
    topology_aware: TopologyAware | None = None
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Condition:
    status: str
    reason: str
    message: str


@dataclass(frozen=True)
class Assigned:
    """Kueue's placement of a pod set."""

    podset: str
    pods: int
    flavors: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    """The labels that the values belong to; empty if the pod set was not placed by topology."""
    domains: tuple[tuple[tuple[str, ...], int], ...] = ()
    """For each domain, the values of the labels and the number of Pods."""


@dataclass(frozen=True)
class Workload:
    """Kueue's object for a job."""

    name: str
    active: bool = True
    conditions: t.Mapping[str, Condition] = field(default_factory=dict)
    pods: t.Mapping[str, int] = field(default_factory=dict)
    """The number of Pods of each pod set."""
    assigned: tuple[Assigned, ...] = ()
    unhealthy: tuple[str, ...] = ()
    """The nodes that Kueue considers lost."""
    evictions: tuple[str, ...] = ()
    """The reasons of all evictions so far, without duplicates."""

    def holds(self, condition: str) -> bool:
        return condition in self.conditions and self.conditions[condition].status == "True"


@dataclass(frozen=True)
class FlavorLayers:
    """How many nodes have the labels of a ResourceFlavor's Topology."""

    flavor: str
    nodes: int
    """The number of nodes with the flavor's labels."""
    whole: int
    """The number of nodes that have the flavor's labels and also the labels of all layers."""
    having: tuple[tuple[str, int], ...]
    """The label of each layer from the top down, with the number of nodes that have the flavor's labels and this label."""


@dataclass(frozen=True)
class PodAt:
    name: str
    podset: str
    node: str
    phase: str


@dataclass(frozen=True)
class State:
    job: Object | None = None
    workload: Workload | None = None
    pods: tuple[PodAt, ...] = ()
    nodes: t.Mapping[str, t.Mapping[str, str]] | None = None
    """The labels of nodes, keyed by name of the node; None if the caller may not list nodes."""
    levels: tuple[str, ...] = ()
    """The levels of the Topology, from the top down; empty if the caller may not read the Topology."""
    facts: Facts | None = None
    """None if the module creates no job."""
    layers: tuple[FlavorLayers, ...] = ()
    """The layers of each readable flavor of the job's queue. They are read only if Kueue finds no domain for the job."""
    denied: str | None = ""
    """The newest message about a refused Pod, read only if Pods are missing; None if the caller may not list events."""

    @property
    def hash(self) -> str:
        """The hash of the job's manifest; empty if this module did not create the job."""
        return str(((self.job or {}).get("metadata", {}).get("annotations") or {}).get(HASH) or "")

    @property
    def uid(self) -> str:
        return str((self.job or {}).get("metadata", {}).get("uid") or "")

    @property
    def leaving(self) -> bool:
        return "deletionTimestamp" in (self.job or {}).get("metadata", {})
