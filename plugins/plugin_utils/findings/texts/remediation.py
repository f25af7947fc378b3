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
    "remediation-planned": Text("remediation-planned", "has the planned action {does}: {why}", of_node=True),
    "remediation-unapproved": Text(
        "remediation-unapproved",
        "No action taken: plan {number} is not approved ({planned}). To approve it, add -e remediation_approve={number} and run "
        "again. The approval applies only if the plan has not changed.",
    ),
    "remediation-other-plan": Text(
        "remediation-unapproved",
        "No action taken: plan {approved} was approved, but the current plan is {number} ({planned}). To approve the current plan, "
        "add -e remediation_approve={number} and run again.",
    ),
    "remediation-wait": Text("remediation-waits", "is left to HyperPod: {why}", of_node=True),
    "remediation-later": Text("remediation-waits", "is not repaired in this run: {why}", of_node=True),
    "remediation-unchecked": Text("remediation-unchecked", "is not checked in this run: {why}", of_node=True),
    "remediation-occupied": Text(
        "remediation-waits",
        "is not repaired or checked yet: {why} If the node is drained, it stays drained. Run again, if necessary with a longer "
        "remediation_jobs_timeout.",
        of_node=True,
    ),
    "remediation-stop": Text("remediation-stopped", "Nothing is repaired or checked: {why}"),
    "remediation-escalate": Text("remediation-escalated", "needs a decision by an operator: {why}", of_node=True),
    "remediation-failed": Text(
        "remediation-failed",
        "{nodes}: not all requested actions were completed, so the nodes stay drained. The next run checks the nodes again.",
    ),
    "remediation-repaired": Text("remediation-repaired", "{did}. The node is fit again.", of_node=True),
    "remediation-unseen": Text(
        "remediation-waits", "{did}, but is not verified yet. It stays drained until a run verifies it.", of_node=True
    ),
    "remediation-unconfigured": Text(
        "remediation-unconfigured",
        "{did}, but this run did not configure it, so it stays drained. Fix the error on the node, then run again.",
        of_node=True,
    ),
    "remediation-left": Text(
        "remediation-waits", "{did}. The node is back in service, but still has these findings: {codes}.", of_node=True
    ),
    "remediation-unfit": Text("remediation-unfit", "{did}, but is still unfit ({verdict}), so it stays drained.", of_node=True),
}
