# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes a test may load."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.held import from_a_job, from_a_long_test
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import NOTHING, State

JOBS = "there are jobs on it: 7 of alice"
CHECKS = "HyperPod runs deep health checks on it"


@pytest.mark.parametrize(
    ("hyperpod", "slurm", "long", "job"),
    [
        ("Running", State("drained"), "", "Slurm has it as drained"),
        ("Running", State("drain"), "", "Slurm has it as drain"),
        ("Running", State("idle"), "Slurm has it as idle and may start a job on it: drain it first", ""),
        ("Running", State("mixed"), "Slurm has it as mixed and may start a job on it: drain it first", "Slurm has it as mixed"),
        ("Running", State("draining", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("drained", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("idle", jobs=("7 of alice",)), JOBS, JOBS),
        ("Running", State("drained", reservations=("hyperpod-deep-health-check",)), CHECKS, CHECKS),
        ("SystemUpdating", State("idle"), "HyperPod has it as SystemUpdating", "HyperPod has it as SystemUpdating"),
        ("Running", NOTHING, "Slurm has it as not known and may start a job on it: drain it first", "Slurm has it as not known"),
        ("Running", None, "nobody could ask Slurm whether jobs are on it", "nobody could ask Slurm whether jobs are on it"),
    ],
)
def test_who_is_held(hyperpod: str, slurm: State | None, long: str, job: str) -> None:
    assert (from_a_long_test(hyperpod, slurm), from_a_job(hyperpod, slurm)) == (long, job)
