# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The devices that drivers for dynamic resource allocation (DRA) offer. Drivers and kubelets are untrusted."""

from __future__ import annotations

import typing as t

from ..client import Kubernetes, Object
from ..nodes.devices import EFA
from .known import PLUGINS

GROUP = "/apis/resource.k8s.io"
VERSIONS = ("v1", "v1beta2", "v1beta1")
"""The API versions of ResourceSlices and DeviceClasses, the preferred one first."""
RESOURCES = {each.driver: each.resource for each in PLUGINS}
"""The drivers of ResourceSlices. NVIDIA's other driver, compute-domain.nvidia.com, offers no GPUs."""
IS_EFA = "Elastic Fabric Adapter (EFA)"
"""``pciDevice`` of an EFA device. The driver dra.net may also offer other network interfaces."""
OfNode = tuple[str, str]
"""The name of a node, and a resource: ``GPU`` or ``EFA``."""


def slices(kubernetes: Kubernetes) -> frozenset[OfNode]:
    """The nodes and resources that DRA offers.

    :raises KubernetesError:
    """
    return frozenset(_offered(_items(kubernetes, "resourceslices")))


def device_classes(kubernetes: Kubernetes) -> frozenset[str]:
    """The names of the DeviceClasses.

    :raises KubernetesError:
    """
    return frozenset(str(each["metadata"]["name"]) for each in _items(kubernetes, "deviceclasses"))


def _items(kubernetes: Kubernetes, plural: str) -> list[Object]:
    """Read the API group first, which every user may read, because the API server may refuse a list in a missing group with 403."""
    served = {each.get("version") for each in (kubernetes.find(GROUP) or {}).get("versions") or ()}
    version = next((each for each in VERSIONS if each in served), None)
    return kubernetes.items(f"{GROUP}/{version}/{plural}") if version else []


def _offered(items: t.Iterable[Object]) -> t.Iterator[OfNode]:
    for item in items:
        spec = item["spec"]
        resource, node = RESOURCES.get(spec.get("driver")), spec.get("nodeName")
        if resource and node and any(resource != EFA or _is_efa(each) for each in spec.get("devices") or ()):
            yield node, resource


def _is_efa(device: Object) -> bool:
    """Whether the device is an EFA device. In v1beta1, the attributes are below ``basic``."""
    attributes = (device.get("basic") or device).get("attributes") or {}
    return any((attributes.get(name) or {}).get("string") == IS_EFA for name in ("dra.net/pciDevice", "pciDevice"))
