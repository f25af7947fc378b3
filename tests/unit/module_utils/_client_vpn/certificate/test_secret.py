# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of a certificate's secret."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.secret import pair
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
AUTHORITY = crypto.make_authority("example", days=3650, now=NOW)
SERVER = crypto.Signer(AUTHORITY.certificate, AUTHORITY.private_key).server("server.vpn.example.com", days=397, now=NOW)
HELD = {
    "certificate": SERVER.certificate.pem,
    "private_key": SERVER.private_key,
    "chain": AUTHORITY.certificate.pem,
}
NO_CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


def test_a_pair_is_read_with_and_without_a_chain() -> None:
    found = pair("p/server", json.dumps(HELD))
    assert found is not None and found._asdict() == HELD
    for chain in ({"chain": ""}, {"chain": None}):
        without = pair("p/server", json.dumps({**HELD, **chain}))
        assert without is not None and without.chain == ""
    assert pair("p/server", None) is None


@pytest.mark.parametrize(
    "more",
    [
        {"certificate": NO_CERTIFICATE},
        {"certificate": AUTHORITY.certificate.pem},
        {"private_key": "none"},
        {"private_key": AUTHORITY.private_key},
        {"chain": NO_CERTIFICATE},
        {"chain": AUTHORITY.certificate.pem + NO_CERTIFICATE},
        {"chain": 7},
    ],
)
def test_a_secret_without_certificate_and_key_is_refused_by_name(more: dict[str, object]) -> None:
    with pytest.raises(Refused, match="^Secret p/server does not contain a certificate and its private key in PEM"):
        pair("p/server", json.dumps({**HELD, **more}))
