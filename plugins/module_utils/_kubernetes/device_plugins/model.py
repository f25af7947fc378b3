# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The device plugins to install, and what offers the devices of the cluster."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..client import Object
from ..objects.model import Found
from .known import Plugin

NAMESPACE = "kube-system"
DAEMON_SET, DEVICE_CLASS, RESOURCE_SLICES, IMAGE = "DaemonSet", "DeviceClass", "ResourceSlices", "operating system"
"""The kinds of providers. Bottlerocket's image for NVIDIA GPUs contains NVIDIA's device plugin."""


def name_of(plugin: Plugin) -> str:
    """The name of our DaemonSet."""
    return f"mlfleet-{plugin.key}-device-plugin"


@dataclass(frozen=True)
class Wanted:
    plugin: Plugin
    instance_types: tuple[str, ...] = ()
    """The types of the nodes that need the plugin; empty if it must not be installed."""
    image: str = ""


@dataclass(frozen=True)
class Desired:
    wanted: tuple[Wanted, ...]
    tolerations: tuple[Object, ...] = ()

    @property
    def present(self) -> bool:
        return any(each.instance_types for each in self.wanted)


@dataclass(frozen=True)
class Provider:
    """Something else that offers a plugin's resource."""

    kind: str
    name: str
    instance_types: frozenset[str] | None = None
    """The instance types of its nodes; None if they are not known."""

    def covered(self, types: t.Iterable[str]) -> list[str]:
        return [each for each in types if self.instance_types is None or each in self.instance_types]

    @property
    def described(self) -> str:
        return f"the {self.kind} {self.name}"


@dataclass(frozen=True)
class Machine:
    """A node of a given instance type, except nodes of EKS Auto Mode."""

    name: str
    instance_type: str
    offered: t.Mapping[str, int] = field(default_factory=dict)
    """The number of devices that the kubelet offers, keyed by resource."""
    not_ready: str = ""
    bottlerocket: bool = False


@dataclass(frozen=True)
class PluginPod:
    node: str
    specification: str = ""
    """The hash of the template from which the Pod was created."""
    ready: bool = True
    trouble: str = ""
    """Why the Pod is not ready; empty if unknown."""
    digest: str = ""
    """The digest of the running image; empty if unknown."""


@dataclass(frozen=True)
class State:
    ours: t.Mapping[str, Found]
    """Our DaemonSets, keyed by plugin."""
    providers: t.Mapping[str, tuple[Provider, ...]] = field(default_factory=dict)
    """Other providers, keyed by plugin."""
    machines: tuple[Machine, ...] = ()
    pods: t.Mapping[str, tuple[PluginPod, ...]] = field(default_factory=dict)
    """The Pods of our DaemonSets, keyed by plugin."""
