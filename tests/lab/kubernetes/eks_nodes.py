# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of EKS node groups: their EC2 instances join Kubernetes, terminated ones leave it, and labels and taints follow the group.

As on EKS, a node offers GPUs and EFA only while a device plugin runs on it: a Pod of a DaemonSet with an image of that plugin.
"""

from __future__ import annotations

import dataclasses
import typing as t

from lab.aws.control.client import Control
from lab.names import ACCOUNT

from .api import Api, Object
from .hyperpod_nodes import Adder
from .kubelets import Kubelets, Machine, ignore_missing
from .played import Played

GPU, EFA, HUGE = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"
EFA_PLUGIN, GPU_PLUGIN = "aws-efa-k8s-device-plugin", "k8s-device-plugin"
"""Parts of the names of images. The first contains the second."""
HUGE_PAGES = "10256Mi"
"""Pages that the AMI of EKS reserves on types with EFA; the plugin is not needed for them."""
PODS = "/api/v1/pods"
Row = dict[str, t.Any]


@dataclasses.dataclass
class Joined:
    """A node: its instance as the API reported it last, and the devices that its plugins offer."""

    row: Row
    adder: Adder
    devices: dict[str, str] = dataclasses.field(default_factory=dict)


class EksNodes(Played):
    """Adds and removes nodes by the simulated API.

    :param of_groups: adders of nodes by node group; ``kubelets`` adds those of all other groups.
    """

    def __init__(self, control: Control, kubelets: Kubelets, of_groups: t.Mapping[str, Adder] | None = None) -> None:
        super().__init__()
        self.control = control
        self.kubelets = kubelets
        self.of_groups = dict(of_groups or {})
        self._known: dict[str, Joined] = {}

    @property
    def api(self) -> Api:
        return self.kubelets.api

    def turn(self) -> None:
        rows = {row["instance_id"]: row for row in self.control.eks_nodes() if row["account"] == ACCOUNT}
        for gone in sorted(self._known.keys() - rows.keys()):
            node = self._known.pop(gone)
            node.adder.remove(node.row["name"])
        for instance, node in self._known.items():
            self._follow_group(node, rows[instance])
        new = sorted(instance for instance in rows.keys() - self._known.keys() if rows[instance]["joins"])
        for instance in new:
            adder = self.of_groups.get(rows[instance]["group"], self.kubelets)
            adder.add(machine_of(rows[instance]))
            self._known[instance] = Joined(rows[instance], adder)
        if new:
            self.control.joined(new)
        self._plug_in()

    def _follow_group(self, node: Joined, row: Row) -> None:
        """Change the labels and taints of the node as those of its group were changed."""
        before, node.row = node.row, row
        path = f"/api/v1/nodes/{row['name']}"
        if row["labels"] != before["labels"]:
            gone: dict[str, None] = dict.fromkeys(before["labels"].keys() - row["labels"].keys())
            self.api.merge(path, {"metadata": {"labels": {**row["labels"], **gone}}})
        if row["taints"] != before["taints"]:
            others = [each for each in self.api.get(path)["spec"].get("taints") or [] if not _among(each, before["taints"])]
            self.api.merge(path, {"spec": {"taints": [*others, *row["taints"]]}})

    def _plug_in(self) -> None:
        """Let each node offer the devices of the plugins that run on it, and none of those that ended."""
        if not self._known:
            return
        pods = self.api.get(PODS)["items"]
        for node in self._known.values():
            images = [image for pod in pods if pod["spec"].get("nodeName") == node.row["name"] for image in plugins(pod)]
            found = devices(node.row, images)
            changed = {**dict.fromkeys(node.devices, "0"), **found}
            if changed != node.devices:
                status = {"capacity": changed, "allocatable": changed}
                ignore_missing(lambda node=node, status=status: self.api.merge(f"/api/v1/nodes/{node.row['name']}/status", {"status": status}))
                node.devices = changed


def machine_of(row: Row) -> Machine:
    """A machine with the labels and taints that EKS and the cloud controller set."""
    pages = {HUGE: HUGE_PAGES} if row["supports_efa"] else {}
    taints = [{"key": each["key"], "value": each.get("value", ""), "effect": each["effect"]} for each in row["taints"]]
    resources = {**row["capacity"], **pages}
    return Machine(row["name"], row["labels"], taints, resources, row["provider_id"], version=f"{row['kubelet']}-eks-lab")


def plugins(pod: Object) -> list[str]:
    """Images of a running Pod of a DaemonSet."""
    owners = [each["kind"] for each in pod["metadata"].get("ownerReferences") or []]
    runs = pod["status"].get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")
    return [each["image"] for each in pod["spec"]["containers"]] if runs and "DaemonSet" in owners else []


def devices(row: Row, images: t.Iterable[str]) -> dict[str, str]:
    """Devices that a node offers with plugins of these images."""
    found = list(images)
    by_efa = any(EFA_PLUGIN in each for each in found)
    by_gpu = any(GPU_PLUGIN in each and EFA_PLUGIN not in each for each in found)
    counts = {GPU: row["gpus"] if by_gpu else 0, EFA: row["efa"] if by_efa else 0}
    return {name: str(count) for name, count in counts.items() if count}


def _among(taint: Object, taints: t.Iterable[Object]) -> bool:
    return any((each["key"], each["effect"]) == (taint["key"], taint["effect"]) for each in taints)
