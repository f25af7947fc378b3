# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the API server, and submitters."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.access import login, who
from unit.plugin_utils.views.task_governance.governed import ALICE, BOB, EKS, RESEARCH, VISION, entry, variables

OURS, FOREIGN = "mlfleet-hyperpod:research", "mlfleet-hyperpod:vision"


def test_a_kubeconfig_may_be_used_for_the_api_server() -> None:
    plain, given = login(variables()), login(variables(task_governance_kubeconfig="k", task_governance_context="c"))
    assert (plain.eks_arn, plain.eks_cluster, plain.kubeconfig) == (EKS, EKS, None)
    assert (given.eks_arn, given.eks_cluster, given.kubeconfig, given.context) == (EKS, None, "k", "c")


def test_access_is_removed_before_it_is_granted() -> None:
    moved = {"__task_governance_entries": {"eks_access_entries": [entry(BOB, OURS)]}}
    teams = [RESEARCH, {**VISION, "submitters": [BOB]}]
    found = who(variables(task_governance_teams=teams, **moved))
    assert [(each["principal"], each["groups"]) for each in found.lost] == [(BOB, [])]
    assert [(each["principal"], each["groups"]) for each in found.entries] == [(BOB, [FOREIGN]), (ALICE, [OURS])]
    assert who(variables(task_governance_teams=teams, ansible_check_mode=True, **moved)).lost == []


def test_only_remaining_teams_with_submitters_get_permissions() -> None:
    found = who(variables(task_governance_teams=[RESEARCH, VISION, {"name": "old", "state": "absent"}]))
    assert {each["metadata"]["name"] for each in found.rights} == {"mlfleet-hyperpod-submitters", "mlfleet-hyperpod-submitters-research"}
    assert {each["metadata"].get("namespace") for each in found.removed} == {"hyperpod-ns-old", None} and len(found.removed) == 4
    assert "secrets" not in str(found.rights)
    assert "secrets" in str(who(variables(task_governance_secrets=True)).rights)
