# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is asked for, and what the API server has of it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind
from ..._kubernetes.kueue import TopologyAware

NONE, ADMITTED, RUNNING, FINISHED = STAGES = ("none", "admitted", "running", "finished")
"""What may be waited for."""
REQUIRED, PREFERRED, UNCONSTRAINED = "required", "preferred", "unconstrained"
HASH = "mlfleet.hyperpod/manifest"
"""Annotation: hash of the manifest that a job was made of."""


@dataclass(frozen=True)
class Wish:
    """Where pods are to be; all empty: as the manifest says."""

    mode: str = ""
    """required, preferred, unconstrained, or empty."""
    level: str = ""
    """Label of the layer; empty where the mode has none."""
    slice_level: str = ""
    slice_size: int = 0
    """Pods of a slice; 0: there are none."""

    def __bool__(self) -> bool:
        return bool(self.mode or self.slice_level)


@dataclass(frozen=True)
class PodSet:
    name: str
    pods: int | None
    """None where the manifest does not tell it."""
    wish: Wish
    leads: bool = False
    """It is the one pod that leads the others."""


@dataclass(frozen=True)
class Rendered:
    """A job as it is sent."""

    kind: Kind
    manifest: Object
    podsets: tuple[PodSet, ...]
    hash: str
    notes: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    """Of its Pods beyond their own containers, as the allow list names them."""
    runtime: str = ""
    """A warning about a runtime of the cluster, which may give its Pods rights."""

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
        """A warning about the rights of its Pods; empty without any."""
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
    """What becomes of it once it has ended, where it does not stay until somebody looks again."""


@dataclass(frozen=True)
class Facts:
    """What a cluster has of what a job needs. What the caller may not see is None, and named in ``unseen``."""

    namespace: str = "there"
    """there, missing, leaving, or unseen."""
    kind_served: bool = True
    kueue: tuple[str, ...] = ()
    """Versions of Kueue's API that are served, the newest first."""
    local_queue: Object | None = None
    queues: tuple[str, ...] = ()
    """Names of the LocalQueues of the namespace."""
    cluster_queue: Object | None = None
    flavors: t.Mapping[str, str] | None = None
    """Topology of each ResourceFlavor of the queue; empty for none."""
    levels: t.Mapping[str, tuple[str, ...]] | None = None
    """Of each Topology, from the top down."""
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
    """Where Kueue has put a pod set."""

    podset: str
    pods: int
    flavors: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    """Labels that the values are of; empty where it was not placed by topology."""
    domains: tuple[tuple[tuple[str, ...], int], ...] = ()
    """Values, and pods there."""


@dataclass(frozen=True)
class Workload:
    """Kueue's own object of a job."""

    name: str
    active: bool = True
    conditions: t.Mapping[str, Condition] = field(default_factory=dict)
    pods: t.Mapping[str, int] = field(default_factory=dict)
    """By pod set."""
    assigned: tuple[Assigned, ...] = ()
    unhealthy: tuple[str, ...] = ()
    """Nodes that Kueue holds for lost."""
    evictions: tuple[str, ...] = ()
    """Reasons of all evictions so far, each once."""

    def holds(self, condition: str) -> bool:
        return condition in self.conditions and self.conditions[condition].status == "True"


@dataclass(frozen=True)
class FlavorLayers:
    """Of the Topology of a ResourceFlavor."""

    flavor: str
    nodes: int
    """With the labels that the flavor asks for."""
    whole: int
    """Of these, with the labels of all layers."""
    having: tuple[tuple[str, int], ...]
    """Labels of the layers from the top down, and how many of these nodes have each."""


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
    """Labels by name; None where the caller may not list them."""
    levels: tuple[str, ...] = ()
    """Of the Topology, from the top down, where the caller may see it."""
    facts: Facts | None = None
    """None where nothing is to be made."""
    layers: tuple[FlavorLayers, ...] = ()
    """Of the flavors of its queue, where Kueue finds no domain for it and the caller may see them."""
    denied: str | None = ""
    """Why the API server refused its newest pod, where pods are missing; None where the caller may not see events."""

    @property
    def hash(self) -> str:
        """Of the manifest that the job was made of; empty where it is none of ours."""
        return str(((self.job or {}).get("metadata", {}).get("annotations") or {}).get(HASH) or "")

    @property
    def uid(self) -> str:
        return str((self.job or {}).get("metadata", {}).get("uid") or "")

    @property
    def leaving(self) -> bool:
        return "deletionTimestamp" in (self.job or {}).get("metadata", {})
