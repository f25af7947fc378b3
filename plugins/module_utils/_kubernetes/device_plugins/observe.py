# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads our DaemonSets, their Pods and nodes, and other providers of the same resources. Their writers are untrusted."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from ..._core.text import printable
from ..._core.waits import Waits
from ..client import Kubernetes, Object
from ..nodes import devices
from ..nodes.labels import AUTO, COMPUTE_TYPE, NODES, READY, TYPE
from ..objects.model import Desired as Objects
from ..objects.observe import Observer as ObjectObserver
from ..pod_runner.pods import Pod
from . import dra, known
from .known import NVIDIA, PLUGINS, Plugin
from .manifest import NAME, SPECIFICATION, bare
from .model import (
    DAEMON_SET,
    DEVICE_CLASS,
    IMAGE,
    NAMESPACE,
    RESOURCE_SLICES,
    Desired,
    Machine,
    PluginPod,
    Provider,
    State,
    name_of,
)

PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
BOTTLEROCKET = "Bottlerocket"
"""The beginning of ``osImage`` in the status of a node that runs Bottlerocket."""
LONGEST = 300
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Observer:
    """:param waits: None to read once, without waiting for DaemonSets that are being deleted."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, *, waits: Waits | None) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        declared = tuple(bare(each.plugin) for each in desired.wanted)
        self._objects = ObjectObserver(kubernetes, Objects(declared, present=desired.present, adopt=False), waits=waits)

    def __call__(self) -> State:
        """
        :raises KubernetesError: also if the caller may not list an object.
        :raises Failure: if a DaemonSet is not deleted in time.
        """
        found = self._objects().found
        state = State({each.plugin.key: ours for each, ours in zip(self.desired.wanted, found)})
        if not self.desired.present:
            return state
        state = self.rollout(state)
        return dataclasses.replace(state, providers=self._providers(state.machines))

    def rollout(self, state: State) -> State:
        """The state with the current nodes, and the current Pods of our DaemonSets.

        :raises KubernetesError:
        """
        types = {each for wanted in self.desired.wanted for each in wanted.instance_types}
        items = [each for each in self.kubernetes.items(NODES) if _labels(each).get(TYPE) in types]
        machines = tuple(_machines(each for each in items if _labels(each).get(COMPUTE_TYPE) != AUTO))
        names = ",".join(name_of(each.plugin) for each in self.desired.wanted)
        pods = self.kubernetes.items(PODS, labelSelector=f"{NAME} in ({names})")
        ours = {(found.live or {}).get("metadata", {}).get("uid"): key for key, found in state.ours.items()}
        containers = {each.key: each.container for each in PLUGINS}
        kept: dict[str, tuple[PluginPod, ...]] = {}
        for item in pods:
            key = ours.get(Pod.of(item).job)
            if key and item["spec"].get("nodeName"):
                kept[key] = (*kept.get(key, ()), _pod(item, containers[key]))
        return dataclasses.replace(state, machines=machines, pods=kept)

    def _providers(self, machines: t.Sequence[Machine]) -> dict[str, tuple[Provider, ...]]:
        types = {each.name: each.instance_type for each in machines}
        offered = {(types[node], resource) for node, resource in dra.slices(self.kubernetes) if node in types}
        classes = dra.device_classes(self.kubernetes)
        sets = self.kubernetes.items(known.DAEMON_SETS)
        found = {}
        for each in PLUGINS:
            by_driver = frozenset(kind for kind, resource in offered if resource == each.resource)
            found[each.key] = (
                *_daemon_sets(each, sets),
                *([Provider(DEVICE_CLASS, each.device_class)] if each.device_class in classes else []),
                *([Provider(RESOURCE_SLICES, f"of the driver {each.driver}", by_driver)] if by_driver else []),
                *([_built_in(machines)] if each == NVIDIA and any(one.bottlerocket for one in machines) else []),
            )
        return found


def _daemon_sets(plugin: Plugin, items: t.Iterable[Object]) -> t.Iterator[Provider]:
    for item in items:
        place = (item["metadata"]["namespace"], item["metadata"]["name"])
        if plugin in known.plugins_of(item) and place != (NAMESPACE, name_of(plugin)):
            yield Provider(DAEMON_SET, _line("/".join(place)), known.instance_types(item))


def _built_in(machines: t.Iterable[Machine]) -> Provider:
    return Provider(IMAGE, BOTTLEROCKET, frozenset(each.instance_type for each in machines if each.bottlerocket))


def _machines(items: t.Iterable[Object]) -> t.Iterator[Machine]:
    for item in items:
        ((name, node),) = devices.nodes_of([item], {}).items()
        image = str(((item.get("status") or {}).get("nodeInfo") or {}).get("osImage") or "")
        yield Machine(
            name=_line(name),
            instance_type=_labels(item)[TYPE],
            offered={devices.GPU: node.gpus, devices.EFA: node.efa},
            not_ready=node.known.not_ready,
            bottlerocket=image.startswith(BOTTLEROCKET),
        )


def _pod(item: Object, container: str) -> PluginPod:
    pod = Pod.of(item)
    conditions = (item.get("status") or {}).get("conditions") or ()
    ready = any(each.get("type") == READY and each.get("status") == "True" for each in conditions)
    digest = _DIGEST.search(pod.images.get(container, ""))
    return PluginPod(
        node=_line(pod.node),
        specification=_line((item["metadata"].get("annotations") or {}).get(SPECIFICATION)),
        ready=ready and "deletionTimestamp" not in item["metadata"],
        trouble=_line(pod.trouble),
        digest=digest[0] if digest else "",
    )


def _labels(item: Object) -> Object:
    return item["metadata"].get("labels") or {}


def _line(value: t.Any) -> str:
    return printable(value or "")[:LONGEST]
