# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state after a step."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Kept
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.model import Authority, Person, Server, State

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
MADE = crypto.make_authority("example", days=3650, now=NOW)
SIGNER = crypto.Signer(MADE.certificate, MADE.private_key)
AUTHORITY = Authority(Kept("p/authority", {}), MADE.certificate, True, None)
SERVER = Server(Kept("p/server", {}), SIGNER.server("server.vpn.example.com", days=397, now=NOW).certificate, "")
ALICE = Person("alice", Kept("p/people/alice", {}), None)
PLACE = State(AUTHORITY, SERVER, {"alice": ALICE})


def test_deleting_a_secret_removes_only_its_own_content() -> None:
    assert PLACE.without("p/authority") == State(None, SERVER, {"alice": ALICE})
    assert PLACE.without("p/server") == State(AUTHORITY, None, {"alice": ALICE})
    assert PLACE.without("p/people/alice") == State(AUTHORITY, SERVER, {})
    assert PLACE.without("p/people/bob") == PLACE
    assert State().without("p/server") == State()
