# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of every playbook."""

from __future__ import annotations

from .text import Text, Texts, refused

TEXTS: Texts = {
    "no-tags": refused("--tags", "{tags} is not allowed. Allowed: no tags, since this concerns a cluster as a whole."),
    "tags-select-nothing": Text("nothing-selected", "--tags {tags} selects no task of this playbook, so nothing was checked."),
    "skipped-tags-select-nothing": Text(
        "nothing-selected", "--tags {tags} --skip-tags {skipped} selects no task of this playbook, so nothing was checked."
    ),
    "cluster-failed": Text("cluster-failed", "Cluster {cluster} failed; see the report."),
    "degraded": Text(
        "cluster-degraded",
        "Cluster {cluster} is degraded ({pending} pending, see the report), and hyperpod_degraded_fails is true.",
    ),
    "inventory-not-read": Text(
        "inventory-not-read",
        "Not read, and so not part of this run: {failures}. All other clusters are done. Correct the inventory source or its "
        "credentials, and run again.",
    ),
    "rotation": refused(
        "rotation", "'{rotation}' is not allowed. Allowed: start, finish, rollback and emergency (-e rotation=start)."
    ),
}
