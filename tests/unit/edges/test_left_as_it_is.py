# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A playbook reports why it skips a cluster, and fails if it has nothing to do for any cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated.limits import cluster, inventory, playbook

ON_EKS, ON_SLURM = ("pods", "ml", "EKS"), ("ml", "pods", "Slurm")
"""The cluster that the playbook supports, the other one, and the orchestrator."""
MISSING = {
    "karpenter": (ON_EKS, "karpenter_node_classes"),
    "task_governance": (ON_EKS, "hyperpod_teams"),
    "client_vpn": (ON_SLURM, "client_vpn_client_cidr"),
    "vpn_profiles": (ON_SLURM, "client_vpn_client_cidr"),
    "vpn_report": (ON_SLURM, "client_vpn_client_cidr"),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_run_without_declarations_fails_and_names_the_missing_variable(tmp_path: Path, name: str) -> None:
    (supported, other, orchestrator), variable = MISSING[name]
    done = playbook(tmp_path, name, source=inventory({**cluster("ml"), **cluster("pods", orchestrator="eks")}))
    assert done.rc == 2 and not done.called_aws, done.output
    assert f"{supported} failed - failure: " in done.output and f"{variable} is not set for any cluster of this run, so nothing was done." in done.output
    assert f"The variables of {supported} come from the groups cluster_{supported}, " in done.output
    note = f"This playbook is for {orchestrator} clusters, so this cluster was skipped."
    assert f"{other} skipped - note: {note}" in done.output, done.output
