# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_workload_info with an API server in memory."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from modules.fixtures.workloads import Cluster, Object
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def options(cluster: Cluster, tmp_path: Path) -> t.Iterator[Object]:
    with Server(t.cast(t.Any, cluster)) as kubernetes:
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path)}


def test_what_people_run_is_listed(simulator: t.Any, cluster: Cluster, options: Object) -> None:
    found = simulator.run("kubernetes_workload_info", **options)["kubernetes_workloads"]
    assert [(each["name"], each["node_group"]) for each in found["pods"]] == [("train", "gpu"), ("web", "other")]
    assert (found["load_balancers"], found["unread"], found["unread_jobs"]) == (["research/board"], [], [])
    assert [(each["handle"], each["claim"], each["dynamic"]) for each in found["volumes"]] == [("vol-1", "research/logs", True), ("fs-1", "", False)]


def test_jobs_of_all_served_kinds_are_listed(simulator: t.Any, cluster: Cluster, options: Object) -> None:
    found = simulator.run("kubernetes_workload_info", **options)["kubernetes_workloads"]
    assert found["jobs"] == [
        {"api_version": "batch/v1", "kind": "Job", "namespace": "ours", "name": "check"},
        {"api_version": "kubeflow.org/v1", "kind": "PyTorchJob", "namespace": "ours", "name": "verify"},
    ]
    unfinished = [(each["kind"], each["api_version"], each["namespace"], each["name"]) for each in found["unfinished_jobs"]]
    assert unfinished == [
        ("Job", "batch/v1", "research", "train"),
        ("Job", "batch/v1", "research", "nightly-1"),
        ("PyTorchJob", "kubeflow.org/v1", "research", "llm"),
        ("JobSet", "jobset.x-k8s.io/v1alpha2", "research", "set"),
        ("MPIJob", "kubeflow.org/v1", "research", "mpi"),
    ]


def test_what_cannot_be_read_is_returned_as_text(simulator: t.Any, cluster: Cluster, options: Object, tmp_path: Path) -> None:
    cluster.denied = {"/api/v1/services"}
    found = simulator.run("kubernetes_workload_info", **options)["kubernetes_workloads"]
    assert len(found["pods"]) == 2 and len(found["unread"]) == 1 and found["unread"][0].startswith("Services: GET /api/v1/services"), found
    cluster.denied = {"/apis/jobset.x-k8s.io/v1alpha2/jobsets", "/apis/trainer.kubeflow.org/v1alpha1/trainjobs"}
    cluster.resources = {"/apis/jobset.x-k8s.io/v1alpha2": ["jobsets"]}
    found = simulator.run("kubernetes_workload_info", **options)["kubernetes_workloads"]
    assert found["unread"] == [] and len(found["unfinished_jobs"]) == 4, found
    assert len(found["unread_jobs"]) == 1 and found["unread_jobs"][0].startswith("JobSets: GET /apis/jobset.x-k8s.io/v1alpha2/jobsets"), found
    gone = tmp_path / "gone"
    gone.write_text(Path(options["kubeconfig"]).read_text().replace("127.0.0.1", "127.0.0.2"))
    found = simulator.run("kubernetes_workload_info", kubeconfig=str(gone))["kubernetes_workloads"]
    assert found["pods"] == [] and "the Kubernetes API server: GET /api/v1/nodes?limit=500 got no reply from" in found["unread"][0], found
