# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A playbook that has nothing to do for a cluster says why, and fails if it has nothing to do at all."""

from __future__ import annotations

from pathlib import Path

from simulated.limits import cluster, inventory, playbook


def test_a_run_for_which_nothing_is_declared_fails_and_says_what_is_missing(tmp_path: Path) -> None:
    done = playbook(tmp_path, "karpenter", source=inventory({**cluster("ml"), **cluster("pods", orchestrator="eks")}))
    assert done.rc == 2 and not done.asked_aws and done.clusters is not None, done.output
    assert {key: each["status"] for key, each in done.clusters.items()} == {"ml": "skipped", "pods": "failed"}, done.output
    assert done.clusters["ml"]["notes"] == ["This playbook is for clusters with EKS; the cluster was left as it is."]
    (failure,) = done.clusters["pods"]["failures"]
    assert "No cluster of this run has karpenter_node_classes, so nothing was done." in failure
    assert "The variables of pods come from the groups cluster_pods, " in failure
