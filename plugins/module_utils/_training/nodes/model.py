# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What nodes must have, what the cluster reports about them, and the problems. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._kubernetes.nodes.devices import GPU, Node

FAILED, NOT_VERIFIED, NOTE = "failed", "not_verified", "note"
"""Statuses of a problem. A note changes no verdict."""
DEVICE_PLUGIN, DRA, BOTH, NONE, NOT_READ = "device-plugin", "dra", "both", "none", "not-read"
"""What offers devices of a node. DRA is dynamic resource allocation."""
NODES, PLUGINS, SLICES = "Nodes", "DaemonSets and Pods of device plugins", "ResourceSlices"
"""Lists that are read; the caller may lack the right to one."""
OfNode = tuple[str, str]
"""Name of a node, and a resource: ``GPU`` or ``EFA``."""


@dataclass(frozen=True)
class Desired:
    nodes: tuple[str, ...]
    """Names in Kubernetes."""
    instance_type: str
    gpus: int
    """Per node."""
    efa: int = 0
    """EFA devices per node; 0 if none are required."""
    idle: bool = False
    """Nodes that take no Pods, or have Pods with accelerators, are left out."""


@dataclass(frozen=True)
class Described:
    """A node, with what its labels say. Texts are printable and short."""

    node: Node
    instance_type: str = ""
    architecture: str = ""
    driver: str = ""
    """Version of NVIDIA's driver. Empty for nodes that lack the labels, like all other fields."""

    def offered(self, resource: str) -> int:
        return self.node.gpus if resource == GPU else self.node.efa


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, Described] = field(default_factory=dict)
    """By name; those that exist."""
    daemon_sets: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the DaemonSets of device plugins, by resource."""
    plugins: t.Mapping[OfNode, str] = field(default_factory=dict)
    """Why no Pod of the device plugin is ready on a node; empty if one is. Nodes without such a Pod are missing."""
    slices: frozenset[OfNode] = frozenset()
    """Devices that DRA offers."""
    unread: t.Mapping[str, str] = field(default_factory=dict)
    """Why ``NODES``, ``PLUGINS`` or ``SLICES`` could not be read."""

    def provider(self, name: str, resource: str) -> str:
        """What offers a resource of a node. A kubelet offers it only for a device plugin, which some images run without a Pod."""
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
    """Start of a sentence, about all nodes that have the problem."""
    step: str
    """The next step; a sentence without its period."""
    status: str = FAILED
    node: str = ""
    """Empty if the problem is about no node."""
    detail: str = ""
    """About the node."""
