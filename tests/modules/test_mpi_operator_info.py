# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi_operator_info against an API server in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._kubernetes.mpi_cluster import CRD, MPI, TRAINING, Cluster, deployment


def run(simulator, tmp_path, cluster):
    with Server(cluster) as kubernetes:
        done = simulator.run("mpi_operator_info", kubeconfig=kubeconfig(kubernetes, tmp_path))
    assert not done.get("failed") and not done["changed"], done
    return done["mpi_operators"]


def test_two_operators_are_returned_with_the_evidence_and_the_next_step(simulator, tmp_path):
    found = run(simulator, tmp_path, Cluster(("v1",), deployment(TRAINING, name="a"), deployment(MPI, name="b")))
    assert found["known"] and found["versions"] == ["v1"]
    expected = [{"name": "training-operator", "deployment": "kubeflow/a"}, {"name": "mpi-operator", "deployment": "kubeflow/b"}]
    assert found["operators"] == expected
    assert "both manage MPIJobs, and CRD mpijobs.kubeflow.org serves only v1" in found["clash"] and "--enable-scheme" in found["next_step"]


def test_a_cluster_without_mpi_jobs(simulator, tmp_path):
    found = run(simulator, tmp_path, Cluster(()))
    assert found == {"known": True, "reason": "", "versions": [], "operators": [], "clash": "", "next_step": ""}


@pytest.mark.parametrize("status", [403, 500])
def test_what_can_not_be_read_is_unknown(simulator, tmp_path, status):
    cluster = Cluster(("v1",))
    cluster.refused[CRD] = status
    found = run(simulator, tmp_path, cluster)
    assert not found["known"] and "customresourcedefinitions/mpijobs.kubeflow.org" in found["reason"] and found["clash"] == ""


def test_bad_input_is_refused(simulator):
    refused = simulator.run("mpi_operator_info", eks_cluster="a/b")
    assert refused["failed"] and "eks_cluster: 'a/b' is not allowed" in refused["msg"], refused
