# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the roles login_nodes, host_keys, accounts, drain and access_report."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, missing, refused

LOGIN_NODES = "instance IDs or hosts of login nodes in this run, separated by commas: {hosts}"

TEXTS: Texts = {
    "ports-alike": refused(
        "{option}",
        "{port}",
        "three different ports",
        "{gate} is {gate_port} and login_nodes_ssh_port is {ssh_port}",
    ),
    "max-startups": refused(
        "login_nodes_max_startups",
        "{value}",
        "start:rate:full, with start from 1 to full and rate from 1 to 100",
    ),
    "mates-failed": Text(
        "other-nodes-failed",
        "{nodes} of the same cluster failed earlier in the rolling update, so this node was not changed. Fix those nodes, then run "
        "again.",
    ),
    "uids-of-other-clusters": Text("option-refused", "hyperpod_users: {conflicts}.", "hyperpod_users"),
    "shared-keys-with-certificates": refused(
        "{option}",
        "a value",
        "no value",
        "with host_keys_identity: certificates, login nodes share no host keys",
    ),
    "certificate-renew-days": refused(
        "host_keys_certificate_renew_days",
        "{days}",
        "fewer days than host_keys_certificate_days ({valid})",
    ),
    "rotation-of-vaulted-keys": refused(
        "{option}",
        "'{rotation}'",
        "no value. Rotate the keys in the source of host_keys_vaulted instead",
        "host_keys_vaulted is set",
    ),
    "emergency-unconfirmed": refused(
        "{option}",
        "'emergency'",
        "emergency with rotation_confirm=true. Every ssh client that knows the host keys of {cluster} will then refuse to connect "
        "until its user installs the new known_hosts. Declared users: {users}",
        "rotation_confirm is not true",
    ),
    "host-keys-not-trusted": Text(
        "host-keys-not-trusted",
        "{node} has host keys that are not in its trust record ({keys}), so no host certificate was signed. Find out who changed "
        "the host keys. If you did, remove the trust record (ansible-playbook mlfleet.hyperpod.forget_node -e "
        "forget_nodes={node}), then run again to create a new one.",
    ),
    "keys-not-seen": Text("host-keys-not-seen", "No node could read the host keys of the login nodes: {reasons}"),
    "keys-disputed": Text(
        "host-keys-disputed",
        "is not verified because other nodes disagree about its host keys at port {port}. The expected host keys were read by "
        "{agree}, and different ones by {differ}. One of these nodes is faulty or compromised, so compare the keys by hand.",
        "port",
        of_node=True,
    ),
    "keys-unverified": Text(
        "host-keys-unverified",
        "is not verified: the control node has no route to it, and no other node reported its host keys.",
        of_node=True,
    ),
    "other-host-keys": Text("other-host-keys", "presents host keys that differ from {expected}.", of_node=True),
    "other-host-keys-at-port": Text(
        "other-host-keys", "at port {port} presents host keys that differ from {expected}.", "port", of_node=True
    ),
    "same-host-keys": Text(
        "same-host-keys",
        "{nodes} have the same host keys, which were created before certificates were used. Each node gets its own host keys when "
        "HyperPod replaces it.",
    ),
    "host-keys-announced": Text(
        "host-keys-announced",
        "Host keys of generation {next} have been announced since {since}, in addition to generation {current}.",
    ),
    "emergency-locks-out": Text(
        "known-hosts-needed",
        "Every ssh client that knows only the previous host keys refuses to connect until its user installs the new known_hosts. "
        "Declared users: {users}.",
    ),
    "rollback-locks-out": Text(
        "known-hosts-needed",
        "Every ssh client that connected while the new host keys were presented refuses to connect until its user installs the new "
        "known_hosts. Declared users: {users}.",
    ),
    "drain-reason": refused("drain_reason", "{reason}", "one line of 1 to 500 characters, which users see when they log in"),
    "drain-timeout": refused("drain_timeout", "{seconds}", "0 to 86400 seconds"),
    "drain-force": refused("drain_force", "{value}", "true, false"),
    "drain-settle": refused("drain_settle", "{seconds}", "0 to 900 seconds"),
    "drain-chosen": refused("{option}", "{unknown}", LOGIN_NODES),
    "drain-not-chosen": missing("{option}", LOGIN_NODES),
    "drained-unreached": Text(
        "drained-node-not-reached",
        "is deregistered and recorded as drained, but could not be reached. The node may still accept logins at its own "
        "address, and its sessions are unknown.",
    ),
    "drained-node-gone": Text(
        "drained-node-gone", "was drained and no longer exists, so its drain record is removed.", of_node=True
    ),
    "node-not-read": Text("node-not-read", "could not be read, so the report lacks its users.", of_node=True),
}
