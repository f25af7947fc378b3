# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of every playbook."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, missing, refused

TEXTS: Texts = {
    "callback-missing": Text(
        "option-refused",
        "callbacks_enabled: mlfleet.hyperpod.report is missing, and hyperpod_degraded_fails requires the verdict of this callback.",
        "callbacks_enabled",
    ),
    "lock-held": Text("lock-held", "skipped, locked by {owner} until {until}"),
    "locked": Text(
        "cluster-locked", "Cluster {cluster} is locked by {owner} until {until}. Wait for that run to end, then run again."
    ),
    "rollout-step": Text("rollout-step", "{text}", kind="note"),
    "rollout-not-reached": Text(
        "rollout-not-reached",
        "The cluster has new settings, or the collection a new version, and they are not applied yet: the cluster waits for wave "
        "{wave} of rollout {rollout}, since {since} and until {until} at most. New nodes stay out of service. To end the wait, run "
        "the rollout, or abort it.",
        kind="pending",
    ),
    "event-handled": Text(
        "event-handled", "The event of {time} is handled: a full look began at {since} and left nothing pending.", kind="note"
    ),
    "event-not-handled": Text(
        "event-not-handled",
        "The event of this run is not handled, because another run holds the lock of {cluster}. Run again when that run has ended.",
        kind="failure",
    ),
    "cluster-gone": Text("cluster-not-usable", "Cluster {cluster} no longer exists; refresh the inventory."),
    "cluster-not-usable": Text("cluster-not-usable", "Cluster {cluster} is {state}; wait until it is InService, then run again."),
    "declaration-conflicts": Text(
        "plans-failed",
        "No node of {cluster} was changed because the declared users and groups conflict with several nodes: {nodes}. See the "
        "conflicts of each node.",
    ),
    "login-nodes-failed": Text(
        "login-nodes-failed",
        "Every login node of {cluster} failed or was unreachable ({nodes}), so none was taken out of service (see each node). The "
        "rest of the run was carried out.",
    ),
    "change-failed": Text(
        "change-failed",
        "The change was stopped for {cluster} because it failed on most of the login nodes that were changed ({nodes}). The failed "
        "nodes stay in service with their previous settings (see each node). Correct the declaration, then run again.",
    ),
    "run-stops": Text(
        "run-stops",
        "The run stops for {cluster} because of the failure above. The report at the end repeats the failure.",
    ),
    "node-stops": Text("run-stops", "The run stops for node {node} because of the failure above. The report repeats the failure."),
    "not-reached": Text("node-not-reached", "is not reached: {reason}", of_node=True),
    "not-trusted-yet": Text("node-not-reached", "is not reached: {reason}", kind="note", of_node=True),
    "no-tags": refused("--tags", "{tags}", "no tags", "this playbook works on a cluster as a whole"),
    "tags-select-nothing": Text("nothing-selected", "--tags {tags} selects no task of this playbook, so nothing was checked."),
    "skipped-tags-select-nothing": Text(
        "nothing-selected", "--tags {tags} --skip-tags {skipped} selects no task of this playbook, so nothing was checked."
    ),
    "not-slurm": Text("not-slurm", "This playbook is for Slurm clusters, so this cluster was skipped."),
    "not-eks": Text("not-eks", "This playbook is for EKS clusters, so this cluster was skipped."),
    "not-selected": Text("not-selected", "{option} selects nothing in this cluster, so the cluster was skipped.", "option"),
    "nothing-declared": Text(
        "nothing-declared",
        "{cluster} was skipped because {option} is not set. The cluster's variables come from the groups {groups}.",
        kind="note",
    ),
    "nothing-declared-anywhere": Text(
        "nothing-declared",
        "{option} is not set for any cluster of this run, so nothing was done. The variables of {cluster} come from the groups "
        "{groups}.",
        kind="failure",
    ),
    "cluster-failed": Text("cluster-failed", "Cluster {cluster} failed; see the report."),
    "order-not-carried-out": Text(
        "order-not-carried-out",
        "{option} was not carried out for {cluster}, or only in part. See the pending findings in the report.",
        "option",
    ),
    "degraded": Text(
        "cluster-degraded",
        "Cluster {cluster} is degraded ({pending} pending, see the report), and hyperpod_degraded_fails is true.",
    ),
    "inventory-not-read": Text(
        "inventory-not-read",
        "The inventory could not be read completely, and this run did not include the missing parts: {failures}. All other "
        "clusters were processed. Correct the inventory source or its credentials, then run again.",
    ),
    "rotation": missing("rotation", "start, finish, rollback and emergency, for example -e rotation=start"),
}
