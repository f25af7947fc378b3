# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster's facts for a job: the job's namespace and queue, and Kueue's configuration."""

from __future__ import annotations

import re
import typing as t

from ..._core.text import printable
from ..._kubernetes import kueue
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.job_kinds import Kind
from ..._kubernetes.yaml_text import NotYaml, document
from .model import Facts, Rendered

GROUP = "/apis/kueue.x-k8s.io"
FORBIDDEN = 403
DEFAULT_FRAMEWORKS = ("batch/job",)
"""The frameworks that Kueue manages if its configuration names none."""
_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


class Cluster:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes
        self.unseen: list[str] = []
        self._served: tuple[str, ...] | None = None
        self._resources: dict[str, set[str]] = {}

    def facts(self, job: Rendered) -> Facts:
        """:raises KubernetesError: for failed requests, except denied ones."""
        self.unseen = []
        namespace = self._namespace(job.namespace)
        versions = self.kueue_versions()
        if not versions:
            return Facts(namespace=namespace, kind_served=self.kind_served(job.kind), unseen=tuple(self.unseen))
        queues = self.items(self.path("localqueues", job.namespace), "LocalQueues of the namespace")
        mine = next((each for each in queues or () if each["metadata"]["name"] == job.queue), None)
        cluster_queue = self._cluster_queue(mine)
        flavors = None if cluster_queue is None else self._flavors(cluster_queue)
        return Facts(
            namespace=namespace,
            kind_served=self.kind_served(job.kind),
            kueue=versions,
            local_queue=mine,
            queues=tuple(sorted(_line(each["metadata"]["name"]) for each in queues or ())),
            cluster_queue=cluster_queue,
            flavors=flavors,
            levels=None if flavors is None else self.levels(flavors.values()),
            priorities=self._priorities(job),
            frameworks=self._frameworks(),
            topology_aware=self._topology_aware(),
            unseen=tuple(dict.fromkeys(self.unseen)),
        )

    def kueue_versions(self) -> tuple[str, ...]:
        """The served versions of Kueue's API, the newest first; empty without Kueue."""
        if self._served is None:
            versions = (self.kubernetes.find(GROUP) or {}).get("versions") or ()
            self._served = tuple(sorted((str(each["version"]) for each in versions), key=_age, reverse=True))
        return self._served

    def path(self, plural: str, namespace: str = "") -> str:
        """The path of Kueue's objects in the newest version that has the kind."""
        version = next((each for each in self.kueue_versions() if plural in self._of_version(each)), self.kueue_versions()[0])
        inside = f"/namespaces/{namespace}" if namespace else ""
        return f"{GROUP}/{version}{inside}/{plural}"

    def _of_version(self, version: str) -> set[str]:
        if version not in self._resources:
            resources = (self.kubernetes.find(f"{GROUP}/{version}") or {}).get("resources") or ()
            self._resources[version] = {str(each["name"]) for each in resources}
        return self._resources[version]

    def levels(self, names: t.Iterable[str]) -> dict[str, tuple[str, ...]] | None:
        """The labels of each Topology, from the top down, keyed by name; None if the caller may not read one of them."""
        found: dict[str, tuple[str, ...]] = {}
        for name in filter(None, dict.fromkeys(names)):
            topology, seen = self._find(f"{self.path('topologies')}/{name}", f"Topology {name}")
            if not seen:
                return None
            levels = ((topology or {}).get("spec") or {}).get("levels") or ()
            found[name] = tuple(_line(each.get("nodeLabel")) for each in levels)
        return found

    def levels_of(self, flavors: t.Iterable[str]) -> tuple[str, ...]:
        """The levels of the Topology of the first flavor that has a Topology."""
        named = {each: self._topology_name(each) for each in flavors}
        for levels in (self.levels(filter(None, named.values())) or {}).values():
            return levels
        return ()

    def flavors_of(self, job: Rendered) -> dict[str, tuple[dict[str, str], tuple[str, ...]]]:
        """For each readable ResourceFlavor of a job's queue, its node labels and its Topology's layers."""
        queue, _seen = self._find(f"{self.path('localqueues', job.namespace)}/{job.queue}", f"LocalQueue {_line(job.queue)}")
        groups = ((self._cluster_queue(queue) or {}).get("spec") or {}).get("resourceGroups") or ()
        found = {}
        for name in dict.fromkeys(str(flavor["name"]) for group in groups for flavor in group.get("flavors") or ()):
            flavor, _seen = self._find(f"{self.path('resourceflavors')}/{name}", f"ResourceFlavor {_line(name)}")
            wanted = ((flavor or {}).get("spec") or {}).get("nodeLabels") or {}
            labels = {printable(key): printable(value) for key, value in wanted.items()}
            found[_line(name)] = labels, self.levels_of((name,))
        return found

    def _namespace(self, name: str) -> str:
        found, seen = self._find(f"/api/v1/namespaces/{name}", f"Namespace {name}")
        if not seen:
            return "unseen"
        if found is None:
            return "missing"
        return "leaving" if "deletionTimestamp" in found["metadata"] else "there"

    def kind_served(self, kind: Kind) -> bool:
        resources = (self.kubernetes.find(f"/apis/{kind.api_version}") or {}).get("resources") or ()
        return any(each.get("name") == kind.plural for each in resources)

    def _cluster_queue(self, local_queue: Object | None) -> Object | None:
        name = ((local_queue or {}).get("spec") or {}).get("clusterQueue")
        if not name:
            return None
        return self._find(f"{self.path('clusterqueues')}/{name}", f"ClusterQueue {_line(name)}")[0]

    def _flavors(self, cluster_queue: Object) -> dict[str, str] | None:
        groups = (cluster_queue.get("spec") or {}).get("resourceGroups") or ()
        found = {}
        for name in dict.fromkeys(str(flavor["name"]) for group in groups for flavor in group.get("flavors") or ()):
            topology = self._topology_name(name)
            if topology is None:
                return None
            found[_line(name)] = topology
        return found

    def _topology_name(self, flavor: str) -> str | None:
        """The name of the flavor's Topology; empty without a Topology, None if the caller may not read the flavor."""
        found, seen = self._find(f"{self.path('resourceflavors')}/{flavor}", f"ResourceFlavor {_line(flavor)}")
        return str(((found or {}).get("spec") or {}).get("topologyName") or "") if seen else None

    def _priorities(self, job: Rendered) -> tuple[str, ...] | None:
        if not job.priority:
            return None
        found = self.items(self.path("workloadpriorityclasses"), "WorkloadPriorityClasses")
        return None if found is None else tuple(sorted(_line(each["metadata"]["name"]) for each in found))

    def _frameworks(self) -> tuple[str, ...] | None:
        """The frameworks that Kueue manages; None if unknown, for example because Kueue's ConfigMap has a different name."""
        found, seen = self._find(kueue.FILE, "ConfigMap kueue-manager-config of kueue-system")
        if seen and found is None:
            self.unseen.append("Kueue's configuration (no ConfigMap kueue-manager-config exists in kueue-system)")
        return frameworks(found) if found is not None else None

    def _topology_aware(self) -> kueue.TopologyAware | None:
        try:
            return kueue.topology_aware(self.kubernetes.find)
        except KubernetesError as error:
            if error.status != FORBIDDEN:
                raise
            self.unseen.append("Kueue's feature gates (Deployment kueue-controller-manager of kueue-system)")
            return None

    def _find(self, path: str, what: str) -> tuple[Object | None, bool]:
        """The object or None, and whether the caller may read it."""
        try:
            return self.kubernetes.find(path), True
        except KubernetesError as error:
            if error.status != FORBIDDEN:
                raise
            self.unseen.append(what)
            return None, False

    def items(self, path: str, what: str) -> list[Object] | None:
        """All items of a list. If the caller may not read the list, returns None and adds ``what`` to ``unseen``."""
        try:
            return self.kubernetes.items(path)
        except KubernetesError as error:
            if error.status != FORBIDDEN:
                raise
            self.unseen.append(what)
            return None


def frameworks(config_map: Object) -> tuple[str, ...] | None:
    """The frameworks in Kueue's configuration, including external ones; None if the configuration can't be read."""
    for text in (config_map.get("data") or {}).values():
        try:
            configuration = document(text)
        except NotYaml:
            continue
        if not isinstance(configuration, dict):
            continue
        integrations = configuration.get("integrations") or {}
        own = integrations.get("frameworks")
        listed = DEFAULT_FRAMEWORKS if own is None else own
        return tuple(_line(each) for each in (*listed, *(integrations.get("externalFrameworks") or ())))
    return None


def _age(version: str) -> tuple[int, int, int]:
    found = _VERSION.fullmatch(version)
    if found is None:
        return (0, 0, 0)
    stage = {"alpha": 0, "beta": 1}.get(found[2] or "", 2)
    return (stage, int(found[1]), int(found[3] or 0))


def _line(value: t.Any) -> str:
    return printable("" if value is None else value)[:253]
