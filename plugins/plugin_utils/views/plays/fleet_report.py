# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbook fleet_report reports about each cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view

MADE = "__fleet_report_made"
"""The registered result of the role fleet_report."""


@view
def fleet_report(variables: Variables) -> Findings:
    """What the report says about the current host's cluster."""
    made = plain(variables[MADE])
    if made["failure"]:
        return finding("report-store-not-read", why=made["failure"])
    if made["empty"]:
        return finding("no-reports", store=made["store"])
    own = made["clusters"][variables["inventory_hostname"]]
    unread = finding("report-not-read", count=own["problems"]) if own["problems"] else []
    return [*finding("fleet-report", state=own["state"], why=own["why"]), *unread]
