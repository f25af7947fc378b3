# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates of Client VPN users."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.client_vpn_certificates import first_ends

LATER = "2036-11-21T12:00:00Z"


def person(name: str, end: str, state: str = "valid") -> dict[str, str]:
    return {"name": name, "not_after": end, "state": state}


def test_the_report_has_the_user_certificate_that_expires_first() -> None:
    people = [
        person("alice", "2027-11-21T12:00:00Z"),
        person("bob", "2027-03-21T12:00:00Z", "due"),
        person("eve", "2027-01-21T12:00:00Z", "revoked"),
    ]
    pki = {"authority": {"not_after": LATER}, "server": {"not_after": LATER}, "crl": {"next_update": LATER}, "people": people}
    assert first_ends(pki) == {"vpn-ca": LATER, "vpn-server": LATER, "vpn-crl": LATER, "vpn-user": "2027-03-21T12:00:00Z"}


def test_times_that_are_not_known_are_left_out() -> None:
    assert first_ends({"authority": {"not_after": "(known after apply)"}, "server": None, "people": []}) == {}
