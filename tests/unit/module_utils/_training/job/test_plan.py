# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons to refuse a job, and the parts of one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node, State as Nodes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun, Planned, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.plan import dropped, plan

from .described import RUN, desired

CLAIMED = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}
OF_JOBS = ("Job",)


def nodes(**second: t.Any) -> Nodes:
    known = KubernetesNode("b", pods=second.pop("pods", ()))
    found = (Node(KubernetesNode("a"), gpus=8, efa=32), Node(known, **{"gpus": 8, "efa": 32, **second}))
    return Nodes({each.known.name: each for each in found})


def planned(state: State, **given: t.Any) -> Planned | NotRun:
    return plan(desired(**given), state, RUN)


def refused(state: State, **given: t.Any) -> tuple[str, str]:
    found = planned(state, **given)
    assert isinstance(found, NotRun), found
    return found.failure, found.text


@pytest.mark.parametrize(
    ("seen", "failure"),
    [(Nodes(), "allocation"), (nodes(pods=("ns/a",)), "busy"), (nodes(gpus=7), "devices"), (nodes(efa=0), "devices")],
)
def test_unsuitable_nodes_are_refused(seen: Nodes, failure: str) -> None:
    assert refused(State(seen), efa=True)[0] == failure


def test_busy_nodes_name_the_pods_of_verifications() -> None:
    seen = Nodes(nodes(pods=("x/a", "y/b")).nodes, of_tests={"y/b"})
    assert refused(State(seen))[1] == "Pods use accelerators of the nodes: x/a on b, y/b (of a verification) on b."


def test_nodes_without_efa_are_accepted_if_none_is_required() -> None:
    assert isinstance(planned(State(nodes(efa=0))), Planned)


@pytest.mark.parametrize(
    ("kind", "served", "expected"),
    [
        ("auto", ("PyTorchJob", "HyperPodPyTorchJob", "TrainJob", "Job"), "PyTorchJob"),
        ("auto", ("HyperPodPyTorchJob", "TrainJob", "Job"), "TrainJob"),
        ("auto", ("HyperPodPyTorchJob", "Job"), "Job"),
        ("Job", ("PyTorchJob", "Job"), "Job"),
        ("HyperPodPyTorchJob", ("HyperPodPyTorchJob", "Job"), "HyperPodPyTorchJob"),
    ],
)
def test_the_kind_is_selected(kind: str, served: tuple[str, ...], expected: str) -> None:
    found = planned(State(nodes(), served), kind=kind)
    assert isinstance(found, Planned) and (found.kind.name, found.job["kind"], found.name) == (expected, expected, f"training-{RUN}")
    assert (found.service is not None) is (expected == "Job")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PyTorchJob", "The cluster does not have the kind PyTorchJob. Install its operator, or choose Job."),
        ("TrainJob", "The cluster does not have the kind TrainJob with the ClusterTrainingRuntime torch-distributed. Install"),
    ],
)
def test_a_missing_kind_is_refused(kind: str, text: str) -> None:
    failure, shown = refused(State(nodes(), OF_JOBS), kind=kind)
    assert failure == "kind" and shown.startswith(text)


NO_RESTARTS = "kill: the launcher of a TrainJob restarts no processes. Choose PyTorchJob or Job."
OTHER_NAMES = "replace_pod: the Pods of a {} may be created again under different names. Choose PyTorchJob."


@pytest.mark.parametrize(
    ("how", "served", "expected"),
    [
        ("kill", ("PyTorchJob", "TrainJob", "Job"), "PyTorchJob"),
        ("kill", ("Job",), "Job"),
        ("kill", ("TrainJob", "Job"), NO_RESTARTS),
        ("efa", ("TrainJob", "Job"), "TrainJob"),
        ("replace_pod", ("PyTorchJob", "TrainJob", "Job"), "PyTorchJob"),
        ("replace_pod", ("TrainJob", "Job"), OTHER_NAMES.format("TrainJob")),
        ("replace_pod", ("Job",), OTHER_NAMES.format("Job")),
    ],
)
def test_the_kind_of_an_interrupted_job_is_selected(how: str, served: tuple[str, ...], expected: str) -> None:
    found = planned(State(nodes(), served, claim("ReadWriteMany")), **{how: True}, **CLAIMED)
    assert (found.kind.name if isinstance(found, Planned) else found.text) == expected
    assert isinstance(found, Planned) or found.failure == "kind"


def claim(*modes: str, phase: str = "Bound") -> dict[str, t.Any]:
    return {"spec": {"accessModes": list(modes)}, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (None, "PersistentVolumeClaim ml/fsx does not exist. Name an existing claim."),
        (claim("ReadWriteMany", phase="Lost"), "is Lost, because its volume no longer exists. Name a different claim."),
        (claim("ReadWriteOnce"), "lacks the access mode ReadWriteMany (its modes: ReadWriteOnce), so several nodes cannot write to it."),
        (claim("ReadWriteOnce\x1b"), "ReadWriteOnce?"),
        (claim(), "lacks the access mode ReadWriteMany (its modes: none)"),
        ({}, "lacks the access mode ReadWriteMany"),
    ],
)
def test_unsuitable_claims_are_refused(found: t.Any, text: str) -> None:
    failure, shown = refused(State(nodes(), OF_JOBS, found), **CLAIMED)
    assert failure == "claim" and text in shown


@pytest.mark.parametrize(("names", "found"), [(["a", "b"], claim("ReadWriteOnce", "ReadWriteMany")), (["a"], claim("ReadWriteOnce"))])
@pytest.mark.parametrize("phase", ["Bound", "Pending"])
def test_suitable_claims_are_accepted(names: list[str], found: dict[str, t.Any], phase: str) -> None:
    found["status"]["phase"] = phase
    assert isinstance(planned(State(nodes(), OF_JOBS, found), nodes=names, **CLAIMED), Planned)


@pytest.mark.parametrize(
    ("sent", "returned", "expected"),
    [
        ({"a": 1}, {"a": 2, "b": 3}, []),
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2}}, ["a", "b.d"]),
        ({"a": [{"b": 1, "c": 2}, {"b": 3}]}, {"a": [{"b": 1}, {"b": 3}]}, ["a.c"]),
        ({"a": None, "b": "", "c": [], "d": {}}, {}, []),
        ({"a": 0, "b": False}, {}, ["a", "b"]),
        ({"a": {"b": 1}}, {"a": None}, []),
        ({"a": 1}, None, []),
    ],
)
def test_dropped_fields_are_reported(sent: t.Any, returned: t.Any, expected: list[str]) -> None:
    assert dropped(sent, returned) == expected
