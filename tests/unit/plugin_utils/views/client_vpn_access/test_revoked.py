# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Revocation for a user who leaves."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn_access import revoked

from .conftest import pki, texts


@pytest.mark.parametrize(
    ("given", "certificates", "may_disconnect", "interval"),
    [
        ({}, True, False, 5),
        ({"client_vpn_authentication": [{"type": "directory"}]}, False, False, 5),
        ({"client_vpn_urgent": True}, True, True, 5),
        ({"client_vpn_window": "daily 00:00-00:00"}, True, True, 5),
        ({"client_vpn_poll_interval": "1"}, True, False, 1),
    ],
)
def test_the_variables_become_a_request(
    variables: dict[str, t.Any], given: dict[str, t.Any], certificates: bool, may_disconnect: bool, interval: int
) -> None:
    found = revoked.asked({**variables, **given})
    assert (found.certificates, found.may_disconnect, found.endpoint_poll_interval) == (certificates, may_disconnect, interval)


@pytest.mark.parametrize(
    ("imported", "waiting"),
    [({"changed": True}, []), ({"waiting": True, "hyperpod_findings": [{"text": "CRL"}]}, ["CRL"]), ({"skipped": True}, [])],
)
def test_a_revocation_has_evidence(variables: dict[str, t.Any], imported: dict[str, t.Any], waiting: list[str]) -> None:
    entries = [{"name": "bob", "serial": "5"}, {"name": "carol", "serial": "6"}]
    listed = pki(crl={"entries": entries}, nothing_to_revoke=[])
    state = {**listed, "__client_vpn_access_list": imported, "__client_vpn_access_ended": {"connections": [{}, {}]}}
    found = revoked.revoked({**variables, **state})
    expected = {"vpc": "vpc-1", "serials": ["5"], "without_certificate": False, "connections": 2, "waiting": waiting}
    assert (found.evidence, found.notes, revoked.crl_waits({**variables, **state})) == (expected, [], bool(waiting))


def test_evidence_is_written_without_a_certificate_to_revoke(variables: dict[str, t.Any]) -> None:
    found = revoked.revoked({**variables, **pki(crl={"entries": []}, nothing_to_revoke=["bob"])})
    assert (found.evidence["serials"], found.evidence["without_certificate"], found.evidence["connections"]) == ([], True, 0)
    assert texts(found.notes) == ["Client VPN of vpc-1: no valid certificate of bob is known, so none was revoked"]
