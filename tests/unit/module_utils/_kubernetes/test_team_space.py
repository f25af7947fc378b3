# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects of task governance, read and waited for on an in-memory API server."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_space import Desired, desired, look, waited
from unit.module_utils._karpenter.proof.api_server import Server

Object = dict[str, t.Any]
MANAGER = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"
LISTED = "/apis/apps/v1/deployments?labelSelector=control-plane%3Dcontroller-manager"
GROUP = "/apis/kueue.x-k8s.io"
SPACE = "/api/v1/namespaces/hyperpod-ns-research"
QUEUE = f"{GROUP}/v1beta2/namespaces/hyperpod-ns-research/localqueues/hyperpod-ns-research-localqueue"
CLASS = f"{GROUP}/v1beta2/workloadpriorityclasses/training-priority"
WANTED = Desired(("research",), ("training",), "teams")


def manager(*, generation: int = 1, observed: int = 1, available: str = "True") -> Object:
    spec = {"template": {"spec": {"containers": [{"image": "registry/kueue:v0.19.2\x1b"}]}}}
    status = {"observedGeneration": observed, "conditions": [{"type": "Available", "status": available}]}
    return {"metadata": {"generation": generation}, "spec": spec, "status": status}


def named(**meta: t.Any) -> Object:
    return {"metadata": meta}


class World:
    """``later``: objects that appear one after the other, with each read of the manager."""

    def __init__(self, *later: str) -> None:
        served: Object = {"preferredVersion": {"version": "v1beta2"}, "versions": [{"version": "v1beta1"}, {"version": "v1beta2"}]}
        self.objects: dict[str, Object] = {MANAGER: manager(), GROUP: served, SPACE: named(), QUEUE: named(), CLASS: named()}
        self.later = {path: self.objects.pop(path) for path in later}
        self.paths: list[str] = []
        self.managers: list[Object] = []

    def answer(self, method: str, path: str, _body: Object | None) -> tuple[int, Object]:
        assert method == "GET"
        if path.startswith(LISTED):
            return 200, {"items": self.managers}
        if path == MANAGER and MANAGER in self.paths and self.later:
            first = next(iter(self.later))
            self.objects[first] = self.later.pop(first)
        self.paths.append(path)
        return (200, self.objects[path]) if path in self.objects else (404, {})


def clock() -> Clock:
    """Time that only waiting advances."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    return Clock(now=lambda: now[0], sleep=sleep)


def test_everything_is_read_and_returned() -> None:
    with Server(World()) as kubernetes:
        found = look(kubernetes, WANTED).to_result()
    assert found["kueue"] == {"installed": True, "available": True, "image": "registry/kueue:v0.19.2?", "elsewhere": []}
    (team,) = found["teams"]
    assert (team["namespace"], team["has_namespace"], team["has_local_queue"]) == ("hyperpod-ns-research", True, True)
    assert found["priority_classes"] == [{"name": "training-priority", "exists": True}] and found["missing"] == []


@pytest.mark.parametrize(
    ("path", "there", "missing"),
    [
        (MANAGER, None, ["an available manager of Kueue"]),
        (MANAGER, manager(available="False"), ["an available manager of Kueue"]),
        (MANAGER, manager(generation=2), ["an available manager of Kueue"]),
        (QUEUE, None, ["LocalQueue hyperpod-ns-research-localqueue"]),
        (CLASS, None, ["WorkloadPriorityClass training-priority"]),
        (SPACE, None, ["namespace hyperpod-ns-research", "LocalQueue hyperpod-ns-research-localqueue"]),
        (SPACE, named(deletionTimestamp="x"), ["namespace hyperpod-ns-research", "LocalQueue hyperpod-ns-research-localqueue"]),
        (GROUP, None, ["LocalQueue hyperpod-ns-research-localqueue", "WorkloadPriorityClass training-priority"]),
    ],
)
def test_missing_objects_are_listed(path: str, there: Object | None, missing: list[str]) -> None:
    world = World(path)
    world.later.clear()
    if there is not None:
        world.objects[path] = there
    with Server(world) as kubernetes:
        assert look(kubernetes, WANTED).missing() == missing


def test_another_kueue_is_found_in_any_namespace() -> None:
    world, by_label = World(), {"app.kubernetes.io/name": "kueue"}
    places = ("kueue-system", "kueue-controller-manager", {}), ("b\x1b", "kueue-controller-manager", {}), ("a", "x-kueue-controller-manager", by_label)
    others = ("c", "tekton-kueue-controller-manager", {"app.kubernetes.io/name": "tekton-kueue"}), ("d", "manager", None)
    world.managers = [named(namespace=space, name=name, labels=labels) for space, name, labels in (*places, *others)]
    with Server(world) as kubernetes:
        found = waited(kubernetes, Desired(), None)
    assert found.to_result()["kueue"]["elsewhere"] == ["a/x-kueue-controller-manager", "b?/kueue-controller-manager"]


def test_the_wait_ends_when_everything_exists() -> None:
    world = World(SPACE, QUEUE, CLASS)
    with Server(world) as kubernetes:
        found = waited(kubernetes, WANTED, Waits(timeout=60, interval=1, clock=clock()))
    assert found.missing() == [] and world.paths.count(MANAGER) == 4


def test_kueue_alone_needs_no_team() -> None:
    with Server(World(MANAGER)) as kubernetes:
        found = waited(kubernetes, Desired(wait_for="kueue"), Waits(timeout=60, interval=1, clock=clock()))
    assert found.available


def test_a_timeout_reports_what_is_missing() -> None:
    world = World(QUEUE)
    world.later.clear()
    with Server(world) as kubernetes, pytest.raises(WaitTimeout) as over:
        waited(kubernetes, WANTED, Waits(timeout=5, interval=1, clock=clock()))
    assert "without LocalQueue hyperpod-ns-research-localqueue" in str(over.value)


def test_check_mode_and_a_removed_team_do_not_wait() -> None:
    for wanted, waits in ((WANTED, None), (Desired(("research",)), Waits(timeout=5, interval=1, clock=clock()))):
        world = World(SPACE)
        world.later.clear()
        with Server(world) as kubernetes:
            assert "namespace hyperpod-ns-research" in waited(kubernetes, wanted, waits).missing()
        assert world.paths.count(MANAGER) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"teams": ["Research"]}, "teams: 'Research' is not allowed. Allowed: names of teams"),
        ({"teams": ["a" * 52]}, "teams: 'aaa"),
        ({"teams": ["a", "a"]}, "teams: 'a' is not allowed"),
        ({"priority_classes": ["-"]}, "priority_classes: '-' is not allowed. Allowed: names of priority classes"),
        ({"wait_for": "teams"}, "teams: missing; wait_for=teams requires entries in teams or priority_classes."),
    ],
)
def test_invalid_options_are_refused(given: Object, message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({"teams": [], "priority_classes": [], "wait_for": "none", **given})
    assert message in str(refused.value)
