# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of a control plane as files, and kubeconfigs for them."""

from __future__ import annotations

import datetime
import ipaddress
import json
import typing as t
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM = serialization.Encoding.PEM
BOTH = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


class Authority:
    """A certificate authority in ``folder``: ca.crt, and for each name NAME.crt and NAME.key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = _key()
        self.name = _name("lab-kubernetes")
        builder = self._builder(self.name, self.private).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        # Python 3.13 refuses authorities without a key usage, and certificates without the key identifier of their issuer.
        builder = builder.add_extension(_usage(authority=True), critical=True)
        self.write("ca", builder.sign(self.private, hashes.SHA256()), self.private)

    def issue(self, file: str, name: str, *, group: str = "", names: t.Sequence[str] = ()) -> None:
        """Issue a certificate for a client, and for a server at ``names``, which are names or addresses."""
        private = _key()
        builder = self._builder(_name(name, group), private)
        builder = builder.add_extension(_usage(authority=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage(BOTH), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.private.public_key())
        builder = builder.add_extension(issuer, critical=False)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName([_at(each) for each in names]), critical=False)
        self.write(file, builder.sign(self.private, hashes.SHA256()), private)

    def write(self, file: str, certificate: x509.Certificate, private: rsa.RSAPrivateKey) -> None:
        form, plain = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        (self.folder / f"{file}.crt").write_bytes(certificate.public_bytes(PEM))
        (self.folder / f"{file}.key").write_bytes(private.private_bytes(PEM, form, plain))

    def signing_key(self, file: str) -> None:
        """A pair without a certificate: FILE.key and FILE.pub."""
        private = _key()
        form, plain = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        (self.folder / f"{file}.key").write_bytes(private.private_bytes(PEM, form, plain))
        public = private.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        (self.folder / f"{file}.pub").write_bytes(public)

    def _builder(self, subject: x509.Name, private: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(private.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
        return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(private.public_key()), critical=False)


def kubeconfig(server: str, authority: Path, user: dict[str, t.Any]) -> str:
    """A kubeconfig with one cluster, user and context, as JSON, which is valid YAML."""
    cluster = {"server": server, "certificate-authority": str(authority)} if server.startswith("https") else {"server": server}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": cluster}],
            "users": [{"name": "lab", "user": user}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
            "current-context": "lab",
        },
        indent=1,
    )


def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _name(name: str, group: str = "") -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _at(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=not authority,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
