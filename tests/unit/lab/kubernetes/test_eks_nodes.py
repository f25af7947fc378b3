# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How instances of node groups join the cluster, and which devices they offer."""

from __future__ import annotations

import typing as t

import pytest
from lab.aws.control.client import Control
from lab.kubernetes.eks_nodes import EFA, GPU, EksNodes, devices, machine_of, plugins
from lab.kubernetes.kubelets import Kubelets, Machine
from lab.names import ACCOUNT, OTHER_ACCOUNT

GPU_IMAGE, EFA_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.19.3", "example.com/eks/aws-efa-k8s-device-plugin:v0.5.15"


class Rows:
    """The control interface."""

    def __init__(self) -> None:
        self.rows: list[dict[str, t.Any]] = []
        self.ids: list[str] = []

    def eks_nodes(self) -> list[dict[str, t.Any]]:
        return self.rows

    def joined(self, ids: t.Iterable[str]) -> None:
        self.ids.extend(ids)


class Api:
    """Pods and nodes, with the merged changes."""

    def __init__(self) -> None:
        self.pods: list[dict[str, t.Any]] = []
        self.taints: list[dict[str, str]] = []
        self.merged: list[tuple[str, t.Any]] = []

    def get(self, path: str) -> dict[str, t.Any]:
        return {"items": self.pods} if path.endswith("/pods") else {"spec": {"taints": self.taints}}

    def merge(self, path: str, body: t.Any) -> None:
        self.merged.append((path.rpartition("/nodes/")[2], body))


class Adders:
    def __init__(self, api: Api) -> None:
        self.api = api
        self.log: list[str] = []

    def add(self, machine: Machine) -> None:
        self.log.append(f"+{machine.name}")

    def remove(self, name: str) -> None:
        self.log.append(f"-{name}")


def row(instance: str, name: str = "", **more: t.Any) -> dict[str, t.Any]:
    fixed = {"account": ACCOUNT, "instance_id": instance, "name": name or f"ip-{instance}", "group": "gpus", "joins": True}
    kubelet = {"labels": {"a": "b"}, "taints": [], "kubelet": "v1.34.2", "provider_id": f"aws:///us-west-2a/{instance}"}
    return {**fixed, **kubelet, "capacity": {"cpu": "8"}, "gpus": 8, "efa": 4, "supports_efa": True, **more}


def pod(node: str, image: str, phase: str = "Running", owner: str = "DaemonSet") -> dict[str, t.Any]:
    spec = {"nodeName": node, "containers": [{"image": image}]}
    return {"metadata": {"ownerReferences": [{"kind": owner}]}, "spec": spec, "status": {"phase": phase}}


class Place:
    def __init__(self) -> None:
        self.control, self.api = Rows(), Api()
        self.hollow, self.real = Adders(self.api), Adders(self.api)
        self.nodes = EksNodes(t.cast(Control, self.control), t.cast(Kubelets, self.hollow), {"real": self.real})

    def turn(self, *rows: dict[str, t.Any]) -> None:
        self.control.rows = list(rows)
        self.nodes.turn()


@pytest.fixture
def place() -> Place:
    return Place()


def test_instances_join_once_in_the_way_of_their_group_and_leave_before_others_join(place: Place) -> None:
    first = (row("i-1"), row("i-2", group="real"), row("i-3", joins=False), row("i-4", account=OTHER_ACCOUNT))
    place.turn(*first)
    place.turn(*first)
    assert (place.hollow.log, place.real.log, place.control.ids) == (["+ip-i-1"], ["+ip-i-2"], ["i-1", "i-2"])
    place.turn(row("i-5", "ip-i-1"))
    assert (place.hollow.log, place.real.log) == (["+ip-i-1", "-ip-i-1", "+ip-i-1"], ["+ip-i-2", "-ip-i-2"])


def test_a_node_that_joined_stays_when_others_no_longer_join(place: Place) -> None:
    place.turn(row("i-1"))
    place.turn(row("i-1", joins=False))
    assert place.hollow.log == ["+ip-i-1"]


def test_labels_and_taints_follow_the_group_and_foreign_ones_stay(place: Place) -> None:
    old, new, foreign = ({"key": key, "effect": "NoSchedule"} for key in ("old", "new", "foreign"))
    place.turn(row("i-1", taints=[old]))
    place.api.taints = [foreign, old]
    place.turn(row("i-1", labels={"c": "d"}, taints=[new]))
    expected = [("ip-i-1", {"metadata": {"labels": {"a": None, "c": "d"}}}), ("ip-i-1", {"spec": {"taints": [foreign, new]}})]
    assert place.api.merged == expected
    place.turn(row("i-1", labels={"c": "d"}, taints=[new]))
    assert place.api.merged == expected


def test_devices_come_and_end_with_their_plugin(place: Place) -> None:
    place.turn(row("i-1"))
    assert place.api.merged == []
    place.api.pods = [pod("ip-i-1", GPU_IMAGE), pod("other", EFA_IMAGE)]
    place.turn(row("i-1"))
    place.turn(row("i-1"))
    one = {GPU: "8"}
    assert place.api.merged == [("ip-i-1/status", {"status": {"capacity": one, "allocatable": one}})]
    place.api.pods = []
    place.turn(row("i-1"))
    assert place.api.merged[1:] == [("ip-i-1/status", {"status": {"capacity": {GPU: "0"}, "allocatable": {GPU: "0"}}})]


@pytest.mark.parametrize(
    ("images", "expected"),
    [([], {}), ([GPU_IMAGE], {GPU: "8"}), ([EFA_IMAGE], {EFA: "4"}), ([EFA_IMAGE, GPU_IMAGE], {GPU: "8", EFA: "4"}), (["nginx"], {})],
)
def test_each_plugin_offers_its_own_devices(images: list[str], expected: dict[str, str]) -> None:
    assert devices(row("i-1"), images) == expected


def test_a_plugin_offers_no_devices_that_the_node_lacks() -> None:
    assert devices(row("i-1", gpus=0, efa=0), [GPU_IMAGE, EFA_IMAGE]) == {}


def test_only_a_running_pod_of_a_daemon_set_is_a_plugin() -> None:
    assert plugins(pod("a", GPU_IMAGE)) == [GPU_IMAGE]
    assert plugins(pod("a", GPU_IMAGE, phase="Pending")) == [] == plugins(pod("a", GPU_IMAGE, owner="ReplicaSet"))
    leaving = pod("a", GPU_IMAGE)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-01T00:00:00Z"
    assert plugins(leaving) == []


def test_huge_pages_need_no_plugin_but_a_type_with_efa() -> None:
    assert machine_of(row("i-1")).resources == {"cpu": "8", "hugepages-2Mi": "10256Mi"}
    assert machine_of(row("i-1", supports_efa=False)).resources == {"cpu": "8"}
    assert machine_of(row("i-1")).version == "v1.34.2-eks-lab"
