# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import findings, slurm_seen

from .test_slurm import JOB, codes, variables


def test_jobs_are_proven_from_answers_of_controllers():
    made = variables(None, None)
    made["hostvars"]["ml-9"][slurm_seen.LISTED] = [JOB, {**JOB, "id": 8, "nodes": ["n2"]}, {**JOB, "ours": False, "placement": ""}, "x"]
    found = slurm_seen.seen(made)
    assert found is not None and [each["placement"]["verdict"] for each in found["jobs"]] == ["left", "kept", "spilled"]
    shown = findings.found(made)
    assert shown[0]["text"] == "3 jobs with a topology request: 1 kept, 1 left, 1 spilled."
    assert codes(shown)[1:] == [("failure", "topology-job-misplaced", "Slurm job alice/llama"), ("note", "topology-job-spilled", "Slurm job alice/llama")]
    assert slurm_seen.seen(slurm_seen.of_cluster("ml", {"hostvars": made["hostvars"], "groups": made["groups"]})) == found


def test_ended_jobs_are_reported_as_not_counted():
    made = variables(None, None)
    made["hostvars"]["ml-9"][slurm_seen.LISTED] = []
    (one,) = findings.found(made)
    assert one["text"] == "0 jobs with a topology request: none waits or runs, and jobs that have ended are not counted."


def test_without_an_answer_of_a_controller_the_cluster_fails():
    made = variables(None)
    assert slurm_seen.seen(made) is None and codes(findings.found(made)) == [("failure", "topology-not-read", "")]
