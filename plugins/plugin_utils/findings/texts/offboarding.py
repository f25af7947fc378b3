# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role offboarding."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, refused

TEXTS: Texts = {
    "user-in-directory": Text("user-in-directory", "Accounts come from a directory, so disable {name} there.", "name"),
    "evidence-written": Text("evidence-written", "The evidence is in {files}"),
    "offboard-name": refused(
        "offboard_name",
        "'{name}'",
        "a user name of 1 to 32 characters of a-z, 0-9, _ and -, except {protected}",
    ),
    "offboard-uid": refused(
        "offboard_uid",
        "{uid}",
        "1000 to 4294967294, except 65534 and 65535; lower UIDs are system accounts",
    ),
    "offboard-hooks": refused("offboard_hooks", "{missing}", "existing files with tasks"),
    "offboard-system-account": refused(
        "offboard_name",
        "'{name}'",
        "users, not system accounts (UIDs below 1000, and 65534)",
        "it has UID {uids} on nodes of {cluster}",
    ),
    "offboard-other-uid": Text(
        "option-refused",
        "The UID of {name} on {nodes} differs from the declared or recorded UID ({known}). If the accounts are of the "
        "same user, set offboard_uid. Allowed: {uids}.",
        "offboard_uid",
    ),
    "offboard-name-unknown": refused(
        "offboard_name",
        "'{name}'",
        "a known user, or one whose UID is given by offboard_uid",
        "no declaration, record or reached node has it",
    ),
}
