# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role maintenance."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, missing, refused

TEXTS: Texts = {
    "maintenance-nodes": refused("{option}", "{shown}", "{allowed}", "it is not a node of these clusters, or it is a controller"),
    "maintenance-groups": refused("{option}", "{shown}", "{allowed}", "these clusters have no such instance group with nodes"),
    "maintenance-not-chosen": missing("{option}", "{kind}, separated by commas: {allowed}"),
    "maintenance-unsaved": Text(
        "maintenance-failed",
        "Slurm's state on {nodes} was not saved, and an update would lose the job queue. Nothing was updated. See the errors of "
        "these nodes, then run again.",
    ),
    "maintenance-unseen": Text(
        "maintenance-waits", "Could not check for a saved Slurm state to restore: {why} The next run retries."
    ),
    "maintenance-waits": Text(
        "maintenance-waits",
        "Jobs or sessions remain on nodes of {what}, so nodes there were not replaced or updated, and stay drained. Run again with "
        "a longer drain_timeout, or with drain_force=true, which ends sessions. Or put login nodes back with undrain, and other "
        "nodes with scontrol update nodename=... state=resume.",
    ),
    "maintenance-unasked": Text(
        "maintenance-waits",
        "Nothing was replaced or updated in {what}, because it is unknown whether the nodes are idle. See the error of the "
        "controller node, then run again.",
    ),
    "maintenance-held": Text(
        "maintenance-held",
        "{nodes} stay drained because this run did not configure them (see each node). After login_access has configured them, "
        "run scontrol update nodename=... state=resume to put them back.",
    ),
    "maintenance-next": Text(
        "maintenance-next",
        "The replacement of {nodes} is left to the next run, because login_balancer_minimum_healthy login nodes must stay in "
        "service. When the new nodes are in service, set replace_nodes={again} and run again.",
    ),
    "maintenance-left-out": Text(
        "maintenance-waits",
        "{nodes} still run the previous software: AWS skips nodes whose Pods a PodDisruptionBudget protects. Make room for these "
        "Pods on other nodes, or end the Pods, then run again.",
    ),
    "maintenance-no-eviction": Text(
        "maintenance-failed",
        "Nothing was updated. HyperPod may not evict Pods of EKS cluster {cluster}, so it would update nodes while Pods run. "
        "Give the user hyperpod-service-linked-role the permissions of hyperpod-patching in HyperPod's Helm chart (list pods, "
        "create pods/eviction). Or set -e update_evicts=false, which ends the Pods together with their nodes.",
    ),
    "maintenance-nothing": Text("maintenance-nothing", "Groups {groups} already run the requested software."),
    "maintenance-failed": Text(
        "maintenance-failed",
        "The replacement or update failed, so {nodes} stay drained. Fix the cause and run again. Or put login nodes back "
        "with undrain, and other nodes with scontrol update nodename=... state=resume.",
    ),
    "maintenance-no-controller": Text(
        "maintenance-waits",
        "The run can't connect to the controller node, so the jobs on the nodes are unknown. Run login_access, then run again.",
        kind="failure",
    ),
}
