# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about jobs."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.model import Desired, Job, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.result import waiting


def test_jobs_that_did_not_end_are_pending() -> None:
    running = Job("12", "RUNNING", "dev", "ip-10-1-1-21", "train|all")
    assert [each.text for each in waiting(Desired("mallory", 20003, True, 60), State((running,)))] == [
        "Jobs of mallory have not ended within 60 s: 12."
    ]
