# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the operators in the cluster are read, and the finding about them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import operators

from .given import cluster, resource, variables

NAME = "amazon-sagemaker-hyperpod-training-operator"
QUIET = {"known": True, "reason": "", "clash": "", "next_step": ""}


@pytest.mark.parametrize(
    ("resources", "addons", "read"),
    [
        ([], [{"name": NAME}], False),
        ([cluster()], [], False),
        ([cluster()], [{"name": NAME}], True),
        ([cluster(ours=False), resource("eks_addon", NAME, ours=False)], [], True),
    ],
)
def test_the_operators_of_a_cluster_with_a_training_operator_are_read(resources: list[t.Any], addons: list[t.Any], read: bool) -> None:
    assert operators.checks_mpi_operators(variables(*resources, addons=addons)) is read


@pytest.mark.parametrize(
    ("found", "kind", "text"),
    [
        ({"clash": "Two operators", "next_step": "Remove one"}, "pending", "MPIJobs can fail: Two operators. Remove one."),
        ({"known": False, "reason": "403."}, "note", "It is not known whether several operators manage MPIJobs: 403. To check this, run"),
    ],
)
def test_findings(found: dict[str, t.Any], kind: str, text: str) -> None:
    (made,) = operators.mpi_operators(variables(__training_cluster_mpi_operators={"mpi_operators": {**QUIET, **found}}))
    assert (made["kind"], made["code"]) == (kind, "training-cluster-mpijobs") and made["text"].startswith(text)


def test_one_operator_is_no_finding() -> None:
    assert operators.mpi_operators(variables(__training_cluster_mpi_operators={"mpi_operators": QUIET})) == []
