# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that must not be loaded by a test."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.held import from_a_job, from_a_long_test
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import NOTHING, State

JOBS = "the node has jobs: 7 of alice"
CHECKS = "HyperPod runs deep health checks on the node"


@pytest.mark.parametrize(
    ("hyperpod", "slurm", "long", "job"),
    [
        ("Running", State("drained"), "", "the node's state in Slurm is drained"),
        ("Running", State("drain"), "", "the node's state in Slurm is drain"),
        ("Running", State("idle"), "the node's state in Slurm is idle, so jobs may start; drain the node first", ""),
        ("Running", State("mixed"), "the node's state in Slurm is mixed, so jobs may start; drain the node first", "the node's state in Slurm is mixed"),
        ("Running", State("draining", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("drained", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("idle", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("drained", reservations=("hyperpod-deep-health-check",)), CHECKS, CHECKS),
        ("SystemUpdating", State("idle"), "HyperPod reports status SystemUpdating", "HyperPod reports status SystemUpdating"),
        ("Running", NOTHING, "the node's state in Slurm is unknown, so jobs may start; drain the node first", "the node's state in Slurm is unknown"),
        ("Running", None, "Slurm could not be queried for jobs on the node", "Slurm could not be queried for jobs on the node"),
    ],
)
def test_nodes_are_protected_from_tests_and_jobs(hyperpod: str, slurm: State | None, long: str, job: str) -> None:
    assert (from_a_long_test(hyperpod, slurm), from_a_job(hyperpod, slurm)) == (long, job)
