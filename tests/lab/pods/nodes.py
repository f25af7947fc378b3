# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of Kubernetes that run their Pods: machines of their own, without systemd."""

from __future__ import annotations

import threading
import typing as t

from lab.accelerators.story import Story, healthy
from lab.accelerators.types import TYPES
from lab.hosts import cgroups
from lab.kubernetes import build
from lab.kubernetes.control_plane import ControlPlane
from lab.kubernetes.kubelets import LEASES, Machine, ignore_missing, node_of
from lab.names import LabError, Paths

from . import network, trees
from .names import Names
from .node import Node

FOUND = ("cpu", "memory", "pods", "ephemeral-storage", "hugepages-2Mi")
"""Resources that a kubelet measures; it keeps all others from the status of its Node."""
TYPE = "node.kubernetes.io/instance-type"
UNPUBLISHED = (2.5, 2.5)
"""The simulated bus bandwidth, in GB/s, of types for which none is published: those of 25 Gbit/s, without EFA."""


class RealNodes:
    """At most two machines. They are added and removed as those of ``Kubelets`` are. Their accelerators are healthy at first.

    :param images: names of images that all nodes have. Their containers find Python, and PyTorch if it is installed.
    """

    def __init__(self, paths: Paths, plane: ControlPlane, images: t.Sequence[str] = ()) -> None:
        self.paths = paths
        self.plane = plane
        self.images = list(images)
        self.names = Names(plane.api)
        self.nodes: dict[str, Node] = {}
        self._ended = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """:raises LabError: if a program or a tree is not built."""
        build.kubelet_of(self.plane.programs)
        for tree in (trees.NODE, trees.CONTAINER):
            tree.built()
        network.up()
        self.names.start()

    def stop(self) -> None:
        """Remove all machines; later calls of :meth:`add` do nothing."""
        with self._lock:
            self._ended = True
            for node in self.nodes.values():
                node.down()
            self.nodes.clear()
        self.names.stop()
        network.down()

    def add(self, machine: Machine) -> None:
        """Returns before the node is ready.

        :raises LabError: if there are two already, or the lab's machine has no room for another.
        """
        with self._lock:
            if self._ended:
                return
            free = [number for number in network.NUMBERS if number not in {node.number for node in self.nodes.values()}]
            if not free:
                raise LabError(f"node {machine.name} can't run its Pods: a lab has {len(network.NUMBERS)} such nodes at most")
            cgroups.check_room(1)
            node = self.nodes[machine.name] = Node(self.paths, self.plane, machine, free[0], story_of(machine))
            try:
                self._register(machine)
                node.up(self.images)
            except BaseException:
                self._remove(machine.name)
                raise

    def remove(self, name: str) -> None:
        """The machine is gone, and its Node with it."""
        with self._lock:
            self._remove(name)

    def image(self, name: str) -> None:
        """Give the image another name, on all nodes and on later ones."""
        with self._lock:
            self.images.append(name)
            for node in self.nodes.values():
                node.name_image(name)

    def simulate(self, name: str, story: Story) -> None:
        """Change the accelerators of a node that had some when it was added."""
        self.nodes[name].simulate(story)

    def _register(self, machine: Machine) -> None:
        extended = {name: count for name, count in machine.capacity.items() if name not in FOUND}
        status = {"capacity": extended, "allocatable": extended}
        self.plane.api.create("/api/v1/nodes", {**node_of(machine), "status": status})

    def _remove(self, name: str) -> None:
        node = self.nodes.pop(name, None)
        if node is not None:
            node.down()
        for path in (f"/api/v1/nodes/{name}", f"{LEASES}/{name}"):
            ignore_missing(lambda path=path: self.plane.api.delete(path))


def story_of(machine: Machine) -> Story | None:
    """The healthy accelerators of the node's instance type; None for a type that the lab does not know, and one without GPUs."""
    name = f"ml.{machine.labels.get(TYPE, '').removeprefix('ml.')}"
    known = TYPES.get(name)
    return healthy(name, all_reduce=known.all_reduce or UNPUBLISHED) if known and known.gpus else None
