# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proof from start to end; its pod is always removed."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Incomplete
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import Proof
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.reasons import Reasons
from unit.module_utils._karpenter.proof.api_server import NODE, POD, Aws, Server, World
from unit.module_utils._karpenter.proof.proof_states import DESIRED, OURS

SHORT = dataclasses.replace(DESIRED, up_seconds=100, down_seconds=60)
UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node."}


class Time:
    """Advances while the code sleeps; ``signals`` are raised at their seconds."""

    def __init__(self, signals: t.Mapping[int, int]) -> None:
        self.seconds = 0.0
        self.signals = dict(signals)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        for moment in [each for each in self.signals if each <= self.seconds]:
            os.kill(os.getpid(), self.signals.pop(moment))

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, self.sleep, lambda: 0.0)


@dataclasses.dataclass
class Run:
    world: World
    applier: Applier
    proof: Proof | None
    error: Failure | None

    @property
    def steps(self) -> list[str]:
        return [each.step for each in self.applier.timeline.moments]

    @property
    def error_text(self) -> str:
        assert self.error is not None
        return str(self.error)

    @property
    def done(self) -> list[str]:
        assert isinstance(self.error, Incomplete)
        return [each.action for each in self.error.done]


def proved(world: World, *, signals: t.Mapping[int, int] | None = None) -> Run:
    aws, error = Aws(world), None
    api = HyperPod(aws)
    with Server(world) as kubernetes:
        observer = Observer(api, Network(aws), None, lambda arn: kubernetes, SHORT)
        world.objects["/api/v1/namespaces/default"] = {"metadata": {"name": "default"}}
        reasons = Reasons(observer, ServiceQuotas(aws))
        applier = Applier(api, observer, SHORT, reasons, progress=Progress(None), clock=Time(signals or {}).clock)
        turns, world.turns = world.turns, []
        steps = plan(SHORT, observer()).steps
        world.turns = turns
        try:
            for step in steps:
                applier(step)
        except Failure as failure:
            error = failure
    return Run(world, applier, observer.proof, error)


def nothing(_world: World) -> None:
    pass


def waiting(world: World) -> None:
    with contextlib.suppress(KeyError):
        world.objects[POD]["status"] = {"phase": "Pending", "conditions": [UNSCHEDULABLE]}


def runs(world: World) -> None:
    world.node()
    world.pod("Running")


def test_a_proof_creates_a_node_and_removes_it() -> None:
    run = proved(World(waiting, lambda world: world.claim("Launched"), runs, nothing, World.no_node))
    assert run.error is None and run.proof is not None and run.proof.proven
    assert (run.proof.group, run.proof.timeline) == ("g5-a", tuple(run.applier.timeline.moments))
    assert run.steps[:3] == ["pod created", "NodeClaim made", "NodeClaim launched"] and "pod running" in run.steps
    assert run.steps[-4:] == ["pod deleted", "node gone from HyperPod", "node gone from Kubernetes", "NodeClaim gone"]
    assert run.world.made == ["POST", "DELETE"] and (run.proof.seconds_up or 0) > 0 < (run.proof.seconds_down or 0)


def test_late_capacity_counts() -> None:
    """The first claim fails, its pod is removed with its node, and a second claim succeeds."""

    def evicted(world: World) -> None:
        world.claim(name="gpus-0")
        world.pod("Failed", reason="Evicted")

    def taken(world: World) -> None:
        del world.objects[POD]
        del world.objects["/apis/karpenter.sh/v1/nodeclaims/gpus-0"]

    run = proved(World(evicted, taken, runs, World.no_node))
    assert run.proof is not None and run.proof.proven, run.error
    assert run.world.made == ["POST", "DELETE", "POST", "POST", "DELETE"]
    assert run.steps.count("pod created again") == 2 and run.steps.index("NodeClaim gone") < run.steps.index("pod running")


def test_a_node_that_does_not_start_in_time_fails_the_proof() -> None:
    run = proved(World(waiting))
    assert "NodePool gpus did not run Pod default/hyperpod-proof-gpus within 100 s: " in run.error_text
    assert "Pod default/hyperpod-proof-gpus has no node, and no known cause applies" in run.error_text
    assert "The scheduler reports: no node." in run.error_text and "So far: pod created (default/hyperpod-proof-gpus) after 0 s." in run.error_text
    assert run.error_text.endswith("Pod default/hyperpod-proof-gpus was removed.") and POD not in run.world.objects
    assert run.done == ["create", "delete"] and run.proof is None


def test_a_node_that_starts_after_the_pod_was_removed_is_reported() -> None:
    run = proved(World(lambda world: world.claim("Launched")))
    left = "Karpenter must still remove NodeClaim gpus-1. Until then, each node costs about 3.06 USD"
    assert f"Pod default/hyperpod-proof-gpus was removed. {left}" in run.error_text


@pytest.mark.parametrize(
    ("status", "message"), [(403, "Choose another namespace"), (409, "Another run has just created Pod"), (422, "No pod was created.")]
)
def test_a_pod_that_was_refused_is_not_removed(status: int, message: str) -> None:
    world = World(nothing)
    world.refusing["POST"] = [status]
    run = proved(world)
    assert message in run.error_text and run.world.made == ["POST"] and not isinstance(run.error, Incomplete)


def test_without_read_permission_no_pod_is_created() -> None:
    world = World(nothing)
    world.refusing["NODES"] = [1]
    with pytest.raises(AwsError, match="ListClusterNodes"):
        proved(world)
    assert world.made == []


