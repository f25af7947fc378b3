# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role task_governance."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "governance-team": Text("governance-team", "Team {team}: {parts}.", "team"),
    "governance-priorities": Text(
        "governance-priorities",
        "Priority classes are removed: {names}. Tasks that name one of them are no longer admitted.",
    ),
    "governance-disabled": Text(
        "governance-disabled",
        "Compute quotas of these teams are disabled and guarantee nothing: {teams}. Set activation_state in their entries of "
        "hyperpod_teams.",
    ),
    "governance-unnamed": Text(
        "governance-unnamed",
        "Compute quotas of teams that hyperpod_teams does not name are left unchanged: {teams}. To remove one, add an entry with "
        "state: absent.",
    ),
    "governance-kept": Text(
        "governance-kept",
        "Compute quotas of teams that hyperpod_teams does not name stay ({teams}), and so do the scheduler configuration and the "
        "add-on. To remove the quotas, name these teams in hyperpod_teams. AWS does not delete a cluster that has compute quotas.",
    ),
    "governance-scheduler-kept": Text(
        "governance-kept",
        "The scheduler configuration {name} stays because task_governance_scheduler is empty. AWS does not delete a cluster that "
        "has one.",
    ),
    "governance-karpenter": Text(
        "governance-karpenter",
        "Karpenter has NodePools ({pools}), and does not support Kueue's topology-aware scheduling. Run the playbook karpenter "
        "with karpenter_disables_topology_scheduling: true, or remove the NodePools.",
        kind="pending",
    ),
    "governance-karpenter-foreseen": Text(
        "governance-karpenter",
        "The add-on's Kueue uses topology-aware scheduling, which Karpenter does not support. Karpenter has NodePools ({pools}). "
        "After this run, run the playbook karpenter with karpenter_disables_topology_scheduling: true, or remove the NodePools.",
        kind="pending",
    ),
    "governance-karpenter-stays": Text(
        "governance-karpenter",
        "Karpenter has NodePools ({pools}), and does not support Kueue's topology-aware scheduling. The run can't turn this "
        "scheduling off: {why}",
        kind="pending",
    ),
    "governance-karpenter-unseen": Text(
        "governance-karpenter",
        "Could not check whether Kueue uses topology-aware scheduling, which Karpenter does not support: {why}",
        kind="note",
    ),
    "governance-pod-security": Text(
        "governance-pod-security",
        "Pods in {namespace} violate the level {level} of task_governance_pod_security: {warnings}. These Pods keep running, but "
        "Kubernetes refuses them when they are created again.",
        "namespace",
    ),
    "governance-kueue": Text(
        "governance-requirement",
        "A Kueue that the add-on did not install is in kueue-system ({image}), and the add-on can't replace it. Remove that Kueue, "
        "or set task_governance_addon=false if it belongs to task governance.",
        "Kueue",
    ),
    "governance-kueue-elsewhere": Text(
        "governance-requirement",
        "A cluster can have only one Kueue, and the add-on did not install Kueue's manager {managers}. Remove that Kueue, or set "
        "task_governance_addon=false if it belongs to task governance.",
        "Kueue",
    ),
}
