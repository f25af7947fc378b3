# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of clusters with EKS, as HyperPod handles them: running nodes join Kubernetes, removed machines leave it."""

from __future__ import annotations

import typing as t

from lab.aws.control.client import Control

from .kubelets import Kubelets, Machine
from .played import Played

HEALTH = "sagemaker.amazonaws.com/node-health-status"
TYPE, ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
GROUP = "sagemaker.amazonaws.com/instance-group-name"
ACCELERATORS = {"ml.p4d.24xlarge": 8, "ml.p5.48xlarge": 8, "ml.p5en.48xlarge": 8, "ml.g5.8xlarge": 1, "ml.g5.12xlarge": 4}


class Adder(t.Protocol):
    """Adds and removes nodes."""

    def add(self, machine: Machine) -> None: ...

    def remove(self, name: str) -> None: ...


class HyperPodNodes(Played):
    """Adds and removes nodes by the simulated API.

    :param zone_of: the zone of a subnet.
    :param of_groups: adders of nodes by instance group; ``kubelets`` adds those of all other groups.
    """

    def __init__(
        self, control: Control, kubelets: Kubelets, zone_of: t.Callable[[str], str], of_groups: t.Mapping[str, Adder] | None = None
    ) -> None:
        super().__init__()
        self.control = control
        self.kubelets = kubelets
        self.zone_of = zone_of
        self.of_groups = dict(of_groups or {})
        self._known: dict[str, Adder] = {}

    def turn(self) -> None:
        rows = {f"hyperpod-{row['instance_id']}": row for row in self.control.nodes() if row["eks_arn"]}
        running = {name for name, row in rows.items() if row["status"] == "Running"}
        for name in sorted(self._known.keys() - rows.keys()):
            self._known.pop(name).remove(name)
        for name in sorted(running - self._known.keys()):
            adder = self.of_groups.get(rows[name]["group"], self.kubelets)
            adder.add(machine_of(name, rows[name], self.zone_of(rows[name]["subnet"])))
            self._known[name] = adder


def machine_of(name: str, row: t.Mapping[str, t.Any], zone: str) -> Machine:
    """A machine with the labels that HyperPod and the cloud controller set."""
    labels = {TYPE: row["instance_type"], ZONE: zone, GROUP: row["group"], HEALTH: "Schedulable"}
    return Machine(name, labels, resources=accelerators(row["instance_type"]), provider_id=f"aws:///sagemaker/cluster/{name}")


def accelerators(instance_type: str) -> dict[str, str]:
    count = ACCELERATORS.get(instance_type, 0)
    return {"nvidia.com/gpu": str(count)} if count else {}
