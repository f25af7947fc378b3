# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How other software parses our certificates and revocation lists."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
MADE = crypto.make_authority("example", days=3650, now=NOW)
SIGNER = crypto.Signer(MADE.certificate, MADE.private_key)
EACH = {
    x509.BasicConstraints.oid: True,
    x509.KeyUsage.oid: True,
    x509.SubjectKeyIdentifier.oid: False,
}
"""Extensions of all certificates, each with its critical flag."""
ISSUED = {**EACH, x509.ExtendedKeyUsage.oid: False, x509.AuthorityKeyIdentifier.oid: False}
CA_USES, SERVER_USES, PERSON_USES = {"key_cert_sign", "crl_sign"}, {"digital_signature", "key_encipherment"}, {"digital_signature"}
USES = CA_USES | SERVER_USES | {"content_commitment", "data_encipherment", "key_agreement"}


def loaded(made: crypto.Made) -> x509.Certificate:
    return x509.load_pem_x509_certificate(made.certificate.pem.encode())


@pytest.mark.parametrize(
    ("made", "critical", "uses"),
    [
        (MADE, EACH, CA_USES),
        (SIGNER.server("a.example.com", days=9, now=NOW), {**ISSUED, x509.SubjectAlternativeName.oid: False}, SERVER_USES),
        (SIGNER.person("alice", days=9, now=NOW), ISSUED, PERSON_USES),
    ],
    ids=["authority", "server", "person"],
)
def test_a_certificate_is_for_one_purpose(made: crypto.Made, critical: dict[x509.ObjectIdentifier, bool], uses: set[str]) -> None:
    extensions = loaded(made).extensions
    assert {each.oid: each.critical for each in extensions} == critical
    constraints = extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (constraints.ca, constraints.path_length) == ((True, 0) if made is MADE else (False, None))
    usage = extensions.get_extension_for_class(x509.KeyUsage).value
    assert {name for name in USES if getattr(usage, name)} == uses


def test_a_certificate_names_its_owner_and_expires_with_its_authority() -> None:
    server = loaded(SIGNER.server("a.example.com", days=9, now=NOW))
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["a.example.com"]
    purposes = [
        list(loaded(made).extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)
        for made in (SIGNER.server("a.example.com", days=9, now=NOW), SIGNER.person("alice", days=9, now=NOW))
    ]
    assert purposes == [[ExtendedKeyUsageOID.SERVER_AUTH], [ExtendedKeyUsageOID.CLIENT_AUTH]]
    assert server.not_valid_after_utc == NOW + datetime.timedelta(days=9)
    assert loaded(SIGNER.person("alice", days=9999, now=NOW)).not_valid_after_utc == loaded(MADE).not_valid_after_utc


def test_a_revocation_list_has_no_critical_extension() -> None:
    """A reader must refuse a list with an unknown critical extension, and these two must not be critical: RFC 5280,
    5.2.1 and 5.2.3.
    """
    found = SIGNER.crl((), number=7, days=365, now=NOW)
    extensions = x509.load_pem_x509_crl(found.pem.encode()).extensions
    assert {each.oid: each.critical for each in extensions} == {
        x509.CRLNumber.oid: False,
        x509.AuthorityKeyIdentifier.oid: False,
    }
