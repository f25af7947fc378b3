# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A playbook that has nothing to do for a cluster says why, and fails if it has nothing to do at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated.limits import cluster, inventory, playbook

OF_EKS, OF_SLURM = ("pods", "ml", "EKS"), ("ml", "pods", "Slurm")
"""The cluster that a playbook is for, the other one, and the orchestrator."""
MISSING = {
    "karpenter": (OF_EKS, "karpenter_node_classes"),
    "task_governance": (OF_EKS, "hyperpod_teams"),
    "client_vpn": (OF_SLURM, "client_vpn_client_cidr"),
    "vpn_profiles": (OF_SLURM, "client_vpn_client_cidr"),
    "vpn_report": (OF_SLURM, "client_vpn_client_cidr"),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_run_for_which_nothing_is_declared_fails_and_says_what_is_missing(tmp_path: Path, name: str) -> None:
    (asked, other, orchestrator), variable = MISSING[name]
    done = playbook(tmp_path, name, source=inventory({**cluster("ml"), **cluster("pods", orchestrator="eks")}))
    assert done.rc == 2 and not done.asked_aws, done.output
    assert f"{asked} failed - failure: " in done.output and f"{variable} is not set for any cluster of this run, so nothing was done." in done.output
    assert f"The variables of {asked} come from the groups cluster_{asked}, " in done.output
    note = f"This playbook is for {orchestrator} clusters; this cluster was skipped."
    assert f"{other} skipped - note: {note}" in done.output, done.output
