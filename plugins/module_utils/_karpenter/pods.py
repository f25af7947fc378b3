# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Pods: what they require of a node, and what prevents their disruption.

Texts are as the API server returned them. Pass a text to ``printable`` before you show it.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._kubernetes.quantity import amounts
from .labels import matches
from .meta import Meta, Object, Status

KEPT = "karpenter.sh/do-not-disrupt"
OVER = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Pod:
    meta: Meta
    namespace: str
    phase: str
    node: str
    """The name of the Pod's Node; empty while the Pod waits."""
    node_selector: t.Mapping[str, str]
    node_terms: tuple[Object, ...]
    """The terms of the required node affinity. At least one of them must match."""
    tolerations: tuple[Object, ...]
    requests: t.Mapping[str, float]
    owners: tuple[str, ...]
    """The kinds of the Pod's owners."""
    kept: bool
    """Whether Karpenter must not disrupt the Pod."""
    status: Status
    trouble: str
    """Why a container does not start, such as ImagePullBackOff; empty if none is reported."""

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
            status=Status.of(item),
            trouble=_trouble(status),
        )

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.meta.name}"

    @property
    def waits(self) -> bool:
        """Whether the scheduler found no node for the Pod."""
        scheduled = self.status.conditions.get("PodScheduled")
        return not self.node and not self.meta.leaving and scheduled is not None and scheduled.reason == "Unschedulable"

    @property
    def gated(self) -> bool:
        """Whether a scheduling gate keeps the scheduler from processing the Pod."""
        scheduled = self.status.conditions.get("PodScheduled")
        return not self.node and scheduled is not None and scheduled.reason == "SchedulingGated"

    @property
    def since(self) -> str:
        """The time when the Pod began to wait for a node."""
        scheduled = self.status.conditions.get("PodScheduled")
        return (scheduled and scheduled.since) or self.meta.created

    @property
    def scheduler_message(self) -> str:
        scheduled = self.status.conditions.get("PodScheduled")
        return (scheduled and scheduled.message) or "nothing"

    @property
    def counts(self) -> bool:
        """Whether the Pod keeps its node in use. Pods that have ended and Pods of DaemonSets do not."""
        return self.phase not in OVER and "DaemonSet" not in self.owners


@dataclass(frozen=True)
class Budget:
    """A PodDisruptionBudget that allows no disruption of its Pods."""

    namespace: str
    name: str
    labels: t.Mapping[str, str]
    """The labels of the budget's Pods. Without labels and expressions, the budget applies to all Pods of the namespace."""
    expressions: tuple[Object, ...] = ()

    def holds(self, pod: Pod) -> bool:
        labels = pod.meta.labels
        named = all(labels.get(name) == value for name, value in self.labels.items())
        return pod.namespace == self.namespace and named and matches(labels, self.expressions)


def _requests(spec: Object) -> dict[str, float]:
    """The requests of a Pod, keyed by resource; the Pod itself requests one of ``pods``.

    An init container counts only if it requests more of a resource than all other containers together.
    """
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
