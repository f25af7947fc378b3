# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role accelerator_health."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "image-not-pinned": Text(
        "image-not-pinned",
        "accelerator_health_image: {image} has no digest, so anyone who can move its tag can run programs as root on the nodes. "
        "Use REPOSITORY@sha256:DIGEST.",
        "image",
        kind="note",
    ),
}
