# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a CRL is imported, and when it waits."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import Connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import Crl, iso
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.plan import is_waiting, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
ENDS = iso(NOW + datetime.timedelta(days=300))
SOON = iso(NOW + datetime.timedelta(days=2))
ONE, TWO = Crl("one", 1, ENDS, ("0a",), "key"), Crl("two", 2, ENDS, ("0a", "0b"), "key")
BOB = Connection("cvpn-connection-1", common_name="bob")
LINES = (BOB, Connection("cvpn-connection-2", username="alice"), Connection("cvpn-connection-3", common_name="bob"))


def desired(crl: Crl | None, *, allowed: bool = False) -> Desired:
    return Desired("cvpn-endpoint-1", crl, allowed, NOW)


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
def test_an_import_that_disconnects_people_waits_unless_allowed(crl, allowed, seen, imported, waiting):
    wanted = desired(crl, allowed=allowed)
    assert (bool(plan(wanted, seen)), is_waiting(wanted, seen)) == (imported, waiting)


def test_an_older_list_of_the_same_authority_is_refused():
    with pytest.raises(Refused, match="an older CRL would admit revoked users again"):
        plan(desired(ONE, allowed=True), State(TWO))
