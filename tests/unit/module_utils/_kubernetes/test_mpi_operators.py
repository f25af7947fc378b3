# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that manage MPIJobs, from Deployments and the CRD of an in-memory API server."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.mpi_operators import Owners, read
from unit.module_utils._karpenter.proof.api_server import Server

from .mpi_cluster import DEPLOYMENTS, MPI, TRAINING, Cluster, deployment

ENABLED = ("--enable-scheme=tfjob", "--enable-scheme=pytorchjob")


def owners(cluster: Cluster) -> Owners:
    with Server(cluster) as kubernetes:
        return read(kubernetes)


def test_a_cluster_without_the_crd_is_not_read_further() -> None:
    cluster = Cluster((), deployment(TRAINING), deployment(MPI))
    found = owners(cluster)
    assert (found.served, found.operators, found.clash) == ((), (), "") and len(cluster.requests) == 1


@pytest.mark.parametrize(
    ("served", "deployments"),
    [
        (("v1",), [deployment(TRAINING)]),
        (("v2beta1",), [deployment(MPI)]),
        (("v2beta1",), [deployment(TRAINING, *ENABLED), deployment(MPI)]),
        (("v2beta1",), [deployment(TRAINING, "--enable-scheme", "pytorchjob"), deployment(MPI)]),
        (("v2beta1",), []),
        (("v2beta1",), [deployment(MPI), deployment("public.ecr.aws/x/hyperpod-training-operator:v1")]),
        (("v1", "v2beta1"), [deployment(TRAINING)]),
    ],
)
def test_operators_that_work(served: tuple[str, ...], deployments: list[t.Any]) -> None:
    assert owners(Cluster(served, *deployments)).clash == ""


@pytest.mark.parametrize("more", [(), ("--enable-scheme=MPIJob",), (*ENABLED, "-enable-scheme", "mpijob"), ("--leader-elect",)])
@pytest.mark.parametrize("image", [TRAINING, "mirror:5000/training-operator@sha256:" + 64 * "0"])
def test_two_operators_of_the_same_jobs(image: str, more: tuple[str, ...]) -> None:
    clash = owners(Cluster(("v2beta1",), deployment(image, *more, name="a"), deployment(MPI, name="b"))).clash
    assert clash == (
        "the training operator of Kubeflow (Deployment kubeflow/a) and the MPI operator of Kubeflow (Deployment kubeflow/b) both "
        "manage MPIJobs, and CRD mpijobs.kubeflow.org serves only v2beta1"
    )


@pytest.mark.parametrize(("served", "image", "supported"), [("v2beta1", TRAINING, "v1"), ("v1", MPI, "v2beta1")])
def test_an_operator_whose_crd_was_replaced(served: str, image: str, supported: str) -> None:
    clash = owners(Cluster((served,), deployment(image))).clash
    assert clash.startswith(f"CRD mpijobs.kubeflow.org serves only {served}, but the ") and clash.endswith(f" supports only {supported}")


def test_names_are_printable_and_versions_that_are_not_served_are_ignored() -> None:
    cluster = Cluster(("v1",), deployment(MPI, name="b\x1b[2J"))
    cluster.versions.append({"name": "v2beta1", "served": False})
    clash = owners(cluster).clash
    assert "\x1b" not in clash and "serves only v1, but" in clash


def test_a_refused_list_is_an_error() -> None:
    cluster = Cluster(("v1",))
    cluster.refused[DEPLOYMENTS] = 403
    with pytest.raises(KubernetesError):
        owners(cluster)
