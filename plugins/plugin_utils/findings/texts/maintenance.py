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
        "{nodes}: Slurm's state was not saved, so an update would lose the queue and the accounts. Nothing was updated.",
    ),
    "maintenance-unseen": Text(
        "maintenance-waits", "Could not check for a saved Slurm state to restore: {why} The next run retries."
    ),
    "maintenance-waits": Text(
        "maintenance-waits",
        "Nothing was replaced or updated in {what}: jobs or sessions remain on the nodes, which stay drained. Run again with a "
        "longer drain_timeout or with drain_force=true, which ends sessions, or put the nodes back with undrain.",
    ),
    "maintenance-unasked": Text(
        "maintenance-waits",
        "Nothing was replaced or updated in {what}: could not confirm that the nodes are idle. See the controller's error, then "
        "run again.",
    ),
    "maintenance-held": Text(
        "maintenance-held",
        "{nodes} stay drained because this run did not configure them (see each node). After login_access has configured them, "
        "put them back with scontrol update nodename=... state=resume.",
    ),
    "maintenance-next": Text(
        "maintenance-next",
        "Not replaced yet: {nodes}; login_balancer_minimum_healthy login nodes stay in service. When the new nodes are in "
        "service, run again with replace_nodes={again}.",
    ),
    "maintenance-left-out": Text(
        "maintenance-waits",
        "{nodes} still run the old software: AWS skips nodes whose pods a PodDisruptionBudget protects. Make room for these pods "
        "on other nodes or end them, then run again.",
    ),
    "maintenance-no-eviction": Text(
        "maintenance-failed",
        "Nothing was updated: HyperPod may not evict pods of EKS cluster {cluster}, so nodes would be updated while pods run on "
        "them. Allow the user hyperpod-service-linked-role to list pods and create pods/eviction, as hyperpod-patching of "
        "HyperPod's Helm chart does; or set -e update_evicts=false, and pods end with their nodes.",
    ),
    "maintenance-nothing": Text("maintenance-nothing", "Groups {groups} already run the requested software."),
    "maintenance-failed": Text(
        "maintenance-failed",
        "{nodes} stay drained. Fix the cause and run again, or put login nodes back with undrain and the others with scontrol "
        "update nodename=... state=resume.",
    ),
    "maintenance-no-controller": Text(
        "maintenance-waits", "No controller of the cluster answers, so the jobs on the nodes are unknown.", kind="failure"
    ),
}
