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
"""Stages to wait for."""
REQUIRED, PREFERRED, UNCONSTRAINED = "required", "preferred", "unconstrained"
HASH = "mlfleet.hyperpod/manifest"
"""Annotation with the hash of the job's manifest."""


@dataclass(frozen=True)
class Wish:
    """The requested placement of Pods. If all fields are empty, the manifest decides."""

    mode: str = ""
    """required, preferred, unconstrained, or empty."""
    level: str = ""
    """Label of the layer; empty for a mode without one."""
    slice_level: str = ""
    slice_size: int = 0
    """Pods per slice; 0 without slices."""

    def __bool__(self) -> bool:
        return bool(self.mode or self.slice_level)


@dataclass(frozen=True)
class PodSet:
    name: str
    pods: int | None
    """None if the manifest does not define it."""
    wish: Wish
    leads: bool = False
    """Whether it is the leader of the other Pods."""


@dataclass(frozen=True)
class Rendered:
    """A job as it is submitted."""

    kind: Kind
    manifest: Object
    podsets: tuple[PodSet, ...]
    hash: str
    notes: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    """Rights of its Pods beyond their own containers, by the names of the allow list."""
    runtime: str = ""
    """A warning about a runtime of the cluster, which may grant rights to its Pods."""

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
        """A warning about the rights of its Pods; empty if they have none."""
        return f"Pods of {self.described} may reach beyond their containers: {', '.join(self.rights)}." if self.rights else ""

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
    """A warning if it is removed soon after its end; empty otherwise."""


@dataclass(frozen=True)
class Facts:
    """A cluster's facts for a job. Facts that the caller may not read are None, and ``unseen`` names them."""

    namespace: str = "there"
    """there, missing, leaving, or unseen."""
    kind_served: bool = True
    kueue: tuple[str, ...] = ()
    """Served versions of Kueue's API, the newest first."""
    local_queue: Object | None = None
    queues: tuple[str, ...] = ()
    """Names of the namespace's LocalQueues."""
    cluster_queue: Object | None = None
    flavors: t.Mapping[str, str] | None = None
    """Topology of each ResourceFlavor of the queue; empty without one."""
    levels: t.Mapping[str, tuple[str, ...]] | None = None
    """Levels of each Topology, from the top down."""
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
    """Labels of the values; empty if it was not placed by topology."""
    domains: tuple[tuple[tuple[str, ...], int], ...] = ()
    """Values of the labels, and the number of Pods there."""


@dataclass(frozen=True)
class Workload:
    """Kueue's object for a job."""

    name: str
    active: bool = True
    conditions: t.Mapping[str, Condition] = field(default_factory=dict)
    pods: t.Mapping[str, int] = field(default_factory=dict)
    """Assignments by pod set."""
    assigned: tuple[Assigned, ...] = ()
    unhealthy: tuple[str, ...] = ()
    """Nodes that Kueue considers lost."""
    evictions: tuple[str, ...] = ()
    """Reasons of all evictions so far, without duplicates."""

    def holds(self, condition: str) -> bool:
        return condition in self.conditions and self.conditions[condition].status == "True"


@dataclass(frozen=True)
class FlavorLayers:
    """Numbers of nodes with the labels of a ResourceFlavor's Topology."""

    flavor: str
    nodes: int
    """Nodes with the labels of the flavor."""
    whole: int
    """Nodes of these with the labels of all layers."""
    having: tuple[tuple[str, int], ...]
    """Labels of the layers from the top down, each with the number of these nodes that have it."""


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
    """Labels of nodes by name; None if the caller may not list nodes."""
    levels: tuple[str, ...] = ()
    """Levels of the Topology, from the top down; empty if the caller may not read it."""
    facts: Facts | None = None
    """None if no job must be created."""
    layers: tuple[FlavorLayers, ...] = ()
    """Layers of the flavors of its queue, if Kueue finds no domain for it and the caller may read them."""
    denied: str | None = ""
    """Why the API server refused its newest Pod, if Pods are missing; None if the caller may not list events."""

    @property
    def hash(self) -> str:
        """The hash of the job's manifest; empty if this module did not create it."""
        return str(((self.job or {}).get("metadata", {}).get("annotations") or {}).get(HASH) or "")

    @property
    def uid(self) -> str:
        return str((self.job or {}).get("metadata", {}).get("uid") or "")

    @property
    def leaving(self) -> bool:
        return "deletionTimestamp" in (self.job or {}).get("metadata", {})
