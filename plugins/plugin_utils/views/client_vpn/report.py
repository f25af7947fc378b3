# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs, profiles and reports."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn_certificates
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import vpn as vpn_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, told

from .. import Variables
from .endpoint import endpoint
from .network import names
from .users import users


@dataclass(frozen=True)
class Log:
    """The log group of the connection log."""

    due: bool
    """Its retention or tags are to be changed."""
    retention: int | None
    """None in check mode for one that exists, since amazon.aws would write it."""
    ours: bool


def log(variables: Variables) -> Log:
    named = names(variables)
    groups = variables["__client_vpn_logs"]["log_groups"]
    found: dict[str, t.Any] = next((each for each in groups if each["log_group_name"] == named.log_group), {})
    tags = plain(found.get("tags") or {}).items()
    days = int(variables["client_vpn_log_retention_days"])
    return Log(
        due=found.get("retention_in_days") != days or not named.tags.items() <= tags,
        retention=None if found and variables["ansible_check_mode"] else days,
        ours=named.identity.items() <= tags,
    )


@dataclass(frozen=True)
class Profiles:
    refusals: Findings
    users: list[str]


def profiles(variables: Variables) -> Profiles:
    asked = given_names(variables["client_vpn_profile_people"])
    valid = client_vpn_certificates.valid(variables["__client_vpn_pki"]["client_vpn_pki"])
    unknown = [name for name in asked if name not in valid]
    shown = valid or "none yet; run the playbook client_vpn first"
    return Profiles(refusals=told("vpn-people-unknown", unknown=unknown, known=shown) if unknown else [], users=asked or valid)


@dataclass(frozen=True)
class Access:
    """Of one cluster's VPC."""

    found: dict[str, t.Any]


def access(variables: Variables) -> Access:
    active = [each for each in endpoint(variables).found.get("connections") or [] if each["status"] == "active"]
    declared = users(variables)
    return Access(
        vpn_report.of_vpc(
            variables["__client_vpn_vpc_id"],
            pki=plain(variables["__client_vpn_pki"]["client_vpn_pki"]),
            log=plain(variables["__client_vpn_log"]["people"]),
            people=declared.present,
            offboarded=declared.offboarded,
            connected=[each["common_name"] for each in active] + [each["username"] for each in active],
        )
    )


@dataclass(frozen=True)
class Report:
    """Of all VPCs."""

    table: list[str]
    files: list[dict[str, str]]
    """``path`` and ``content``."""


def report(variables: Variables) -> Report:
    hosts = [variables["hostvars"][host] for host in variables["ansible_play_hosts"]]
    parts = [plain(each["__client_vpn_access"]) for each in hosts if "__client_vpn_access" in each]
    missing = plain(variables.get("hyperpod_inventory_failures", []))
    created = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    written = (
        (variables["client_vpn_report_json"], vpn_report.to_json(parts, created=created, not_read=missing)),
        (variables["client_vpn_report_csv"], vpn_report.to_csv(parts, not_read=missing)),
    )
    return Report(
        table=vpn_report.to_table(parts, not_read=missing),
        files=[{"path": path, "content": content} for path, content in written if path],
    )