def test_a_pod_whose_creation_was_not_confirmed_is_removed() -> None:
    world = World(nothing)
    world.refusing["POST"] = [500]
    run = proved(world)
    assert run.world.made == ["POST", "DELETE"] and "was removed" in run.error_text


def test_a_failed_removal_is_reported_with_the_command_to_run() -> None:
    world = World(waiting)
    world.refusing["DELETE"] = [500] * 9
    run = proved(world)
    assert "could not be removed (DELETE" in run.error_text and "kubectl delete pod -n default hyperpod-proof-gpus" in run.error_text
    assert run.done == ["create"] and run.world.made == ["POST", *["DELETE"] * 4]


def test_a_removal_is_retried() -> None:
    world = World(runs, World.no_node)
    world.refusing["DELETE"] = [500, 503]
    run = proved(world)
    assert run.proof is not None and run.proof.proven and run.world.made == ["POST", *["DELETE"] * 3]


@pytest.mark.parametrize(("statuses", "proven"), [([503] * 4, True), ([503] * 5, False), ([403], False)])
def test_an_api_server_that_does_not_answer_for_a_while_is_tolerated(statuses: list[int], proven: bool) -> None:
    def silent(world: World) -> None:
        world.refusing["GET"] = list(statuses)

    run = proved(World(silent, nothing, nothing, nothing, nothing, runs, World.no_node))
    assert bool(run.proof) is proven and run.world.made == ["POST", "DELETE"]


@pytest.mark.parametrize(("statuses", "proven"), [([409], True), ([503], True), ([422], False)])
def test_a_refused_second_creation_is_retried(statuses: list[int], proven: bool) -> None:
    """The removed pod may still exist while it terminates; in every case none is left at the end."""

    def taken(world: World) -> None:
        del world.objects[POD]
        world.refusing["POST"] = list(statuses)

    run = proved(World(taken, nothing, runs, World.no_node))
    assert bool(run.proof) is proven and run.world.made[-1] == "DELETE" and POD not in run.world.objects
    assert run.steps.count("pod created again") == proven


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_interruption_during_the_wait_removes_the_pod(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    run = proved(World(waiting), signals={20: number, 30: number})
    assert run.error_text == f"The run was interrupted by {number.name}. Pod default/hyperpod-proof-gpus was removed."
    assert run.done == ["create", "delete"] and signal.getsignal(number) is before


def test_an_interruption_during_the_removal_completes_it() -> None:
    """The removal is completed, and the wait for the removal of the node does not start."""

    def running(world: World) -> None:
        runs(world)
        world.refusing["DELETE"] = [500]

    run = proved(World(running, nothing), signals={2: signal.SIGTERM})
    assert run.error_text.startswith("The run was interrupted by SIGTERM. Pod default/hyperpod-proof-gpus was removed. Karpenter must still remove")
    assert run.world.made == ["POST", "DELETE", "DELETE"] and run.done == ["create", "delete"]


def test_an_image_that_cannot_be_pulled_fails_the_proof_early() -> None:
    container = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such\timage"}}}

    def pulling(world: World) -> None:
        world.node()
        world.pod("Pending", containerStatuses=[container])

    run = proved(World(pulling))
    assert "ImagePullBackOff: no such?image): set option image to an image that the node can pull" in run.error_text
    assert "was removed. Karpenter must still remove NodeClaim gpus-1" in run.error_text
    assert run.applier.timeline.moments[-1].seconds < SHORT.up_seconds


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({}, "its container ended with an error"),
        ({"reason": "DeadlineExceeded", "message": "too long"}, ", hyperpod-i-0123456789abcdef0; too long): set option image"),
    ],
)
def test_a_pod_that_ends_with_an_error_fails_the_proof(status: dict[str, str], message: str) -> None:
    def failed(world: World) -> None:
        world.node()
        world.pod("Failed", **status)

    run = proved(World(failed))
    assert message in run.error_text and run.done == ["create", "delete"]


def test_a_node_that_is_not_removed_is_reported_with_the_reason() -> None:
    def held(world: World) -> None:
        meta = {"name": "a", "namespace": "default", "annotations": {"karpenter.sh/do-not-disrupt": "true"}}
        world.objects["/api/v1/namespaces/default/pods/a"] = {
            "metadata": meta,
            "spec": {"containers": [], "nodeName": NODE},
            "status": {"phase": "Running"},
        }

    run = proved(World(runs, held))
    assert "did not remove its nodes of ml.g5.8xlarge within 90 s. Remaining: NodeClaim gpus-1" in run.error_text
    assert "Pods use the nodes: default/a, which has karpenter.sh/do-not-disrupt." in run.error_text
    assert run.done == ["create", "delete"] and run.proof is None


def test_leftovers_of_an_earlier_run_are_removed_first() -> None:
    world = World(nothing, World.no_node, nothing, runs, World.no_node)
    world.node()
    meta = {"name": "hyperpod-proof-gpus", "namespace": "default", "labels": OURS}
    world.objects[POD] = {"metadata": meta, "spec": {"containers": [], "nodeName": NODE}, "status": {"phase": "Running"}}
    run = proved(world)
    assert run.proof is not None and run.proof.proven, run.error
    assert run.steps[0] == "pod of an earlier run deleted" and run.steps.index("NodeClaim gone") < run.steps.index("pod created")
    assert run.world.made == ["DELETE", "POST", "DELETE"]
