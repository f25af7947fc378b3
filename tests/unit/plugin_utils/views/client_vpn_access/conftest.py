# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a cluster's host for views of client_vpn_access."""

from __future__ import annotations

import typing as t

import pytest

PKI = {"authority": None, "server": None, "crl": None, "people": []}


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


def pki(**parts: t.Any) -> dict[str, t.Any]:
    return {"__client_vpn_access_pki": {"client_vpn_pki": {**PKI, **parts}}}


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "inventory_hostname": "ml",
        "ansible_play_hosts": ["ml"],
        "hostvars": {"ml": {"client_vpn_report_days": 90}},
        "hyperpod_run": {"vpn_vpc": "vpc-1", "vpn_endpoint": {}, "vpn_endpoint_id": "", "vpn_users": ["alice"], "vpn_offboarded": []},
        "client_vpn_authentication": [{"type": "certificate"}],
        "client_vpn_leaver": "bob",
        "client_vpn_poll_interval": 10,
        "client_vpn_profile_people": [],
        "client_vpn_report_csv": "",
        "client_vpn_report_days": 90,
        "client_vpn_report_json": "",
        "client_vpn_urgent": False,
        "client_vpn_window": "",
    }
