# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role events."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "events-shared": Text(
        "events-shared", "All clusters of {place} share one queue. The run sets it up together with cluster {cluster}.", "cluster"
    ),
    "events-rulebook-kept": Text(
        "events-rulebook-kept",
        "The rulebook {path} was not written, because the run does not know all queues: {reasons}. ansible-rulebook ends if a "
        "queue of its rulebook does not exist. Correct the cause, then run again.",
        "path",
    ),
}
