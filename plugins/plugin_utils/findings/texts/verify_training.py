# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role verify_training."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "training-passed": Text("training-passed", "{figures}"),
    "training-failed": Text("training-failed", "{problem}: {why}", "problem"),
    "training-not-verified": Text("training-not-verified", "Training was not verified: {why}"),
    "training-none-idle": Text(
        "training-none-idle", "Not verified: no node is idle, so no training job ran. Run this playbook again when jobs have ended."
    ),
    "training-not-resumed": Text(
        "training-not-resumed",
        "The run did not test that jobs write checkpoints and resume from them. Name shared storage with verify_training_claim.",
    ),
    "training-image-unpatched": Text("training-image-unpatched", "{why}"),
    "training-nodes-missing": Text("training-group-unverified", "Not verified: {what}. {step}"),
    "training-group-unverified": Text("training-group-unverified", "Not verified: {what}. {step}", kind="note"),
    "training-planned": Text("training-planned", "{figures}"),
    "training-slower": Text(
        "training-slower",
        "Training is {percent} % slower than on {since}: {now} tokens per second instead of {before}. Compare the versions, "
        "the network and the health of the nodes with those of that run.",
    ),
}
