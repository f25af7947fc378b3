# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on who has access through the Client VPN."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.statuses import CUT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import vpn as vpn_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed

from .. import Variables, view

DAYS = {"client_vpn_report_days": (1, 3653)}


@dataclass(frozen=True)
class Log:
    """The connection log of the requested days."""

    refusals: Findings
    group: str


@view
def log(variables: Variables) -> Log:
    known = variables["hostvars"][variables["inventory_hostname"]]
    vpc_id = variables["hyperpod_run"].get("vpn_vpc", "")
    return Log(refused(limits.range_problems(variables, DAYS, known)), client_vpn.log_group(vpc_id))


@view
def access(variables: Variables) -> dict[str, t.Any]:
    """The report's part about the cluster's VPC."""
    run = variables["hyperpod_run"]
    active = [each for each in run["vpn_endpoint"].get("connections") or [] if each["status"] not in CUT]
    return vpn_report.of_vpc(
        run["vpn_vpc"],
        pki=plain(variables["__client_vpn_access_pki"]["client_vpn_pki"]),
        log=plain(variables["__client_vpn_access_log"]["people"]),
        people=run["vpn_users"],
        offboarded=run["vpn_offboarded"],
        connected=[each["common_name"] for each in active] + [each["username"] for each in active],
    )


@dataclass(frozen=True)
class Report:
    """The report on all VPCs."""

    table: Printed
    files: list[dict[str, str]]
    """The ``path`` and ``content`` of each file."""


@view
def report(variables: Variables) -> Report:
    hosts = {host: variables["hostvars"][host] for host in variables["ansible_play_hosts"]}
    runs = {host: each["hyperpod_run"] for host, each in hosts.items() if "vpn_access" in (each.get("hyperpod_run") or {})}
    parts = [plain(run["vpn_access"]) for run in runs.values()]
    arns = {host: str(hosts[host]["hyperpod_cluster_arn"]) for host in runs}
    clusters = {host: {"arn": arns[host], "vpc": str(run["vpn_access"]["vpc_id"])} for host, run in runs.items()}
    missing = plain(variables.get("hyperpod_inventory_failures", []))
    created = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    written = (
        (variables["client_vpn_report_json"], vpn_report.to_json(parts, created=created, clusters=clusters, not_read=missing)),
        (variables["client_vpn_report_csv"], vpn_report.to_csv(parts, not_read=missing)),
    )
    return Report(
        table=printed(vpn_report.to_table(parts, not_read=missing)),
        files=[{"path": path, "content": content} for path, content in written if path],
    )
