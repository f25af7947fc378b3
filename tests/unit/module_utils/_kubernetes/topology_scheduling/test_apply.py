# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kueue's file is written, its manager restarted, and the file restored if the manager does not start."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.apply import Switch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.observe import gates_of

MANAGER = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"
FILE = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config"
BEFORE, STAMP = "mlfleet.hyperpod/before", "kubectl.kubernetes.io/restartedAt"
ON = "apiVersion: config.kueue.x-k8s.io/v1beta2\n"
Object = dict[str, t.Any]


class Cluster:
    """Kueue; ``starts`` is the outcome of each restart of its manager: ``up``, ``slow`` or ``crashes``."""

    def __init__(self, *starts: str, conflict: str = "", status: int = 409) -> None:
        self.starts, self.conflict, self.status = list(starts), conflict, status
        self.state = "up"
        self.text, self.annotations, self.stamp, self.version = ON, {}, "", 7
        self.patches: list[tuple[str, Object]] = []
        self.written_by_others = ""

    def find(self, path: str) -> Object | None:
        if path == FILE:
            return {"metadata": {"resourceVersion": str(self.version), "annotations": self.annotations}, "data": {"config.yaml": self.text}}
        assert path == MANAGER
        up = {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1 if self.state == "up" else 0, "replicas": 1}
        template = {"metadata": {"annotations": {STAMP: self.stamp}}, "spec": {"containers": [{"image": "kueue:v0.15.0"}]}}
        return {"metadata": {"name": "kueue-controller-manager", "generation": 1}, "spec": {"replicas": 1, "template": template}, "status": up}

    def items(self, path: str) -> list[Object]:
        if not path.endswith("/pods") or self.state != "crashes":
            return []
        meta = {"name": "p", "annotations": {STAMP: self.stamp}, "ownerReferences": [{"name": "kueue-controller-manager-1"}]}
        container = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1}}}
        return [{"metadata": meta, "status": {"containerStatuses": [container]}}]

    def merge(self, target: str, patch: Object) -> None:
        path, _mark, query = target.partition("?")
        assert query == "fieldManager=mlfleet.hyperpod"
        if path == self.conflict:
            raise KubernetesError("refused", self.status)
        self.patches.append((path, patch))
        if path == MANAGER:
            self.stamp = patch["spec"]["template"]["metadata"]["annotations"][STAMP]
            self.state = self.starts.pop(0)
            self.text = self.written_by_others or self.text
            return
        for key, value in patch["metadata"].get("annotations", {}).items():
            self.annotations = {**self.annotations, key: value} if value is not None else {}
        self.text = patch.get("data", {}).get("config.yaml", self.text)
        self.version += 1


class Run:
    def __init__(self, cluster: Cluster, *, on: bool = False) -> None:
        paused: list[float] = []
        clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
        self.seen: list[State] = []
        self.switch = Switch(t.cast(t.Any, cluster), Desired(on=on), Waits(timeout=60, interval=20, clock=clock), self.seen.append)


def test_the_file_is_written_before_the_restart() -> None:
    cluster = Cluster("up")
    run = Run(cluster)
    made, state = run.switch.done()
    (path, write), (second, _restart), (third, forget) = cluster.patches
    assert (path, second, third) == (FILE, MANAGER, FILE)
    assert write["metadata"] == {"resourceVersion": "7", "annotations": {BEFORE: ON}}
    assert gates_of(write["data"]["config.yaml"]) == {"TASProfileMixed": False, "TopologyAwareScheduling": False}
    assert forget == {"metadata": {"annotations": {BEFORE: None}}} and cluster.annotations == {}
    assert state.manager is not None and state.manager.gates["TopologyAwareScheduling"] is False
    assert [each["field"] for each in APPLIED] == [change.field for change in made.changes] and len(run.seen) == 1


def test_check_mode_changes_nothing() -> None:
    cluster = Cluster()
    run = Run(cluster)
    made, after = run.switch.planned()
    assert made and not cluster.patches and after.manager is not None and after.manager.gates["TopologyAwareScheduling"] is False
    assert [state.manager and state.manager.text for state in run.seen] == [ON]


def test_a_manager_as_declared_needs_no_change() -> None:
    cluster = Cluster()
    made, state = Run(cluster, on=True).switch.done()
    assert not made and not cluster.patches and state.manager is not None


def test_a_manager_that_is_not_up_is_waited_for_without_a_change() -> None:
    cluster = Cluster()
    cluster.state = "slow"
    with pytest.raises(Failure, match=r"is still not ready \(1 of 1 Pods are new, and 0 are available; at most 60 s\)"):
        Run(cluster, on=True).switch.done()


@pytest.mark.parametrize(("path", "status", "raised"), [(FILE, 409, LostRace), (MANAGER, 409, LostRace), (FILE, 403, KubernetesError)])
def test_a_file_changed_concurrently_is_an_error(path: str, status: int, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        Run(Cluster("up", conflict=path, status=status)).switch.done()


RESTORED = "The manager's file was restored"


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        (("crashes", "up"), "pod p keeps failing: exit status 1.*The manager's file was restored and the manager is ready again. Nothing has changed"),
        (("slow", "up"), "is still not ready.*The manager's file was restored and the manager is ready again. Nothing has changed"),
        (("slow", "crashes"), f"{RESTORED}, but the manager does not become ready: .*pod p keeps failing.*The next run continues from this state"),
        (("crashes", "slow"), f"{RESTORED}, but the manager does not become ready: .*is still not ready.*The next run continues from this state"),
    ],
)
def test_the_file_is_restored_if_the_manager_does_not_start(starts: tuple[str, ...], message: str) -> None:
    cluster = Cluster(*starts)
    with pytest.raises(Failure, match=message):
        Run(cluster).switch.done()
    assert cluster.text == ON and not cluster.starts
    assert cluster.patches[2] == (FILE, {"metadata": {"resourceVersion": "8", "annotations": {BEFORE: ON}}, "data": {"config.yaml": ON}})
    assert (cluster.annotations == {}) is (starts[-1] == "up")


def test_a_file_changed_by_others_meanwhile_is_not_restored() -> None:
    cluster = Cluster("crashes")
    cluster.written_by_others = f"{ON}other: true\n"
    with pytest.raises(Failure, match="The manager's file was changed concurrently and was not restored. Correct the file by hand"):
        Run(cluster).switch.done()
    assert cluster.text == cluster.written_by_others
