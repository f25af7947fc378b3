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
    assert (found["jobs"], found["load_balancers"], found["unread"]) == (["ours/check"], ["research/board"], [])
    assert [(each["handle"], each["claim"], each["dynamic"]) for each in found["volumes"]] == [("vol-1", "research/logs", True), ("fs-1", "", False)]


def test_what_cannot_be_read_is_returned_as_text(simulator: t.Any, cluster: Cluster, options: Object, tmp_path: Path) -> None:
    cluster.denied = {"/api/v1/services"}
    found = simulator.run("kubernetes_workload_info", **options)["kubernetes_workloads"]
    assert len(found["pods"]) == 2 and len(found["unread"]) == 1 and found["unread"][0].startswith("Services: GET /api/v1/services"), found
    gone = tmp_path / "gone"
    gone.write_text(Path(options["kubeconfig"]).read_text().replace("127.0.0.1", "127.0.0.2"))
    found = simulator.run("kubernetes_workload_info", kubeconfig=str(gone))["kubernetes_workloads"]
    assert found["pods"] == [] and "the Kubernetes API server: GET /api/v1/nodes?limit=500 got no reply from" in found["unread"][0], found
