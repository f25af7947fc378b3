# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes are patched one by one, and then waited for."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.apply import PASSING, Cordons
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import HEALTH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.observe import CORDONED_FOR

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
FIRST, SECOND = "hyperpod-i-1", "hyperpod-i-2"
BY_US = "?fieldManager=mlfleet.hyperpod"
Object = dict[str, t.Any]


class ApiServer:
    """Nodes and pods; ``turns`` are the events before each listing of nodes."""

    def __init__(self, *names: str, pods: t.Sequence[str] = (), turns: t.Sequence[t.Callable[[ApiServer], object]] = ()) -> None:
        self.nodes = {name: self._node(name) for name in names}
        self.pods = list(pods)
        """Names of nodes on which a pod has accelerators."""
        self.turns = list(turns)
        self.patches: list[tuple[str, Object]] = []
        self.errors: list[int] = []

    def _node(self, name: str) -> Object:
        ready = {"type": "Ready", "status": "True"}
        return {"metadata": {"name": name, "labels": {}, "annotations": {}}, "spec": {}, "status": {"conditions": [ready]}}

    def adds(self, name: str) -> None:
        self.nodes[name] = self._node(name)

    def items(self, path: str, **_query: str) -> list[Object]:
        if path.startswith(NODES) and self.turns:
            self.turns.pop(0)(self)
        if self.errors:
            status = self.errors.pop(0)
            raise KubernetesError(f"GET {path} was answered with {status}", status)
        if path.startswith(NODES):
            return list(self.nodes.values())
        gpus = {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}
        return [
            {"metadata": {"name": f"train-{number}", "namespace": "a"}, "spec": {**gpus, "nodeName": name}, "status": {"phase": "Running"}}
            for number, name in enumerate(self.pods)
        ]

    def merge(self, path: str, patch: Object) -> None:
        self.patches.append((path, patch))
        node = self.nodes[path.partition("?")[0].rpartition("/")[2]]
        node["metadata"]["annotations"].update(patch["metadata"].get("annotations", {}))
        node["metadata"]["labels"].update(patch["metadata"].get("labels", {}))
        node["spec"].update(patch.get("spec", {}))


def cordons(server: ApiServer, state: str = "cordoned", **more: t.Any) -> Cordons:
    given = {"reason": "repair", "refuses_pods": False, "until_ready": False, **more}
    seconds = [0.0]

    def sleep(pause: float) -> None:
        seconds[0] += pause

    clock = Clock(now=lambda: seconds[0], sleep=sleep, jitter=lambda: 0.0)
    desired = Desired(state=state, instance_ids=("i-1", "i-2"), **given)
    return Cordons(t.cast(t.Any, server), desired, Waits(timeout=30, interval=5, clock=clock))


def patch(reason: str | None) -> Object:
    return {"metadata": {"annotations": {CORDONED_FOR: reason}}, "spec": {"unschedulable": True if reason else None}}


def test_check_mode_changes_nothing() -> None:
    server = ApiServer(FIRST, SECOND)
    made, after = cordons(server).planned()
    assert len(made.steps) == 2 and server.patches == [] and after.nodes[FIRST].unschedulable


def test_each_node_gets_one_patch() -> None:
    server = ApiServer(FIRST, SECOND)
    made, after = cordons(server).done()
    assert server.patches == [(f"{NODES}/{name}{BY_US}", patch("repair")) for name in (FIRST, SECOND)]
    assert len(made.steps) == 2 and after.nodes[SECOND].cordoned_for == "repair"
    again, _state = cordons(server).done()
    assert again == Plan() and len(server.patches) == 2


def test_a_cordon_waits_for_the_end_of_pods() -> None:
    server = ApiServer(FIRST, SECOND, pods=[SECOND], turns=[lambda _: None, lambda _: None, lambda here: here.pods.clear()])
    _made, after = cordons(server).done()
    assert after.nodes[SECOND].pods == () and server.turns == []


def test_a_cordon_returns_the_last_state_after_a_timeout() -> None:
    _made, after = cordons(ApiServer(FIRST, SECOND, pods=[SECOND])).done()
    assert after.nodes[SECOND].pods == ("a/train-0",)


def test_uncordoning_does_not_wait() -> None:
    server = ApiServer(FIRST, SECOND)
    cordons(server).done()
    server.pods = [FIRST]
    server.patches.clear()
    server.turns = [lambda _: None]
    cordons(server, "uncordoned").done()
    assert server.patches == [(f"{NODES}/{name}{BY_US}", patch(None)) for name in (FIRST, SECOND)] and server.turns == []


def test_nodes_that_join_during_a_wait_for_readiness_are_cordoned() -> None:
    server = ApiServer(FIRST, turns=[lambda _: None, lambda _: None, lambda here: here.adds(SECOND)])
    made, after = cordons(server, until_ready=True, refuses_pods=True).done()
    assert [step.arguments["node"] for step in made.steps] == [FIRST, SECOND] and after.nodes[SECOND].unschedulable
    server = ApiServer(FIRST, turns=[lambda _: None, lambda _: None, lambda here: here.adds(SECOND)], pods=[FIRST])
    cordons(server).done()
    assert [path for path, _patch in server.patches] == [f"{NODES}/{FIRST}{BY_US}"]


def test_a_request_for_a_repair_times_out_unless_hyperpod_acts() -> None:
    def acts(here: ApiServer) -> None:
        for node in here.nodes.values():
            node["metadata"]["labels"].clear()

    label = {"metadata": {"labels": {HEALTH: "UnschedulablePendingReboot"}}}
    server = ApiServer(FIRST, SECOND, turns=[lambda _: None, lambda _: None, acts])
    cordons(server, "asked", asks_for="reboot").done()
    assert [sent for _path, sent in server.patches] == [label, label]
    with pytest.raises(WaitTimeout, match="waiting for HyperPod"):
        cordons(ApiServer(FIRST, SECOND), "asked", asks_for="reboot").done()


@pytest.mark.parametrize(
    ("errors", "survives"), [([503] * (PASSING - 1), True), ([503] * PASSING, False), ([403], False)]
)
def test_errors_during_a_wait_are_tolerated_for_a_while(errors: list[int], survives: bool) -> None:
    def fail(here: ApiServer) -> None:
        here.errors = list(errors)

    server = ApiServer(FIRST, SECOND, pods=[SECOND], turns=[lambda _: None, lambda _: None, fail])
    if survives:
        cordons(server).done()
    else:
        with pytest.raises(KubernetesError, match=str(errors[0])):
            cordons(server).done()
