# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the state in Kubernetes: nodes, CronJobs of this collection, and the served API version of CronJobs."""

from __future__ import annotations

import re

from ...._core.failure import Failure
from ...._kubernetes import namespace
from ...._kubernetes.client import Kubernetes, Object
from ...._kubernetes.nodes.labels import NODE_POOL, NODES
from ...._kubernetes.objects.model import MANAGED_BY, US
from .model import CRON, VALUE, Desired, Node, State

VERSIONS = ("batch/v1", "batch/v1beta1")
"""The API versions in order of preference. CronJobs are in ``batch/v1`` since Kubernetes 1.21."""
RECURSIVE_SINCE = 31
"""The first minor release of Kubernetes 1 that supports recursive read-only mounts."""


class Observer:
    def __init__(self, kubernetes: Kubernetes, desired: Desired) -> None:
        self.kubernetes = kubernetes
        self.space = desired.checks.namespace
        self.present = desired.present

    def __call__(self) -> State:
        """
        :raises KubernetesError:
        :raises Refused: for a namespace that the collection may not use.
        :raises Failure: if the API server does not serve CronJobs.
        """
        version = self._version()
        space = f"/api/v1/namespaces/{self.space}"
        jobs_path, maps_path = f"/apis/{version}/namespaces/{self.space}/cronjobs", f"{space}/configmaps"
        cron_jobs = self.kubernetes.items(jobs_path)
        ours = [each for each in cron_jobs if _is_ours(each)]
        maps = self.kubernetes.items(maps_path, labelSelector=f"{CRON}={VALUE}")
        return State(
            api_version=version,
            recursive=self._minor() >= RECURSIVE_SINCE,
            namespace=self._namespace(space),
            nodes={each["metadata"]["name"]: _node(each) for each in self.kubernetes.items(NODES)},
            cron_jobs=_by_name(ours),
            config_maps=_by_name([each for each in maps if _is_ours(each)]),
            of_others=tuple(each["metadata"]["name"] for each in cron_jobs if not _is_ours(each)),
        )

    def _namespace(self, path: str) -> bool:
        """Whether the namespace exists. CronJobs may be removed from any namespace, but created only in one with our label."""
        if self.present:
            return namespace.check_own(self.kubernetes, self.space)
        return self.kubernetes.find(path) is not None

    def _version(self) -> str:
        for version in VERSIONS:
            served = (self.kubernetes.find(f"/apis/{version}") or {}).get("resources") or ()
            if any(each["kind"] == "CronJob" for each in served):
                return version
        raise Failure(f"The API server does not serve CronJobs in {' or '.join(VERSIONS)}.")

    def _minor(self) -> int:
        found = re.match(r"\d+", str(self.kubernetes.get("/version").get("minor")))
        return int(found.group()) if found else 0


def _is_ours(item: Object) -> bool:
    labels = item["metadata"].get("labels") or {}
    return labels.get(CRON) == VALUE and labels.get(MANAGED_BY) == US


def _node(item: Object) -> Node:
    return Node(item["metadata"]["uid"], NODE_POOL in (item["metadata"].get("labels") or {}))


def _by_name(items: list[Object]) -> dict[str, Object]:
    return {each["metadata"]["name"]: each for each in items}
