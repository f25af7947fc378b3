# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has access through the VPN, when connections may be cut, what it costs, and the report."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn

PRICE = {"association_hour": 0.1, "connection_hour": 0.05, "currency": "USD", "hours_per_person": 160}
USERS = [{"name": "alice"}, {"name": "bob", "state": "absent"}, {"name": "mallory"}]


@pytest.mark.parametrize(
    "window, at, expected",
    [
        ("", "2026-11-22T03:00", False),
        ("Sun 02:00-04:00", "2026-11-22T02:00", True),
        ("Sun 02:00-04:00", "2026-11-22T03:59", True),
        ("Sun 02:00-04:00", "2026-11-22T04:00", False),
        ("Sun 02:00-04:00", "2026-11-21T03:00", False),
        ("Sun 23:00-01:00", "2026-11-23T00:30", True),  # on Monday, past midnight and past the end of the week
        ("Sun 23:00-01:00", "2026-11-22T00:30", False),
        ("daily 02:00-03:00", "2026-11-25T02:30", True),
        ("Mon 02:00-03:00, Wed 02:00-03:00", "2026-11-25T02:30", True),
        ("Wed 00:00-00:00", "2026-11-25T13:00", True),
    ],
)
def test_connections_may_be_cut_within_the_window_only(window, at, expected):
    assert client_vpn.window_open(window, datetime.datetime.fromisoformat(at)) is expected


@pytest.mark.parametrize(
    "window, problems",
    [
        ("", []),
        ("Sun 02:00-04:00, daily 23:00-01:00", []),
        ("Sunday 2-4", ["Sunday 2-4"]),
        ("Sun 02:00-04:00, Mon 25:00-26:00", ["Mon 25:00-26:00"]),
        ("Sun 02:00-04:00\n, x", ["x"]),
    ],
)
def test_invalid_windows_are_refused(window, problems):
    assert client_vpn.window_problems(window) == problems


@pytest.mark.parametrize(
    "offboarded, neighbours, people, revoked",
    [
        ({}, [], ["alice", "mallory"], ["bob"]),
        ({"mallory": {}}, [], ["alice"], ["bob", "mallory"]),
        ({}, [{"hyperpod_users": [{"name": "bob"}], "hyperpod_users_files": []}], ["alice", "mallory"], []),
        ({"bob": {}}, [{"hyperpod_users": [{"name": "bob"}]}], ["alice", "mallory"], ["bob"]),  # an offboarded user is offboarded everywhere
        ({"gone": {}}, [], ["alice", "mallory"], ["bob", "gone"]),
        ({}, [{"hyperpod_users": [{"uid": 1}, "bob"]}, {"hyperpod_users": {"bob": {}}}], ["alice", "mallory"], ["bob"]),
    ],
)
def test_declared_users_have_certificates(offboarded, neighbours, people, revoked):
    assert client_vpn.people_of(USERS, [], offboarded, neighbours) == {"people": people, "revoked": revoked}


def test_an_invalid_entry_is_skipped():
    """The check of declarations reports it."""
    assert client_vpn.people_of([*USERS, "carol"], [], {}) == client_vpn.people_of(USERS, [], {})


def test_the_resolver_of_the_vpc_is_used_and_reachable():
    cidrs = ["10.1.0.0/16", "10.9.0.0/16"]
    assert client_vpn.settings_of(cidrs, ["resolver", "10.1.7.7"], []) == {
        "dns_servers": ["10.1.0.2", "10.1.7.7"],
        "rules": [{"cidr": "10.1.0.0/16"}, {"cidr": "10.9.0.0/16"}],
    }
    assert client_vpn.settings_of(cidrs, [], ["10.1.4.0/24"])["rules"] == [{"cidr": "10.1.4.0/24"}]


def test_our_authority_is_used_unless_another_one_is_declared():
    declared = [{"type": "certificate"}, {"type": "directory", "directory_id": "d-1"}]
    assert client_vpn.with_authority(declared, "arn:ours") == [
        {"type": "certificate", "client_root_certificate_arn": "arn:ours"},
        {"type": "directory", "directory_id": "d-1"},
    ]
    named = [{"type": "certificate", "client_root_certificate_arn": "arn:other"}]
    assert client_vpn.with_authority(named, "arn:ours") == named


def test_the_monthly_cost_is_described():
    text = client_vpn.cost(associations=2, people=3, price=PRICE)
    assert text.startswith("A month costs 146.00 USD for 2 associations (730 hours at 0.100)")
    assert "24.00 USD more if 3 people are connected for 160 hours each" in text
