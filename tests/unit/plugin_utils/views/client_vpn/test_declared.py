# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refused variables of the role, and the request that they describe."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import declared

from .conftest import texts


def test_valid_variables_are_accepted(variables: dict[str, t.Any]) -> None:
    assert texts(declared.refusals(variables)) == []


@pytest.mark.parametrize(
    ("given", "refusals"),
    [
        ({"client_vpn_poll_interval": 301}, ["client_vpn_poll_interval: 301 is not allowed. Allowed: 1 to 300."]),
        (
            {"client_vpn_poll_interval": 301, "client_vpn_crl_days": 1, "client_vpn_window": "never"},
            [
                "client_vpn_crl_days: 1 is not allowed. Allowed: 2 to 3650.",
                "client_vpn_poll_interval: 301 is not allowed. Allowed: 1 to 300.",
                "client_vpn_window: never is not allowed. Allowed: windows in UTC such as Sun 02:00-04:00 or daily 02:00-04:00, "
                "separated by commas.",
            ],
        ),
        (
            {"client_vpn_client_cidr": "172.20.0.0/23"},
            ["client_vpn_client_cidr: 172.20.0.0/23 is not allowed. Allowed: IPv4 ranges from /12 to /22, as in 172.20.0.0/20."],
        ),
        (
            {"client_vpn_allowed_cidrs": ["10.0.0.0/8", "10.0.0.256/32", "10.0.0/24", "0.0.0.0/33"]},
            ["client_vpn_allowed_cidrs: 10.0.0.256/32, 10.0.0/24, 0.0.0.0/33 is not allowed. Allowed: IPv4 ranges, as in 10.40.0.0/16."],
        ),
        (
            {"client_vpn_dns_servers": ["10.1.0.2", "10.1.0"]},
            ["client_vpn_dns_servers: 10.1.0 is not allowed. Allowed: IPv4 addresses, and resolver."],
        ),
        (
            {"client_vpn_domain": "VPN.example.com"},
            ["client_vpn_domain: VPN.example.com is not allowed. Allowed: domain names in lower case, as in vpn.example.com."],
        ),
        (
            {"client_vpn_window": "Sun 02:00-04:00, Sunday"},
            [
                "client_vpn_window: Sunday is not allowed. Allowed: windows in UTC such as Sun 02:00-04:00 or daily 02:00-04:00, "
                "separated by commas."
            ],
        ),
        (
            {"client_vpn_log_retention_days": "8"},
            [
                "client_vpn_log_retention_days: 8 is not allowed. Allowed: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, "
                "731, 1827, 3653."
            ],
        ),
        (
            {"client_vpn_renew_before": 30, "client_vpn_crl_days": "30"},
            [
                "client_vpn_renew_before: 30 is not allowed. Allowed: fewer days than client_vpn_certificate_days (365) and "
                "client_vpn_crl_days (30)."
            ],
        ),
        (
            {"client_vpn_revoke": "alice, carol"},
            [
                "client_vpn_revoke: carol is not allowed. Allowed: names of declared users. For users who left, run the "
                "playbook offboard."
            ],
        ),
    ],
)
def test_an_invalid_value_is_refused(variables: dict[str, t.Any], given: dict[str, t.Any], refusals: list[str]) -> None:
    assert texts(declared.refusals({**variables, **given})) == refusals


def test_the_endpoint_is_checked_by_its_module(variables: dict[str, t.Any]) -> None:
    (refusal,) = texts(declared.refusals({**variables, "client_vpn_dns_servers": ["10.1.0.2", "10.1.0.3", "10.1.0.4"]}))
    assert refusal.startswith("client_vpn_dns_servers: 10.1.0.2, 10.1.0.3, 10.1.0.4 is not allowed. Allowed: at most 2 addresses.")


def test_a_variable_is_refused_under_the_name_that_was_set(variables: dict[str, t.Any]) -> None:
    known = {"ml": {"hyperpod_cluster_arn": "arn:ml", "vpn_revoke": "carol"}}
    (refusal,) = texts(declared.refusals({**variables, "client_vpn_revoke": "carol", "hostvars": known}))
    assert refusal.startswith("vpn_revoke: carol is not allowed.")


@pytest.mark.parametrize(
    ("given", "configured", "certificates", "may_disconnect", "intervals"),
    [
        ({}, True, True, False, (10, 5)),
        ({"client_vpn_client_cidr": ""}, False, True, False, (10, 5)),
        ({"client_vpn_authentication": [{"type": "directory"}]}, True, False, False, (10, 5)),
        ({"client_vpn_urgent": True}, True, True, True, (10, 5)),
        ({"client_vpn_urgent": "true"}, True, True, True, (10, 5)),
        ({"client_vpn_urgent": "false"}, True, True, False, (10, 5)),
        ({"client_vpn_window": "daily 00:00-00:00"}, True, True, True, (10, 5)),
        ({"client_vpn_poll_interval": "300"}, True, True, False, (60, 5)),
        ({"client_vpn_poll_interval": 1}, True, True, False, (1, 1)),
    ],
)
def test_the_variables_become_a_request(
    variables: dict[str, t.Any], given: dict[str, t.Any], configured: bool, certificates: bool, may_disconnect: bool, intervals: tuple[int, int]
) -> None:
    found = declared.asked({**variables, **given})
    assert (found.configured, found.certificates, found.may_disconnect) == (configured, certificates, may_disconnect)
    assert (found.certificate_poll_interval, found.endpoint_poll_interval) == intervals
