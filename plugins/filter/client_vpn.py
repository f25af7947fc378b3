# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and decisions of the role client_vpn."""

from __future__ import annotations

import datetime
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now, moment_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn, vpn_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_users import BadUsersFile


def vpn_people(
    users: t.Sequence[t.Mapping[str, t.Any]],
    files: t.Sequence[str],
    offboarded: t.Mapping[str, t.Any],
    neighbours: t.Sequence[t.Mapping[str, t.Any]] = (),
) -> dict[str, list[str]]:
    """Who has a certificate, and whose are revoked."""
    try:
        return client_vpn.people_of(users, files, offboarded, neighbours)
    except BadUsersFile as error:
        raise AnsibleFilterError(str(error)) from error


def vpn_window_open(window: str, at: str | None = None) -> bool:
    """Whether the window is open, now or at an ISO time in UTC."""
    try:
        now = moment_of(at) if at else datetime.datetime.now(datetime.timezone.utc)
        return client_vpn.window_open(window, now)
    except ValueError as error:
        raise AnsibleFilterError(f"vpn_window_open: {error}") from error


def vpn_settings(
    cidrs: t.Sequence[str], servers: t.Sequence[str], allowed: t.Sequence[str]
) -> dict[str, t.Any]:
    """DNS servers and rules, with what the VPC says about them."""
    return client_vpn.settings_of(plain(cidrs), plain(servers), plain(allowed))


def vpn_authentication(declared: t.Sequence[t.Mapping[str, t.Any]], arn: str) -> list[dict[str, t.Any]]:
    """How people prove who they are, with the ARN of our authority."""
    return client_vpn.with_authority(plain(declared), arn)


def vpn_cost(associations: int, people: int, price: t.Mapping[str, t.Any]) -> str:
    """What a month costs, in one sentence."""
    return client_vpn.cost(associations=int(associations), people=int(people), price=price)


def vpn_access(vpc_id: str, **known: t.Any) -> dict[str, t.Any]:
    """One VPC's part of the report."""
    return vpn_report.of_vpc(vpc_id, **plain(known))


def vpn_report_as(parts: t.Sequence[t.Mapping[str, t.Any]], form: str, not_read: t.Sequence[str] = ()) -> str | list[str]:
    """The parts of all VPCs as a text, or as the lines of a table."""
    found, missing = [plain(part) for part in parts], plain(not_read)
    if form == "json":
        return vpn_report.to_json(found, created=iso_now(), not_read=missing)
    if form == "csv":
        return vpn_report.to_csv(found, not_read=missing)
    if form == "table":
        return vpn_report.to_table(found, not_read=missing)
    raise AnsibleFilterError(f"vpn_report_as: {form!r} is not allowed; json, csv and table are.")


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "vpn_people": vpn_people,
            "vpn_window_open": vpn_window_open,
            "vpn_window_problems": client_vpn.window_problems,
            "vpn_settings": vpn_settings,
            "vpn_authentication": vpn_authentication,
            "vpn_cost": vpn_cost,
            "vpn_access": vpn_access,
            "vpn_report_as": vpn_report_as,
        }
