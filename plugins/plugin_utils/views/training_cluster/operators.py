# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators in the cluster that manage the same kind of job."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ADDON
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import declared, observed

TRAINING_OPERATOR = "amazon-sagemaker-hyperpod-training-operator"
OPERATED = "HyperPodPyTorchJob"
"""The kind of jobs that only this operator runs."""
FOUND = "__training_cluster_mpi_operators"
"""The variable with the result of ``mpi_operator_info``."""


@view
def checks_mpi_operators(variables: Variables) -> bool:
    """Whether to read the operators: the cluster exists, and has or gets an operator for training jobs."""
    there = observed(variables)
    wanted = [each.name for each in declared(variables).addons]
    return there.cluster is not None and TRAINING_OPERATOR in (*wanted, *(each["name"] for each in there.of(ADDON)))


@view
def mpi_operators(variables: Variables) -> Findings:
    """The finding about two operators that manage MPIJobs."""
    found = plain(variables[FOUND])["mpi_operators"]
    if not found["known"]:
        return finding("training-cluster-mpijobs-unknown", reason=str(found["reason"]).rstrip("."))
    return finding("training-cluster-mpijobs", clash=found["clash"], next=found["next_step"]) if found["clash"] else []
