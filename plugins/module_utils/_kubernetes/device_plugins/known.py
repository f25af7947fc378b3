# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The device plugins that this collection recognizes and installs, and the nodes on which a DaemonSet runs. No I/O.

Sources: NVIDIA's device plugin 0.20.0, its GPU operator and its DRA driver (August 2026), AWS's charts aws-efa-k8s-device-plugin
0.5.30 and aws-dranet 1.0.0, and eksctl 0.230.0. HyperPod's chart installs the same plugins.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..client import Object
from ..nodes.devices import EFA, GPU
from ..nodes.labels import TYPE

DAEMON_SETS = "/apis/apps/v1/daemonsets"
FOLDER = "/var/lib/kubelet/device-plugins"
"""The folder on nodes in which device plugins register with the kubelet."""


@dataclass(frozen=True)
class Plugin:
    key: str
    """The plugin's name in options and results of this collection."""
    described: str
    resource: str
    container: str
    """The prefix of the names of its containers in the published manifests."""
    repository: str
    """The end of its image's repository. NVIDIA's image also contains other programs."""
    driver: str
    """The DRA driver of the same devices, as ResourceSlices name it."""
    device_class: str
    """The DeviceClass that the installation of this DRA driver creates."""


NVIDIA = Plugin(
    key="nvidia",
    described="NVIDIA's device plugin",
    resource=GPU,
    container="nvidia-device-plugin",
    repository="nvidia/k8s-device-plugin",
    driver="gpu.nvidia.com",
    device_class="gpu.nvidia.com",
)
AWS_EFA = Plugin(
    key="efa",
    described="AWS's EFA device plugin",
    resource=EFA,
    container="aws-efa-k8s-device-plugin",
    repository="aws-efa-k8s-device-plugin",
    driver="dra.net",
    device_class="efa.networking.k8s.aws",
)
PLUGINS = (NVIDIA, AWS_EFA)


def plugins_of(item: Object) -> list[Plugin]:
    """The device plugins that a DaemonSet runs."""
    spec = pod_spec(item)
    return [each for each in PLUGINS if any(_runs(each, container, spec) for container in spec.get("containers") or ())]


def instance_types(item: Object) -> frozenset[str] | None:
    """The instance types that a DaemonSet is limited to; None if it has no such limit."""
    spec = pod_spec(item)
    selected = (spec.get("nodeSelector") or {}).get(TYPE)
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ()
    return _both(frozenset((selected,)) if selected else None, _either(list(map(_of_term, terms))))


def pod_spec(item: Object) -> Object:
    return dict(((item.get("spec") or {}).get("template") or {}).get("spec") or {})


def _runs(plugin: Plugin, container: Object, spec: Object) -> bool:
    """Recognize a container by its name, or by its image if it can also register with the kubelet.

    GPU feature discovery and the control daemon of NVIDIA's MPS have the image of NVIDIA's plugin, but do not register.
    """
    if str(container.get("name")).startswith(plugin.container):
        return True
    repository = re.sub(r"(:[^:/@]*)?(@.*)?$", "", str(container.get("image") or ""))
    return f"/{repository}".endswith(f"/{plugin.repository}") and _registers(container, spec)


def _registers(container: Object, spec: Object) -> bool:
    paths = {each.get("name"): str((each.get("hostPath") or {}).get("path")) for each in spec.get("volumes") or ()}
    volumes = {name for name, path in paths.items() if path.rstrip("/") == FOLDER}
    return any(each.get("name") in volumes for each in container.get("volumeMounts") or ())


def _of_term(term: Object) -> frozenset[str] | None:
    """The types of one term, all of whose expressions must match."""
    found: frozenset[str] | None = None
    for each in term.get("matchExpressions") or ():
        if each.get("key") == TYPE and each.get("operator") == "In":
            found = _both(found, frozenset(each.get("values") or ()))
    return found


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _either(terms: t.Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    limits = [each for each in terms if each is not None]
    return frozenset().union(*limits) if limits and len(limits) == len(terms) else None
