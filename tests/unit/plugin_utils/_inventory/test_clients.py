# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials of a source."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.clients import Clients
from botocore.stub import Stubber

REGION = "us-west-2"


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Clients:
    """Clients with credentials that never reach AWS."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    made = Clients(threads=1)
    made.connect(None, REGION)
    return made


@pytest.fixture
def sts(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> Stubber:
    session = clients._sessions[None]
    client = session.client("sts", region_name=REGION)
    monkeypatch.setattr(session, "client", lambda *_service, **_more: client)
    return Stubber(client)


def test_the_account_of_the_caller_is_read(clients: Clients, sts: Stubber) -> None:
    sts.add_response("get_caller_identity", {"Account": "111111111111"})
    with sts:
        assert clients.caller(None, REGION) == "111111111111"


def test_a_refused_call_returns_no_account(clients: Clients, sts: Stubber) -> None:
    sts.add_client_error("get_caller_identity", "ExpiredToken")
    with sts:
        assert clients.caller(None, REGION) == ""
