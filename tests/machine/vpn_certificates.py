# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for VPN tunnels in tests, created in memory."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM = serialization.Encoding.PEM
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
LONG_AGO, LATER = NOW - datetime.timedelta(days=1), NOW + datetime.timedelta(days=7)


class Pair:
    """A certificate and its key. Without an issuer it is a certificate authority."""

    def __init__(self, name: str, issuer: Pair | None = None, *, server: bool = False) -> None:
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = _name(name)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer.certificate.subject if issuer else subject)
            .public_key(self.private.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(LONG_AGO)
            .not_valid_after(LATER)
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        )
        if issuer is None:
            builder = builder.add_extension(_usage(sign_certificates=True), critical=True)
        else:
            use = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
            builder = builder.add_extension(_usage(sign_certificates=False), critical=True)
            builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        if server:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        self.certificate = builder.sign((issuer or self).private, hashes.SHA256())

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(PEM).decode()

    @property
    def key(self) -> str:
        form = serialization.PrivateFormat.PKCS8
        return self.private.private_bytes(PEM, form, serialization.NoEncryption()).decode()

    def revoke(self, *pairs: Pair) -> str:
        """A revocation list of this authority, as PEM."""
        builder = x509.CertificateRevocationListBuilder().issuer_name(self.certificate.subject)
        builder = builder.last_update(LONG_AGO).next_update(LATER)
        for pair in pairs:
            revoked = x509.RevokedCertificateBuilder().serial_number(pair.certificate.serial_number)
            builder = builder.add_revoked_certificate(revoked.revocation_date(LONG_AGO).build())
        return builder.sign(self.private, hashes.SHA256()).public_bytes(PEM).decode()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        content_commitment=False,
        key_encipherment=not sign_certificates,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        encipher_only=False,
        decipher_only=False,
    )
