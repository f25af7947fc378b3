# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Pods: what they ask of a node, and what keeps them where they are.

Texts that somebody wrote there are as they were written; ``printable`` is for whoever shows them.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .labels import matches
from .meta import Meta, Object, Standing
from .quantity import amounts

KEPT = "karpenter.sh/do-not-disrupt"
OVER = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Pod:
    meta: Meta
    namespace: str
    phase: str
    node: str
    """Name of its Node; empty while it waits for one."""
    node_selector: t.Mapping[str, str]
    node_terms: tuple[Object, ...]
    """Of the node affinity that is required: one of them must match."""
    tolerations: tuple[Object, ...]
    requests: t.Mapping[str, float]
    owners: tuple[str, ...]
    """Kinds."""
    kept: bool
    """Karpenter may not disturb it."""
    standing: Standing
    trouble: str
    """Why a container of it does not start, such as ImagePullBackOff; empty where none says so."""

    @classmethod
    def of(cls, item: Object) -> Pod:
        meta, spec, status = item["metadata"], item["spec"], item.get("status") or {}
        required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
        return cls(
            meta=Meta.of(item),
            namespace=meta["namespace"],
            phase=status.get("phase", ""),
            node=spec.get("nodeName") or "",
            node_selector=spec.get("nodeSelector") or {},
            node_terms=tuple((required or {}).get("nodeSelectorTerms") or ()),
            tolerations=tuple(spec.get("tolerations") or ()),
            requests=_requests(spec),
            owners=tuple(each["kind"] for each in meta.get("ownerReferences") or ()),
            kept=(meta.get("annotations") or {}).get(KEPT) == "true",
            standing=Standing.of(item),
            trouble=_trouble(status),
        )

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.meta.name}"

    @property
    def waits(self) -> bool:
        """The scheduler found no node for it."""
        scheduled = self.standing.conditions.get("PodScheduled")
        return not self.node and not self.meta.leaving and scheduled is not None and scheduled.reason == "Unschedulable"

    @property
    def gated(self) -> bool:
        """The scheduler does not look at it yet."""
        scheduled = self.standing.conditions.get("PodScheduled")
        return not self.node and scheduled is not None and scheduled.reason == "SchedulingGated"

    @property
    def since(self) -> str:
        """When it began to wait for a node."""
        scheduled = self.standing.conditions.get("PodScheduled")
        return (scheduled and scheduled.since) or self.meta.created

    @property
    def scheduler_message(self) -> str:
        """What the scheduler says of it."""
        scheduled = self.standing.conditions.get("PodScheduled")
        return (scheduled and scheduled.message) or "nothing"

    @property
    def counts(self) -> bool:
        """It keeps its node in use."""
        return self.phase not in OVER and "DaemonSet" not in self.owners


@dataclass(frozen=True)
class Budget:
    """A PodDisruptionBudget that lets none of its pods go."""

    namespace: str
    name: str
    labels: t.Mapping[str, str]
    """Of its pods; without any it is about all of the namespace."""
    expressions: tuple[Object, ...] = ()

    def holds(self, pod: Pod) -> bool:
        labels = pod.meta.labels
        named = all(labels.get(name) == value for name, value in self.labels.items())
        return pod.namespace == self.namespace and named and matches(labels, self.expressions)


def _requests(spec: Object) -> dict[str, float]:
    """Of a pod, itself counted as one of ``pods``; what its init containers need more than it counts, too."""
    found: dict[str, float] = {"pods": 1.0}
    for container in spec["containers"]:
        for name, value in _of_container(container).items():
            found[name] = found.get(name, 0.0) + value
    for container in spec.get("initContainers") or ():
        for name, value in _of_container(container).items():
            found[name] = max(found.get(name, 0.0), value)
    return found


def _of_container(container: Object) -> dict[str, float]:
    resources = container.get("resources") or {}
    return amounts({**(resources.get("limits") or {}), **(resources.get("requests") or {})})


def _trouble(status: Object) -> str:
    for each in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        waiting = (each.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
            return ": ".join(filter(None, (waiting["reason"], waiting.get("message", ""))))
    return ""
