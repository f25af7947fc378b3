# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs of others make of our certificates and lists."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto
from cryptography import x509

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
MADE = crypto.make_authority("example", days=3650, now=NOW)


def test_a_revocation_list_asks_nothing_of_its_readers_that_they_may_not_know() -> None:
    """A reader must refuse a list with a critical extension that it does not know, and these two may not be critical: RFC 5280,
    5.2.1 and 5.2.3.
    """
    found = crypto.Signer(MADE.certificate, MADE.private_key).crl((), number=7, days=365, now=NOW)
    extensions = x509.load_pem_x509_crl(found.pem.encode()).extensions
    assert {each.oid: each.critical for each in extensions} == {
        x509.CRLNumber.oid: False,
        x509.AuthorityKeyIdentifier.oid: False,
    }
