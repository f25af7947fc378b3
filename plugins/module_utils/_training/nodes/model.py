# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The requirements on nodes, what the cluster reports about the nodes, and the problems."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._kubernetes.nodes.devices import GPU, Node

FAILED, NOT_VERIFIED, NOTE = "failed", "not_verified", "note"
"""The statuses of a problem. A note changes no verdict."""
DEVICE_PLUGIN, DRA, BOTH, NONE, NOT_READ = "device-plugin", "dra", "both", "none", "not-read"
"""What offers the devices of a node. DRA is dynamic resource allocation."""
NODES, PLUGINS, SLICES = "Nodes", "DaemonSets and Pods of device plugins", "ResourceSlices"
"""The lists that are read. The caller may lack the right to read one of them."""
NOT_READ_CODES = {NODES: "nodes-not-read", PLUGINS: "plugins-not-read", SLICES: "slices-not-read"}
NONE_IDLE, TYPE_UNKNOWN, DRA_ONLY, HUGE_PAGES = "none-idle", "instance-type-unknown", "dra-only", "huge-pages-missing"
IMAGE_UNKNOWN, DRIVER_UNKNOWN, ARCHITECTURE_UNKNOWN = "image-unknown", "driver-unknown", "architecture-unknown"
UNPROVEN = frozenset({*NOT_READ_CODES.values(), NONE_IDLE, TYPE_UNKNOWN, DRA_ONLY})
"""The codes of missing evidence. All other codes are proven failures, except those of notes."""
NOTES = frozenset({HUGE_PAGES, IMAGE_UNKNOWN, DRIVER_UNKNOWN, ARCHITECTURE_UNKNOWN})
"""The codes of notes. The jobs themselves prove that nodes without huge pages, or with an unknown driver, can train."""
OfNode = tuple[str, str]
"""The name of a node, and a resource: ``GPU`` or ``EFA``."""


@dataclass(frozen=True)
class Desired:
    nodes: tuple[str, ...]
    """The names of the nodes in Kubernetes."""
    instance_type: str
    gpus: int
    """GPUs per node."""
    efa: int = 0
    """EFA devices per node; 0 if none are required."""
    images: tuple[str, ...] = ()
    """The images of the training jobs, whose requirements the nodes must meet."""
    idle: bool = False
    """Whether to leave out nodes that accept no Pods or run Pods with accelerators."""


@dataclass(frozen=True)
class Described:
    """A node, with values from its labels. Texts are printable and short."""

    node: Node
    instance_type: str = ""
    architecture: str = ""
    driver: str = ""
    """The version of NVIDIA's driver. Each of these three fields is empty if the node lacks its label."""

    def offered(self, resource: str) -> int:
        return self.node.gpus if resource == GPU else self.node.efa


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, Described] = field(default_factory=dict)
    """The nodes that exist, keyed by name."""
    daemon_sets: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of the DaemonSets of device plugins, keyed by resource."""
    plugins: t.Mapping[OfNode, str] = field(default_factory=dict)
    """For each node with a Pod of the device plugin: why no such Pod is ready, or empty if one is ready."""
    slices: frozenset[OfNode] = frozenset()
    """The nodes and resources that DRA offers."""
    unread: t.Mapping[str, str] = field(default_factory=dict)
    """Why ``NODES``, ``PLUGINS`` or ``SLICES`` could not be read."""

    def provider(self, name: str, resource: str) -> str:
        """What offers a node's resource. A kubelet offers it only if a device plugin runs, in some images without a Pod."""
        place, offered = (name, resource), self.nodes[name].offered(resource)
        plugged = bool(offered) or place in self.plugins
        if place in self.slices:
            return BOTH if plugged else DRA
        if SLICES in self.unread or (PLUGINS in self.unread and not offered):
            return NOT_READ
        return DEVICE_PLUGIN if plugged else NONE


@dataclass(frozen=True)
class Problem:
    """Problems that differ only in the last two fields are reported as one."""

    code: str
    text: str
    """The start of a sentence about all nodes that have the problem."""
    step: str
    """The next step: a sentence without its period."""
    node: str = ""
    """Empty if the problem is about no node."""
    detail: str = ""
    """Details about the node."""

    @property
    def status(self) -> str:
        return NOT_VERIFIED if self.code in UNPROVEN else NOTE if self.code in NOTES else FAILED
