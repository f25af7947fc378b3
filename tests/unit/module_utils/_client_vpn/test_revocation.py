# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a list of revoked certificates is imported, when it waits, and how that is told."""

from __future__ import annotations

import datetime

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn import revocation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections import Connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import Crl, iso
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation import State, Wanted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
ENDS = iso(NOW + datetime.timedelta(days=300))
SOON = iso(NOW + datetime.timedelta(days=2))
ONE, TWO = Crl("one", 1, ENDS, ("0a",), "key"), Crl("two", 2, ENDS, ("0a", "0b"), "key")
BOB = Connection("cvpn-connection-1", common_name="bob")
LINES = (BOB, Connection("cvpn-connection-2", username="alice"), Connection("cvpn-connection-3", common_name="bob"))


def wanted(crl: Crl | None, *, allowed: bool = False) -> Wanted:
    return Wanted("cvpn-endpoint-1", crl, allowed, NOW)


@pytest.mark.parametrize(
    ("crl", "allowed", "seen", "imported", "waiting"),
    [
        (TWO, False, State(ONE), True, False),
        (TWO, False, State(ONE, LINES), False, True),
        (TWO, True, State(ONE, LINES), True, False),
        (TWO, False, State(None, LINES), False, True),
        (TWO, False, State(Crl("one", 1, SOON, ("0a",), "key"), LINES), True, False),
        (TWO, False, State(TWO, LINES), False, False),
        (None, False, State(ONE, LINES), False, True),
        (None, True, State(), True, False),
        (TWO, False, State(Crl("other", 9, ENDS, (), "another key")), True, False),
    ],
)
def test_nobody_is_cut_off_unless_that_is_allowed_or_all_would_be(crl, allowed, seen, imported, waiting):
    asked = wanted(crl, allowed=allowed)
    assert (bool(revocation.plan(asked, seen)), revocation.is_waiting(asked, seen)) == (imported, waiting)


def test_an_older_list_of_the_same_authority_is_refused():
    with pytest.raises(Refused, match="an older one would let revoked people in again"):
        revocation.plan(wanted(ONE, allowed=True), State(TWO))


@pytest.mark.parametrize(
    ("crl", "name"),
    [
        (ONE, "list 1 of revoked certificates (1 entry)"),
        (TWO, "list 2 of revoked certificates (2 entries)"),
        (None, "the new list of revoked certificates"),
    ],
)
def test_whom_an_import_disconnects_is_told(crl, name):
    before = State(Crl("old", 0, ENDS, ()), LINES)
    waits = revocation.to_result(wanted(crl), before, before, imported=False)
    sentence = f"Endpoint cvpn-endpoint-1 does not know {name} yet: an import disconnects alice, bob."
    assert (waits["disconnects"], waits["waiting"], reported.told(waits, "pending")) == (["alice", "bob"], True, [sentence])
    done = revocation.to_result(wanted(crl, allowed=True), before, State(crl), imported=True)
    sentence = f"The import of {name} into endpoint cvpn-endpoint-1 disconnects alice, bob."
    assert (done["imported"], done["waiting"], reported.told(done, "note")) == (True, False, [sentence])
    quiet = revocation.to_result(wanted(crl), State(), State(crl), imported=True)
    assert (quiet["disconnects"], quiet["hyperpod_findings"]) == ([], [])


@pytest.mark.parametrize(
    ("person", "connection"),
    [
        ("bob", Connection("c-1", "bob", "b")),
        ("b", Connection("c-1", "", "b")),
        ("c-1", Connection("c-1")),
    ],
)
def test_a_connection_is_named_by_what_is_known_of_it(person, connection):
    assert connection.person == person
