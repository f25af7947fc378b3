# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads devices, labels and device plugins of nodes. Kubelets, images and others write these values: they are untrusted."""

from __future__ import annotations

import re
import typing as t

from ..._core.text import printable
from ..._kubernetes import mpi_operators
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.device_plugins import dra
from ..._kubernetes.device_plugins.known import DAEMON_SETS, plugins_of
from ..._kubernetes.nodes import devices, labels
from ..._kubernetes.nodes.devices import EFA, GPU
from ..._kubernetes.nodes.observe import FORBIDDEN, working
from ..._kubernetes.pod_runner.pods import Pod
from .model import NODES, PLUGINS, SLICES, Described, OfNode, State

ARCHITECTURE = "kubernetes.io/arch"
DRIVER = "nvidia.com/cuda.driver-version.full"
PARTS_OF_DRIVER = tuple(f"nvidia.com/cuda.driver.{each}" for each in ("major", "minor", "rev"))
"""Labels of GPU feature discovery. Old releases set only these parts of the version."""
_VERSION = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5}){0,3}")
LONGEST, MOST_NAMED = 150, 3
"""Limits: characters of a text, and number of DaemonSets."""
OfNodes = dict[str, Described]
T = t.TypeVar("T")


def observe(kubernetes: Kubernetes, names: t.Collection[str]) -> State:
    """:raises KubernetesError: except for lists that the caller may not read."""
    read = kubernetes.items
    unread: dict[str, str] = {}
    items = _allowed(unread, NODES, lambda: read(labels.NODES)) or []
    pods = _allowed(unread, PLUGINS, lambda: read(labels.PODS)) or []
    nodes = _described_by_name(items, working(pods), names)
    owners = _allowed(unread, PLUGINS, lambda: _owners(read(DAEMON_SETS))) or {}
    plugins = _plugins(pods, owners)
    slices = _allowed(unread, SLICES, lambda: dra.slices(kubernetes)) or frozenset()
    called = {resource: tuple(sorted(name for kind, name in owners.values() if kind == resource)) for resource in (GPU, EFA)}
    owners_of_jobs = _allowed({}, "", lambda: mpi_operators.read(kubernetes)) or mpi_operators.Owners()
    return State(
        nodes=nodes,
        daemon_sets={resource: each[:MOST_NAMED] for resource, each in called.items()},
        plugins=plugins,
        slices=slices,
        mpi_clash=owners_of_jobs.clash,
        unread=unread,
    )


def _allowed(unread: dict[str, str], what: str, look: t.Callable[[], T]) -> T | None:
    """The list; None if the caller may not read it."""
    try:
        return look()
    except KubernetesError as error:
        if error.status != FORBIDDEN:
            raise
        unread[what] = _line(error)
        return None


def _described_by_name(items: t.Sequence[Object], pods: t.Mapping[str, t.Sequence[str]], names: t.Collection[str]) -> OfNodes:
    known = devices.nodes_of(items, pods)
    marks = {each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in items}
    return {name: _described(known[name], marks[name]) for name in names if name in known}


def _described(node: devices.Node, marks: t.Mapping[str, t.Any]) -> Described:
    version = str(marks.get(DRIVER) or ".".join(str(marks[each]) for each in PARTS_OF_DRIVER if marks.get(each)))
    driver = version if _VERSION.fullmatch(version) else ""
    return Described(node, _line(marks.get(labels.TYPE)), _line(marks.get(ARCHITECTURE)), driver)


def _owners(items: t.Iterable[Object]) -> dict[str, tuple[str, str]]:
    """The resource and the name of each DaemonSet of a device plugin, keyed by UID."""
    return {
        item["metadata"]["uid"]: (resource, _line(f"{item['metadata']['namespace']}/{item['metadata']['name']}"))
        for item in items
        for resource in (plugin.resource for plugin in plugins_of(item))
    }


def _plugins(items: t.Iterable[Object], owners: t.Mapping[str, tuple[str, str]]) -> dict[OfNode, str]:
    found: dict[OfNode, str] = {}
    for item in items:
        pod = Pod.of(item)
        if pod.job in owners and pod.node:
            place = (pod.node, owners[pod.job][0])
            why = "" if _is_ready(item) else _line(pod.trouble or f"phase {pod.phase}")
            found[place] = found.get(place, why) and why
    return found


def _is_ready(item: Object) -> bool:
    conditions = (item.get("status") or {}).get("conditions") or ()
    ready = any(each.get("type") == labels.READY and each.get("status") == "True" for each in conditions)
    return ready and "deletionTimestamp" not in item["metadata"]


def _line(value: t.Any) -> str:
    return printable(value or "")[:LONGEST]
