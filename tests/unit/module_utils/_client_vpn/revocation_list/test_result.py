# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of an import and of a pending import."""

from __future__ import annotations

import datetime
import typing as t

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import Connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import Crl, iso
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.result import Report

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
ENDS = iso(NOW + datetime.timedelta(days=300))
SOON = iso(NOW + datetime.timedelta(days=2))
ONE, TWO = Crl("one", 1, ENDS, ("0a",), "key"), Crl("two", 2, ENDS, ("0a", "0b"), "key")
BOB = Connection("cvpn-connection-1", common_name="bob")
LINES = (BOB, Connection("cvpn-connection-2", username="alice"), Connection("cvpn-connection-3", common_name="bob"))


def desired(crl: Crl | None, *, allowed: bool = False) -> Desired:
    return Desired("cvpn-endpoint-1", crl, allowed, NOW)


def outcome(wanted: Desired, before: State) -> dict[str, t.Any]:
    """The result of a run that starts with this state."""
    report = Report(wanted)
    return report.result(report.noted(plan(wanted, before)).after(before))


@pytest.mark.parametrize(
    ("crl", "name"),
    [
        (ONE, "CRL 1 (1 entry)"),
        (TWO, "CRL 2 (2 entries)"),
        (None, "the new CRL"),
    ],
)
def test_the_report_names_the_people_that_an_import_disconnects(crl, name):
    before = State(Crl("old", 0, ENDS, ()), LINES)
    pending = outcome(desired(crl), before)
    sentence = f"Endpoint cvpn-endpoint-1 does not have {name} yet, because an import would disconnect alice, bob."
    assert (pending["disconnects"], pending["waiting"], reported.texts_of(pending, "pending")) == (["alice", "bob"], True, [sentence])
    imported = outcome(desired(crl, allowed=True), before)
    sentence = f"The import of {name} into endpoint cvpn-endpoint-1 disconnects alice, bob."
    assert (imported["imported"], imported["waiting"], reported.texts_of(imported, "note")) == (True, False, [sentence])
    quiet = outcome(desired(crl), State())
    assert (quiet["disconnects"], quiet["hyperpod_findings"]) == ([], [])
