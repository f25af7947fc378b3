# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Creates and reads X.509 certificates and CRLs for a Client VPN.

AWS accepts only RSA keys of 1024 and 2048 bits for the server, for people and for the authority. Private keys leave this file
only in a :class:`Made`.
"""

from __future__ import annotations

import datetime
import typing as t

from ansible.module_utils.basic import missing_required_lib

from .values import Certificate, Crl, Revoked, iso

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    HAS_CRYPTOGRAPHY = hasattr(x509.Certificate, "not_valid_after_utc")
except ImportError:  # the modules report the missing library
    HAS_CRYPTOGRAPHY = False

KEY_BITS = 2048
SKEW = datetime.timedelta(hours=1)
"""The validity of certificates and CRLs begins this long before their creation, for machines whose clocks are behind."""


def require_cryptography(module: t.Any) -> None:
    """Fail the module if the library is missing or too old."""
    if not HAS_CRYPTOGRAPHY:
        module.fail_json(msg=missing_required_lib("cryptography >= 42"))


class NotReadable(ValueError):
    """A text with unexpected content. The message never quotes the text."""


class Made:
    """A new certificate and its private key. No repr, so that no traceback or log shows the key."""

    def __init__(self, certificate: Certificate, private_key: str) -> None:
        self.certificate = certificate
        self.private_key = private_key


def read_certificate(pem: str) -> Certificate:
    """
    :raises NotReadable: for a text that is not exactly one certificate.
    """
    found = _loaded(pem)
    names = [each.value for each in found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    try:
        alternatives = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        dns_names = tuple(alternatives.get_values_for_type(x509.DNSName))
    except x509.ExtensionNotFound:
        dns_names = ()
    return Certificate(
        pem=_pem(found),
        serial=_hex(found.serial_number),
        fingerprint=found.fingerprint(hashes.SHA256()).hex(),
        not_after=iso(found.not_valid_after_utc),
        common_name=str(names[0]) if names else "",
        dns_names=dns_names,
        key_algorithm=_algorithm(found.public_key()),
    )


def read_crl(pem: str) -> Crl:
    """
    :raises NotReadable: for a text that is not a CRL with a number and an expiry time.
    """
    try:
        found = x509.load_pem_x509_crl(pem.strip().encode())
        number = found.extensions.get_extension_for_class(x509.CRLNumber).value.crl_number
        authority = found.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier
        ends = found.next_update_utc
        if ends is None:
            raise ValueError
    except (ValueError, x509.ExtensionNotFound):
        raise NotReadable("it is not a certificate revocation list (CRL) in PEM with a number and an expiry time") from None
    return Crl(
        pem=found.public_bytes(serialization.Encoding.PEM).decode(),
        number=number,
        next_update=iso(ends),
        serials=tuple(sorted(_hex(each.serial_number) for each in found)),
        authority_key=(authority or b"").hex(),
    )


def is_issued_by(certificate: Certificate, authority: Certificate) -> bool:
    try:
        _loaded(certificate.pem).verify_directly_issued_by(_loaded(authority.pem))
    except Exception:  # pylint: disable=broad-exception-caught  # InvalidSignature, or a different kind of key or name
        return False
    return True


def is_authority(certificate: Certificate) -> bool:
    """Whether the certificate may sign other certificates."""
    try:
        constraints = _loaded(certificate.pem).extensions.get_extension_for_class(x509.BasicConstraints).value
    except x509.ExtensionNotFound:
        return False
    return constraints.ca


def has_signed(crl: Crl, authority: Certificate) -> bool:
    key: t.Any = _loaded(authority.pem).public_key()
    return x509.load_pem_x509_crl(crl.pem.encode()).is_signature_valid(key)


def key_fits(private_key: str, certificate: Certificate) -> bool:
    """
    :raises NotReadable: for a text that is not a private key without a passphrase.
    """
    return _public_bytes(_private(private_key).public_key()) == _public_bytes(_loaded(certificate.pem).public_key())


def make_authority(common_name: str, *, days: int, now: datetime.datetime) -> Made:
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    name = _name(common_name)
    builder = (
        _builder(name, name, key.public_key(), now=now, ends=now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _made(builder.sign(key, hashes.SHA256()), key)


class Signer:
    """An authority with its key in memory."""

    def __init__(self, certificate: Certificate, private_key: str) -> None:
        self._certificate = _loaded(certificate.pem)
        self._key = _private(private_key)

    def server(self, name: str, *, days: int, now: datetime.datetime) -> Made:
        """A server certificate whose common name and DNS name are ``name``."""
        return self._issue(
            name, days=days, now=now, purpose=ExtendedKeyUsageOID.SERVER_AUTH, dns_name=name, key_encipherment=True
        )

    def person(self, name: str, *, days: int, now: datetime.datetime) -> Made:
        return self._issue(name, days=days, now=now, purpose=ExtendedKeyUsageOID.CLIENT_AUTH)

    def crl(self, entries: t.Iterable[Revoked], *, number: int, days: int, now: datetime.datetime) -> Crl:
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self._certificate.subject)
            .last_update(now - SKEW)
            .next_update(now + datetime.timedelta(days=days))
            .add_extension(x509.CRLNumber(number), critical=False)
            .add_extension(self._identifier(), critical=False)
        )
        for entry in entries:
            revoked = x509.RevokedCertificateBuilder().serial_number(int(entry.serial, 16))
            builder = builder.add_revoked_certificate(revoked.revocation_date(_moment(entry.date)).build())
        made = builder.sign(self._key, hashes.SHA256())
        return read_crl(made.public_bytes(serialization.Encoding.PEM).decode())

    def _issue(
        self,
        name: str,
        *,
        days: int,
        now: datetime.datetime,
        purpose: t.Any,
        dns_name: str = "",
        key_encipherment: bool = False,
    ) -> Made:
        key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
        # A certificate is refused once its authority has expired, so it must not expire later.
        ends = min(now + datetime.timedelta(days=days), self._certificate.not_valid_after_utc)
        builder = (
            _builder(_name(name), self._certificate.subject, key.public_key(), now=now, ends=ends)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(digital_signature=True, key_encipherment=key_encipherment), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(self._identifier(), critical=False)
        )
        if dns_name:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(dns_name)]), critical=False)
        return _made(builder.sign(self._key, hashes.SHA256()), key)

    def _identifier(self) -> t.Any:
        try:
            subject = self._certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
            return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(subject)
        except x509.ExtensionNotFound:
            return x509.AuthorityKeyIdentifier.from_issuer_public_key(t.cast(t.Any, self._certificate.public_key()))


def _made(certificate: t.Any, key: t.Any) -> Made:
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Made(read_certificate(_pem(certificate)), private.decode())


def _builder(subject: t.Any, issuer: t.Any, key: t.Any, *, now: datetime.datetime, ends: datetime.datetime) -> t.Any:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(ends)
    )


def _key_usage(**allowed: bool) -> t.Any:
    every = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(**{name: allowed.get(name, False) for name in every})


def _name(common_name: str) -> t.Any:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _loaded(pem: str) -> t.Any:
    try:
        (found,) = x509.load_pem_x509_certificates(pem.strip().encode())
    except ValueError:  # also for several certificates
        raise NotReadable("it is not one certificate in PEM") from None
    return found


def _private(pem: str) -> t.Any:
    try:
        return serialization.load_pem_private_key(pem.strip().encode(), password=None)
    except Exception:  # pylint: disable=broad-exception-caught  # the message may quote the text
        raise NotReadable("it is not a private key in PEM without a passphrase") from None


def _public_bytes(key: t.Any) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _pem(certificate: t.Any) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _algorithm(key: t.Any) -> str:
    """The type of the key in ACM's form."""
    if isinstance(key, rsa.RSAPublicKey):
        return f"RSA_{key.key_size}"
    if isinstance(key, ec.EllipticCurvePublicKey):
        return f"EC_{key.curve.name}"
    return type(key).__name__.replace("PublicKey", "")


def _hex(serial: int) -> str:
    return f"{serial:x}"


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
