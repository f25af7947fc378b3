# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each job kind as Kueue and its operator handle it, from the pods that the operator creates to the proof of their placement."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import KINDS, Kind, pods_of as number_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.checks import check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Facts, Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.pods import pod_at
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.proof import placement
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.survey import Survey

from .._topology.job.api_server import HOST, World
from .._topology.job.jobs import (
    LAYER,
    QUEUE,
    SPACE,
    UID,
    desired,
    hyperpod_job,
    job,
    job_set,
    live,
    mpi_job,
    pytorch_job,
    rendered,
    train_job,
)
from .._topology.job.operators import OPERATORS, OTHER_UID, Operator, pods_of

REQUIRED = Wish("required", f"{LAYER}3")
MANIFESTS = {each["kind"]: each for each in (job(), pytorch_job(4), hyperpod_job(), job_set(), train_job(), mpi_job())}
FRAMEWORKS = {
    "Job": "batch/job",
    "PyTorchJob": "kubeflow.org/pytorchjob",
    "JobSet": "jobset.x-k8s.io/jobset",
    "TrainJob": "trainer.kubeflow.org/trainjob",
    "MPIJob": "kubeflow.org/mpijob",
}
"""The names in ``integrations.frameworks`` of the values of Kueue's chart."""
EXTERNAL = "HyperPodPyTorchJob.v1.sagemaker.amazonaws.com"
"""The name of AWS's kind for ``integrations.externalFrameworks``: Kind.version.group."""


def facts(*frameworks: str) -> Facts:
    found = {"local_queue": {"spec": {"clusterQueue": "all"}}, "queues": (QUEUE,), "frameworks": frameworks}
    return Facts(namespace="there", kind_served=True, kueue=("v1beta2",), **found)


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.name)
def test_the_kind_has_its_name_in_kueue(kind: Kind) -> None:
    others = [name for each, name in FRAMEWORKS.items() if each != kind.name]
    wanted = rendered(copy.deepcopy(MANIFESTS[kind.name]))
    if kind.external:
        assert check(wanted, facts(*others, EXTERNAL)) == ()
        assert any("does not name HyperPodPyTorchJob" in each for each in check(wanted, facts(*others)))
        return
    assert check(wanted, facts(FRAMEWORKS[kind.name])) == ()
    with pytest.raises(Refused) as refused:
        check(wanted, facts(*others))
    assert f"{FRAMEWORKS[kind.name]} is not in integrations.frameworks" in str(refused.value)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_the_pods_of_a_kind_have_its_pod_sets(operator: Operator) -> None:
    found = [pod_at(each).podset for each in pods_of(operator, ["n1", "n2"])]
    assert found == [operator.podset, operator.podset, *filter(None, [operator.leads])]
    podsets = [each.name for each in rendered(copy.deepcopy(MANIFESTS[operator.kind])).podsets]
    assert sorted(set(found)) == sorted(podsets)


class Direct:
    """A World without a network in between."""

    def __init__(self, world: World) -> None:
        self.world = world

    def find(self, path: str) -> t.Any:
        status, body = self.world.answer("GET", path, None)
        return body if status == 200 else None

    def items(self, path: str, **query: str) -> t.Any:
        query_text = "&".join(f"{name}={value}" for name, value in query.items())
        status, body = self.world.answer("GET", f"{path}?{query_text}", None)
        assert status == 200, path
        return body["items"]


def admitted(operator: Operator, nodes: t.Sequence[str]) -> dict[str, t.Any]:
    """The Workload with an assignment of each pod set; the leader is on n5."""
    sets = [(operator.podset, nodes), *([(operator.leads, ["n5"])] if operator.leads else [])]
    assignments = []
    for name, places in sets:
        domains = [{"values": [each], "count": list(places).count(each)} for each in dict.fromkeys(places)]
        assignment = {"levels": [HOST], "domains": domains}
        assignments.append({"name": name, "count": len(places), "flavors": {"nvidia.com/gpu": "gpus"}, "topologyAssignment": assignment})
    conditions = [{"type": "Admitted", "status": "True"}]
    meta = {"labels": {"kueue.x-k8s.io/job-uid": UID}}
    return {"metadata": meta, "status": {"conditions": conditions, "admission": {"podSetAssignments": assignments}}}


def world_of(kind: Kind, assigned: t.Sequence[str], at: t.Sequence[str]) -> tuple[World, t.Any]:
    """A job of the kind with its Workload and pods, and pods of another job of the same kind."""
    world, operator = World("v1beta1"), OPERATORS[kind.name]
    world.kinds = {kind.api_version: [kind.plural]}
    wanted = desired(copy.deepcopy(MANIFESTS[kind.name]), REQUIRED, verify=False, stage="none")
    world.put(wanted.rendered.path, live(wanted))
    world.put(world.kueue("workloads", "mnist-w", SPACE), admitted(operator, assigned))
    strangers = pods_of(operator, ["n4", "n4"], job="other", uid=OTHER_UID)
    for each in (*pods_of(operator, at), *strangers):
        world.put(f"/api/v1/namespaces/{SPACE}/pods/{each['metadata']['name']}", each)
    return world, wanted


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.name)
@pytest.mark.parametrize(
    ("assigned", "at", "verdict"),
    [
        (["n1", "n2"], ["n1", "n2"], "kept"),
        (["n1", "n2"], ["n1", "n3"], "left"),
        (["n1", "n3"], ["n1", "n3"], "left"),
        (["n1", "n2"], ["n3", "n4"], "differs"),
    ],
)
def test_the_placement_of_pods_is_proven(kind: Kind, assigned: list[str], at: list[str], verdict: str) -> None:
    operator = OPERATORS[kind.name]
    assert (operator.leads, kind.external) == (kind.leader, kind.name not in FRAMEWORKS)
    world, wanted = world_of(kind, assigned * 2, at * 2)
    kubernetes: t.Any = Direct(world)
    observed = Observer(kubernetes, wanted, waits=Waits(timeout=1, interval=1, clock=Clock(sleep=lambda _: None)), waiting=True)()
    (found,) = Survey(kubernetes)()
    for podsets, state in ((wanted.rendered.podsets, observed), (found.desired.rendered.podsets, found.state)):
        result = placement(podsets, state)
        assert result.verdict == verdict, result
        rows = {(each.podset, each.pod, each.node) for each in result.rows}
        expected = {(operator.podset, f"mnist-{operator.podset}-{number}", node) for number, node in enumerate(at * 2)}
        assert rows == expected | ({(operator.leads, f"mnist-{operator.leads}-0", "n5")} if operator.leads else set())


@pytest.mark.parametrize(("spec", "pods"), [({}, 1), ({"n": 4}, 4), ({"n": 0}, 0), ({"n": "4"}, 0), ({"n": True}, 0), ({"n": None}, 0)])
def test_the_number_of_pods_is_read(spec: dict[str, t.Any], pods: int) -> None:
    assert number_of(spec, "n") == pods
