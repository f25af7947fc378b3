# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto's backend with the conditions of an import and the use of certificates.

As in AWS: key and certificate must match, and the chain is the imported one. A second import keeps the ARN, the tags and
the users of the certificate, and accepts neither tags nor another kind of key. A certificate in use is not deleted. A
listing shows only RSA keys of 1024 and 2048 bits unless the request names others.

Setting: ``acm_seconds`` (0), how long a new certificate is not shown.
"""

from __future__ import annotations

import copy
import re
import typing as t

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from moto.acm.exceptions import AWSError, AWSValidationException, CertificateNotFound
from moto.acm.models import AWSCertificateManagerBackend, CertBundle
from moto.ec2.models import ec2_backends

from ..delays import Delay

LISTED = ["RSA_1024", "RSA_2048"]
DOMAIN = re.compile(r"(\*\.)?([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")


class ResourceInUse(AWSError):
    TYPE = "ResourceInUseException"


class Imported(CertBundle):
    """An imported certificate; names that are not domain names are not shown."""

    imported_chain = b""
    unseen: Delay | None = None

    def describe(self) -> dict[str, t.Any]:
        found = super().describe()
        certificate = found["Certificate"]
        domains = [one for one in self.sans if DOMAIN.fullmatch(one)]
        certificate["SubjectAlternativeNames"] = domains
        certificate["DomainName"] = next((one for one in (self.common_name, *domains) if DOMAIN.fullmatch(one)), None)
        for name in ("SubjectAlternativeNames", "DomainName"):
            if not certificate[name]:
                del certificate[name]
        digits = f"{self._cert.serial_number:x}"
        digits = digits.zfill(len(digits) + len(digits) % 2)
        certificate["Serial"] = ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
        return found


class Certificates(AWSCertificateManagerBackend):
    """Replaces moto's backend."""

    def import_certificate(
        self,
        certificate: bytes,
        private_key: bytes,
        chain: bytes | None,
        arn: str | None,
        tags: list[dict[str, str]],
    ) -> str:
        _check_pair(certificate, private_key)
        before = self.get_certificate(arn) if arn else None
        if before is not None and tags:
            raise AWSValidationException("Tagging is not permitted on re-import.")
        if before is not None and _kind(before.cert) != _kind(certificate):
            raise AWSValidationException("The key type and size of the certificate cannot change on re-import.")
        bundle = Imported(self.account_id, certificate, private_key, chain=chain, region=self.region_name, arn=arn)
        bundle.imported_chain = chain or b""
        if before is not None:
            bundle.tags = before.tags
        else:
            bundle.unseen = Delay("acm_seconds")
        bundle.tags.add(tags or [])
        self._certificates[bundle.arn] = bundle
        return bundle.arn

    def get_certificate(self, arn: str) -> CertBundle:
        bundle = super().get_certificate(arn)
        if not _is_shown(bundle):
            raise CertificateNotFound(arn=arn, account_id=self.account_id)
        bundle.in_use_by = ec2_backends[self.account_id][self.region_name].client_vpn.users_of(arn)
        return bundle

    def list_certificates(self, statuses: list[str], includes: dict[str, t.Any]) -> t.Iterable[CertBundle]:
        filters = {"keyTypes": LISTED, **(includes or {})}
        view = copy.copy(self)
        view._certificates = {arn: bundle for arn, bundle in self._certificates.items() if _is_shown(bundle)}
        yield from AWSCertificateManagerBackend.list_certificates(view, statuses, filters)

    def delete_certificate(self, arn: str) -> None:
        if self.get_certificate(arn).in_use_by:
            raise ResourceInUse(f"Certificate {arn} is in use.")
        super().delete_certificate(arn)


def _is_shown(bundle: CertBundle) -> bool:
    unseen = getattr(bundle, "unseen", None)
    return unseen is None or unseen.is_over


def _check_pair(certificate: bytes, private_key: bytes) -> None:
    try:
        public = x509.load_pem_x509_certificate(certificate).public_key()
        private: t.Any = load_pem_private_key(private_key, password=None)
    except (ValueError, TypeError):
        return  # moto reports the error
    pair = [key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) for key in (public, private.public_key())]
    if pair[0] != pair[1]:
        raise AWSValidationException("The private key does not match the certificate.")


def _kind(certificate: bytes) -> tuple[str, int]:
    key: t.Any = x509.load_pem_x509_certificate(certificate).public_key()
    return type(key).__name__, key.key_size
