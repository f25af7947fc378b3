# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role remediation."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "remediation-nothing": Text("remediation-planned", "No node of {cluster} needs a repair."),
    "remediation-nothing-of-read": Text(
        "remediation-planned", "No node of {cluster} whose health is known ({read} of {count}) needs a repair."
    ),
    "remediation-unread": Text(
        "remediation-unread",
        "{unknown} of {count} nodes may need a repair because their health is unknown: {nodes}.",
        kind="pending",
    ),
    "remediation-blind": Text(
        "remediation-unread",
        "The health of all {count} nodes of {cluster} is unknown, so this run can't plan repairs.",
        kind="failure",
    ),
    "remediation-planned": Text("remediation-planned", "{does} is planned: {why}", of_node=True),
    "remediation-unapproved": Text(
        "remediation-unapproved",
        "No action taken: plan {number} is not approved ({planned}). To approve it, run again with -e "
        "remediation_approve={number}; the approval applies only if the plan has not changed.",
    ),
    "remediation-other-plan": Text(
        "remediation-unapproved",
        "No action taken: {approved} was approved, and the plan is now {number} ({planned}). To approve it, run again with -e "
        "remediation_approve={number}.",
    ),
    "remediation-wait": Text("remediation-waits", "left to the service: {why}", of_node=True),
    "remediation-later": Text("remediation-waits", "not repaired in this run: {why}", of_node=True),
    "remediation-unchecked": Text("remediation-unchecked", "not checked in this run: {why}", of_node=True),
    "remediation-occupied": Text(
        "remediation-waits",
        "no action taken yet; a drained node stays drained: {why} Run again, if necessary with a longer remediation_jobs_timeout.",
        of_node=True,
    ),
    "remediation-stop": Text("remediation-stopped", "Nothing is repaired or checked: {why}"),
    "remediation-escalate": Text("remediation-escalated", "needs a person: {why}", of_node=True),
    "remediation-failed": Text(
        "remediation-failed",
        "{nodes}: AWS did not complete the requested actions, so the nodes stay drained. The next run checks them again.",
    ),
    "remediation-repaired": Text("remediation-repaired", "{did}, and fit again.", of_node=True),
    "remediation-unseen": Text(
        "remediation-waits", "{did}, not verified yet: stays drained until a run verifies it.", of_node=True
    ),
    "remediation-unconfigured": Text(
        "remediation-unconfigured",
        "{did}, but this run did not configure it, so it stays drained. Fix the error of the node, then run again.",
        of_node=True,
    ),
    "remediation-left": Text("remediation-waits", "{did}, back in service; remaining: {codes}.", of_node=True),
    "remediation-unfit": Text("remediation-unfit", "{did}, but still unfit ({verdict}): stays drained.", of_node=True),
}
