# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Job
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.reasons import why


def test_a_limit_of_switches_may_be_the_reason_to_wait():
    assert "or Slurm waits up to 20 s for nodes below as few leaf switches as requested (1) (Resources)" in why(
        Job(1, 1, "PENDING", reason="Resources", switches=1, switches_wait=20)
    )


@pytest.mark.parametrize(
    ("state", "reason", "expected"),
    [
        ("PENDING", "Resources", "the nodes that it needs are used by other jobs, and it starts once enough of them have ended (Resources)"),
        ("PENDING", "ReqNodeNotAvail, UnavailableNodes:n1", "sinfo -R shows why (ReqNodeNotAvail, UnavailableNodes:n1)"),
        ("PENDING", "QOSMaxNodePerUserLimit", "it would exceed a limit of its QOS"),
        ("PENDING", "AssocGrpGRES", "it would exceed a limit of its user or account"),
        ("PENDING", "Dependency", "a job that it depends on has not ended (Dependency)"),
        ("PENDING", "SomethingNew", "SomethingNew"),
        ("PENDING", "", "Slurm has not considered it yet"),
        ("CONFIGURING", "", "its nodes are being prepared"),
        ("RUNNING", "", ""),
        ("COMPLETED", "", ""),
        ("COMPLETING", "", ""),
        ("FAILED", "NonZeroExitCode", "its script ended with an error (FAILED, NonZeroExitCode)"),
        ("TIMEOUT", "", "it exceeded its time limit (TIMEOUT)"),
        ("NEW_STATE", "", "NEW_STATE"),
        ("CANCELLED by 0", "", "it was cancelled"),
    ],
)
def test_reasons_of_slurm_have_a_plain_text(state, reason, expected):
    found = why(Job(1, 1, state, reason=reason))
    assert expected in found and bool(expected) is bool(found)
