# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role fleet_report."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "fleet-report": Text("fleet-report", "According to the reports of earlier runs: {state} ({why}). This run read no cluster."),
    "no-reports": Text(
        "no-reports",
        "The report store {store} has no report of the clusters of this run, so nothing is known about them. Run other playbooks "
        "with this report store first, or correct hyperpod_report_store.",
    ),
    "report-not-read": Text(
        "report-not-read",
        "{count} reports or files in the report store could not be used. The section Sources of the page has the reasons. Run "
        "their playbooks again to replace them.",
    ),
    "report-store-not-read": Text("report-store-not-read", "{why} Nothing is known about the clusters."),
}
