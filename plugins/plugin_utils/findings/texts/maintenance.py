# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role maintenance."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, missing, refused

TEXTS: Texts = {
    "maintenance-nodes": refused("{option}", "{shown}", "{allowed}", "it is no node of these clusters, or a controller"),
    "maintenance-groups": refused("{option}", "{shown}", "{allowed}", "it is no instance group of these clusters with nodes"),
    "maintenance-not-chosen": missing("{option}", "{kind}, separated by commas: {allowed}"),
    "maintenance-unsaved": Text(
        "maintenance-failed",
        "{nodes}: Slurm's state was not saved, and without it the queue and the accounts would be lost. Nothing was updated.",
    ),
    "maintenance-unseen": Text(
        "maintenance-waits", "Nobody knows whether a saved state of Slurm waits to be put back: {why} The next run looks again."
    ),
    "maintenance-waits": Text(
        "maintenance-waits",
        "Nothing was replaced or updated in {what}: jobs or sessions are left on nodes, which stay drained. Run it again with more "
        "drain_timeout, with drain_force=true for sessions, or put the nodes back with undrain.",
    ),
    "maintenance-unasked": Text(
        "maintenance-waits",
        "Nothing was replaced or updated in {what}: the controller did not say that no job is on the nodes. See what it failed "
        "with, then run it again.",
    ),
    "maintenance-held": Text(
        "maintenance-held",
        "{nodes} stay drained, because this run did not configure them (see each of them). Once login_access has configured them, "
        "put them back with scontrol update nodename=... state=resume.",
    ),
    "maintenance-next": Text(
        "maintenance-next",
        "Not replaced yet: {nodes}. As many login nodes as login_balancer_minimum_healthy says stay in service all the while. Once "
        "the new ones serve run it again with replace_nodes={again}.",
    ),
    "maintenance-left-out": Text(
        "maintenance-waits",
        "{nodes} have the old software still: AWS leaves out nodes whose pods a PodDisruptionBudget protects. Make room for these "
        "pods elsewhere, or let their owners end them, and run it again.",
    ),
    "maintenance-no-eviction": Text(
        "maintenance-failed",
        "HyperPod may not evict pods of EKS cluster {cluster}: their nodes would be updated under them. Nothing was updated. Let "
        "the user hyperpod-service-linked-role list pods and create pods/eviction, as hyperpod-patching of HyperPod's Helm chart "
        "does; with -e update_evicts=false pods end with their nodes.",
    ),
    "maintenance-nothing": Text("maintenance-nothing", "The groups {groups} have the software already that was asked for."),
    "maintenance-failed": Text(
        "maintenance-failed",
        "{nodes} stay drained. Once the cause is gone run it again, or put login nodes back with undrain and the others with "
        "scontrol update nodename=... state=resume.",
    ),
    "maintenance-no-controller": Text(
        "maintenance-waits", "No controller of the cluster answers, so nobody knows which jobs are on the nodes.", kind="failure"
    ),
}
