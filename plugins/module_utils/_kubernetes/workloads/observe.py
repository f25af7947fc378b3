# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Pods, nodes, jobs, Services and PersistentVolumes. A part that the caller may not read does not stop the others."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable
from ..client import Kubernetes, KubernetesError, Object
from .jobs import DENIED, Jobs, read_jobs
from .model import GROUP, SYSTEM, Pod, Volume, pods_of

NODES, PODS, SERVICES, VOLUMES = (
    "/api/v1/nodes",
    "/api/v1/pods",
    "/api/v1/services",
    "/api/v1/persistentvolumes",
)
NAMES = {NODES: "nodes", PODS: "Pods", SERVICES: "Services", VOLUMES: "PersistentVolumes"}


@dataclass(frozen=True)
class Workloads:
    pods: tuple[Pod, ...] = ()
    """Pods outside of kube-system."""
    jobs: Jobs = field(default_factory=Jobs)
    load_balancers: tuple[str, ...] = ()
    volumes: tuple[Volume, ...] = ()
    unread: tuple[str, ...] = ()
    """What could not be read besides jobs, and why."""

    def to_result(self) -> dict[str, t.Any]:
        return {
            "pods": [each.to_result() for each in self.pods],
            "jobs": [each.to_result() for each in self.jobs.ours],
            "unfinished_jobs": [each.to_result() for each in self.jobs.unfinished],
            "load_balancers": list(self.load_balancers),
            "volumes": [each.__dict__.copy() for each in self.volumes],
            "unread": list(self.unread),
            "unread_jobs": list(self.jobs.unread),
        }


class Observer:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes
        self.unread: list[str] = []

    def __call__(self) -> Workloads:
        """:raises KubernetesError: if the API server does not answer, or does not authenticate the caller."""
        groups = node_groups(self._items(NODES))
        pods = pods_of(self._items(PODS), groups)
        services = [each for each in self._items(SERVICES) if each["spec"].get("type") == "LoadBalancer"]
        volumes = tuple(map(Volume.from_api, self._items(VOLUMES)))
        return Workloads(
            pods=tuple(each for each in pods if each.namespace != SYSTEM),
            jobs=read_jobs(self.kubernetes),
            load_balancers=tuple(map(_name, services)),
            volumes=volumes,
            unread=tuple(self.unread),
        )

    def _items(self, path: str) -> list[Object]:
        try:
            return self.kubernetes.items(path)
        except KubernetesError as error:
            if error.status != DENIED:
                raise
            self.unread.append(f"{NAMES[path]}: {str(error).rstrip('.')}")
            return []


def node_groups(nodes: t.Iterable[Object]) -> dict[str, str]:
    """The node groups by the name of the node."""
    labels = {each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in nodes}
    return {name: printable(found[GROUP]) for name, found in labels.items() if found.get(GROUP)}


def _name(item: Object) -> str:
    return printable(f"{item['metadata']['namespace']}/{item['metadata']['name']}")
