# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role task_governance."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "governance-team": Text("governance-team", "Team {team}: {parts}.", "team"),
    "governance-priorities": Text(
        "governance-priorities",
        "Priority classes go: {names}. Tasks that name one of them are not taken any more.",
    ),
    "governance-disabled": Text(
        "governance-disabled",
        "Compute quotas of these teams are disabled and guarantee nothing: {teams}. activation_state in their entries of "
        "hyperpod_teams says whether they are in force.",
    ),
    "governance-unnamed": Text(
        "governance-unnamed",
        "Compute quotas of teams that hyperpod_teams does not name stay as they are: {teams}. An entry with state: absent removes "
        "one.",
    ),
    "governance-kept": Text(
        "governance-kept",
        "Compute quotas of teams that hyperpod_teams does not name stay: {teams}, and with them the scheduler configuration and "
        "the add-on. Name them there to remove them; AWS deletes no cluster that has one.",
    ),
    "governance-scheduler-kept": Text(
        "governance-kept",
        "The scheduler configuration {name} stays, since task_governance_scheduler is empty. AWS deletes no cluster that has one.",
    ),
    "governance-karpenter": Text(
        "governance-karpenter",
        "Karpenter has NodePools ({pools}), and Kueue schedules by topology: they exclude each other. Run the playbook karpenter "
        "with karpenter_disables_topology_scheduling: true, or remove the NodePools.",
        kind="pending",
    ),
    "governance-karpenter-foreseen": Text(
        "governance-karpenter",
        "Karpenter has NodePools ({pools}), and the Kueue that the add-on brings schedules by topology: they exclude each other. "
        "Run the playbook karpenter with karpenter_disables_topology_scheduling: true afterwards, or remove the NodePools.",
        kind="pending",
    ),
    "governance-karpenter-stays": Text(
        "governance-karpenter",
        "Karpenter has NodePools ({pools}), which exclude topology-aware scheduling, and Kueue's can't be switched off: {why}",
        kind="pending",
    ),
    "governance-karpenter-unseen": Text(
        "governance-karpenter",
        "Whether Kueue schedules by topology beside NodePools of Karpenter, which exclude each other, is not known: {why}",
        kind="note",
    ),
    "governance-pod-security": Text(
        "governance-pod-security",
        "Pods in {namespace} violate the level {level} of task_governance_pod_security: {warnings}. They keep running, and "
        "Kubernetes refuses them when they are created again.",
        "namespace",
    ),
    "governance-kueue": Text(
        "governance-requirement",
        "A Kueue that the add-on did not bring is in kueue-system ({image}), and the add-on takes none in its place. Remove it, or "
        "set task_governance_addon=false if it is that of task governance.",
        "Kueue",
    ),
    "governance-kueue-elsewhere": Text(
        "governance-requirement",
        "A cluster has one Kueue, and another than the add-on's is in {managers}. Remove it, or set task_governance_addon=false if "
        "it is that of task governance.",
        "Kueue",
    ),
}
