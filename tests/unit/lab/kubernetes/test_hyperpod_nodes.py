# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How machines join the cluster."""

from __future__ import annotations

import typing as t

from lab.aws.control.client import Control
from lab.kubernetes.hyperpod_nodes import HyperPodNodes
from lab.kubernetes.kubelets import Kubelets, Machine


class Joined:
    def __init__(self) -> None:
        self.names: list[str] = []

    def add(self, machine: Machine) -> None:
        self.names.append(machine.name)

    def remove(self, name: str) -> None:
        self.names.remove(name)


class Rows:
    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []

    def nodes(self) -> list[dict[str, str]]:
        return self.rows


def row(instance: str, group: str, status: str = "Running") -> dict[str, str]:
    return {"instance_id": instance, "group": group, "status": status, "eks_arn": "x", "subnet": "s", "instance_type": "ml.g5.8xlarge"}


def test_nodes_of_a_named_group_use_its_adder_and_leave_before_others_join() -> None:
    control, hollow, real = Rows(), Joined(), Joined()
    nodes = HyperPodNodes(t.cast(Control, control), t.cast(Kubelets, hollow), lambda subnet: "a", {"real": real})
    control.rows = [row("i-1", "real"), row("i-2", "other"), row("i-3", "real", "Pending")]
    nodes.turn()
    assert (real.names, hollow.names) == (["hyperpod-i-1"], ["hyperpod-i-2"])
    control.rows = [row("i-3", "real")]
    nodes.turn()
    assert (real.names, hollow.names) == (["hyperpod-i-3"], [])
