# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role records."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, missing, refused

RECORDED_NODES = "instance IDs or hosts of nodes with a trust record, separated by commas"

TEXTS: Texts = {
    "not-locked": Text("not-locked", "No run holds the lock of {cluster}; nothing was changed."),
    "unlocked": Text(
        "done-by-hand",
        "The lock of {cluster} {was} removed. If the run that held the lock is still active, that run fails within a minute with "
        "'Lock ... is lost'. Then start that run again.",
    ),
    "forgotten": Text(
        "done-by-hand",
        "The records of {nodes} {were} removed. The next login_access or reconcile verifies the nodes that still belong to the "
        "cluster.",
    ),
    "forgotten-with-drain": Text(
        "done-by-hand",
        "The records of {nodes} {were} removed, including the drain record of {drained}. The next login_access or reconcile "
        "verifies the nodes that still belong to the cluster.",
    ),
    "readmitted": Text(
        "done-by-hand",
        "{name} {was} readmitted to {cluster}, but has no access yet. Declare the user with {uid}, which owns the user's files on "
        "shared storage, then run login_access to create the account. Revoked certificates stay revoked; the playbook client_vpn "
        "creates a new one.",
        "name",
    ),
    "no-evidence": Text("evidence-written", "Check mode writes no evidence"),
    "forget-nodes": refused("forget_nodes", "{unknown}", RECORDED_NODES),
    "forget-nothing": missing("forget_nodes", RECORDED_NODES),
    "forget-unconfirmed": Text(
        "option-refused",
        "Without trust records, the next run would accept any host key that Systems Manager shows for {nodes} of cluster "
        "{cluster}. If you know why the records are wrong, add -e forget_confirm={cluster} and run again.",
        "forget_confirm",
    ),
    "readmit-name-missing": Text(
        "option-refused", "readmit_name: missing. Allowed: the user name of an offboarded user.", "readmit_name"
    ),
    "readmit-without-reason": Text(
        "option-refused",
        "readmit_reason: missing. Give the reason to readmit {name}, which is written to the evidence.",
        "readmit_reason",
    ),
    "readmit-name": refused("readmit_name", "{name}", "the user name of an offboarded user"),
    "readmit-unknown": refused("readmit_name", "{name}", "{known}", "no user of that name was offboarded"),
}
