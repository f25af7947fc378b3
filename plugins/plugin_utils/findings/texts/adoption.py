# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role adoption."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, refused

TEXTS: Texts = {
    "not-adopted": refused(
        "login_access_mode",
        "enforce",
        "plan and adopt. For a cluster that has no load balancer and no users yet, run the playbook login_access",
        "cluster {cluster} has no adopted {expected} yet",
    ),
    "adopted-another-balancer": refused(
        "adopt_load_balancer",
        "{load_balancer}",
        "{adopted}",
        "cluster {cluster} has already adopted a different load balancer",
    ),
    "balancer-not-adoptable": Text("option-refused", "adopt_{reason}", "option"),
    "balancer-adopted": Text(
        "balancer-adopted",
        "Load balancer {load_balancer} and target group {target_group} {done} adopted.",
        "load_balancer",
    ),
    "keys-not-adopted": Text(
        "host-keys-adopted",
        "No host keys are adopted. login_access_mode=enforce would give the login nodes new host keys, and users' ssh clients "
        "would refuse to connect until the users install the new known_hosts.",
    ),
    "keys-declared": Text("host-keys-adopted", "No host keys are adopted, because host_keys_vaulted has the host keys."),
    "keys-of-each-node": Text("host-keys-adopted", "No host keys are adopted, because each node keeps its own."),
    "keys-refused": Text("host-keys-adopted", "login_access_mode=adopt would be refused: {problem}"),
    "keys-adopted": Text("host-keys-adopted", "The host keys of {source} ({fingerprints}) {done} adopted."),
    "nodes-not-checked": Text(
        "nodes-not-checked", "These nodes were not checked, because they could not be reached or did not answer: {nodes}."
    ),
    "enforce-refused": Text("enforce-refused", "enforce would be refused on {node}: {reason}", "node"),
    "keys-replaced": Text("enforce-would-change", "enforce would install the adopted host keys on {node}.", "node"),
    "enforce-would-install": Text(
        "enforce-would-install",
        "enforce would also install an sshd drop-in and a readiness gate on each login node. After adoption, run with "
        "-e login_access_mode=enforce --check --diff to list every change.",
    ),
}
