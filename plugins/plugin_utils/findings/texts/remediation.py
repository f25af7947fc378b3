# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role remediation."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "remediation-nothing": Text("remediation-planned", "No node of {cluster} needs a repair."),
    "remediation-nothing-of-read": Text(
        "remediation-planned", "No node of {cluster} whose health is known ({read} of {count}) needs a repair."
    ),
    "remediation-unread": Text(
        "remediation-unread",
        "{unknown} of {count} nodes may need a repair, since their health is unknown: {nodes}.",
        kind="pending",
    ),
    "remediation-blind": Text(
        "remediation-unread",
        "The health of no node of {cluster} is known (0 of {count}), so no run can tell whether one needs a repair.",
        kind="failure",
    ),
    "remediation-planned": Text("remediation-planned", "{does} is planned: {why}", of_node=True),
    "remediation-unapproved": Text(
        "remediation-unapproved",
        "Nothing was done: nobody has agreed to plan {number} yet ({planned}). If you do, run it again with "
        "-e remediation_approve={number}; it is done only if the plan is still the same then.",
    ),
    "remediation-other-plan": Text(
        "remediation-unapproved",
        "Nothing was done: {approved} was agreed to, and the plan is {number} now ({planned}). If you agree to this one, "
        "run it again with -e remediation_approve={number}.",
    ),
    "remediation-wait": Text("remediation-waits", "left to the service: {why}", of_node=True),
    "remediation-later": Text("remediation-waits", "not repaired in this run: {why}", of_node=True),
    "remediation-unchecked": Text("remediation-unchecked", "not checked in this run: {why}", of_node=True),
    "remediation-occupied": Text(
        "remediation-waits",
        "nothing was done with it yet, and if it was drained it stays so: {why} "
        "Run it again, with more remediation_jobs_timeout if need be.",
        of_node=True,
    ),
    "remediation-stop": Text("remediation-stopped", "Nothing is repaired or checked: {why}"),
    "remediation-escalate": Text("remediation-escalated", "needs a person: {why}", of_node=True),
    "remediation-failed": Text(
        "remediation-failed",
        "{nodes}: AWS did not do all that was asked, and they stay drained. The next run looks at them again.",
    ),
    "remediation-repaired": Text("remediation-repaired", "{did}, and fit again.", of_node=True),
    "remediation-unseen": Text(
        "remediation-waits", "{did}, and nobody has seen yet that it is fit: it stays drained until a run has.", of_node=True
    ),
    "remediation-unconfigured": Text(
        "remediation-unconfigured",
        "{did}, but this run did not configure it: it stays drained. Correct what the node failed with, then run it again.",
        of_node=True,
    ),
    "remediation-left": Text("remediation-waits", "{did}, works again, and has {codes} still.", of_node=True),
    "remediation-unfit": Text("remediation-unfit", "{did}, and still unfit ({verdict}): it stays drained.", of_node=True),
}
