# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The prerequisites of a job that a cluster has."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import TRAINING, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.observe import observe

from ..._karpenter.proof.api_server import Server
from .described import desired

GROUPS = {
    "/apis/batch/v1": ["jobs", "jobs/status"],
    "/apis/kubeflow.org/v1": ["pytorchjobs", "tfjobs"],
    "/apis/sagemaker.amazonaws.com/v1": ["hyperpodpytorchjobs"],
    "/apis/trainer.kubeflow.org/v1alpha1": ["trainjobs", "clustertrainingruntimes"],
}
RUNTIME = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/torch-distributed"
CLAIM = "/api/v1/namespaces/ml/persistentvolumeclaims/fsx"
OURS = {"metadata": {"name": "mlfleet-training", "labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}}


class World:
    def __init__(self, *groups: str, **there: t.Any) -> None:
        self.there: dict[str, t.Any] = {path: {"resources": [{"name": name} for name in GROUPS[path]]} for path in groups}
        self.there["/api/v1/nodes"] = self.there["/api/v1/pods"] = {"items": []}
        self.statuses: dict[str, int] = {}
        self.there |= there

    def answer(self, method: str, target: str, _body: object) -> tuple[int, t.Any]:
        path = target.partition("?")[0]
        assert method == "GET", path
        return self.statuses.get(path, 200 if path in self.there else 404), self.there.get(path, {})


def seen(world: World, **given: t.Any) -> State:
    with Server(world) as kubernetes:
        return observe(kubernetes, desired(**given))


@pytest.mark.parametrize(
    ("world", "served"),
    [
        (World("/apis/batch/v1"), ("Job",)),
        (World("/apis/batch/v1", "/apis/kubeflow.org/v1"), ("PyTorchJob", "Job")),
        (World("/apis/batch/v1", "/apis/sagemaker.amazonaws.com/v1"), ("HyperPodPyTorchJob", "Job")),
        (World("/apis/batch/v1", "/apis/trainer.kubeflow.org/v1alpha1"), ("Job",)),
        (World("/apis/batch/v1", "/apis/trainer.kubeflow.org/v1alpha1", **{RUNTIME: {}}), ("TrainJob", "Job")),
    ],
)
def test_kinds_that_can_be_created_are_listed(world: World, served: tuple[str, ...]) -> None:
    assert seen(world).served == served


def test_the_claim_is_read() -> None:
    given = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}
    assert seen(World("/apis/batch/v1", **{CLAIM: {"a": 1}}), **given).claim == {"a": 1}
    assert seen(World("/apis/batch/v1"), **given).claim is None
    assert seen(World("/apis/batch/v1")).claim is None


def test_a_foreign_namespace_is_recognised() -> None:
    space = "/api/v1/namespaces/mlfleet-training"
    assert seen(World("/apis/batch/v1", **{space: OURS})).namespace is True and seen(World("/apis/batch/v1")).namespace is False
    with pytest.raises(Refused, match="so it has another owner"):
        seen(World("/apis/batch/v1", **{space: {"metadata": {"name": "mlfleet-training"}}}))
    seen(World("/apis/batch/v1", **{space: {"metadata": {"name": "mlfleet-training"}}}), queue="q")


def working_pod(namespace: str, **labels: str) -> dict[str, t.Any]:
    containers = [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    return {"metadata": {"name": "w", "namespace": namespace, "labels": labels}, "spec": {"nodeName": "a", "containers": containers}, "status": {}}


@pytest.mark.parametrize(
    ("pod", "others", "pods", "of_tests"),
    [
        (working_pod("mlfleet-training", **{TRAINING: "old"}), False, (), ()),
        (working_pod("mlfleet-training", **{TRAINING: "old"}), True, ("mlfleet-training/w",), ("mlfleet-training/w",)),
        (working_pod("other", **{TRAINING: "old"}), False, ("other/w",), ("other/w",)),
        (working_pod("mlfleet-hyperpod", **{"mlfleet.hyperpod/nccl-test": "x"}), False, ("mlfleet-hyperpod/w",), ("mlfleet-hyperpod/w",)),
        (working_pod("mlfleet-training"), False, ("mlfleet-training/w",), ()),
    ],
)
def test_pods_that_the_run_will_remove_do_not_count(pod: t.Any, others: bool, pods: tuple[str, ...], of_tests: tuple[str, ...]) -> None:
    world = World("/apis/batch/v1")
    world.there |= {"/api/v1/nodes": {"items": [{"metadata": {"name": "a"}}]}, "/api/v1/pods": {"items": [pod]}}
    with Server(world) as kubernetes:
        found = observe(kubernetes, desired(), others=others).nodes
    assert (found.nodes["a"].known.pods, found.of_tests) == (pods, frozenset(of_tests))


@pytest.mark.parametrize("path", ["/api/v1/nodes", "/apis/batch/v1", CLAIM])
def test_prerequisites_that_cannot_be_read_are_an_error(path: str) -> None:
    world = World("/apis/batch/v1", **{CLAIM: {}})
    world.statuses[path] = 403
    with pytest.raises(KubernetesError, match="403"):
        seen(world, claim="fsx", checkpoint="c", namespace="ml")


def test_the_runtime_of_the_trainer_is_read_only_if_it_matters() -> None:
    world = World("/apis/batch/v1", "/apis/kubeflow.org/v1", "/apis/trainer.kubeflow.org/v1alpha1")
    world.statuses[RUNTIME] = 403
    assert "PyTorchJob" in seen(world, kind="PyTorchJob").served
    with pytest.raises(KubernetesError, match="403"):
        seen(world, kind="TrainJob")
