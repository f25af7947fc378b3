# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import outcome

from . import test_findings, test_slurm
from .test_asked import variables


def test_the_outcome_of_a_job_depends_on_its_orchestrator():
    of_slurm = test_slurm.variables({"job": test_slurm.JOB, "changes": []}, group_names=["orchestrator_slurm"])
    assert test_slurm.codes(outcome.done(of_slurm).findings) == [("failure", "topology-job-misplaced", test_slurm.NAME)]
    one = test_findings.job("kept")
    result = {"job": one, "placement": one["placement"], "changes": []}
    of_eks = variables(__topology_job_done=result, ansible_check_mode=False, group_names=["orchestrator_eks"])
    assert test_findings.codes(outcome.done(of_eks).findings) == [("note", "topology-job-kept", test_findings.NAME)]
