# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads imported certificates from ACM."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.tags import plain_tags
from ..identity import identity_tags
from ..pki.crypto import read_certificate
from .model import Imported
from .secret import chain

KEY_TYPES = ("RSA_1024", "RSA_2048", "RSA_3072", "RSA_4096", "EC_prime256v1", "EC_secp384r1", "EC_secp521r1")
"""All key types. A listing without key types returns only certificates with RSA keys of 1024 and 2048 bits."""


class Acm(Api):
    """The ``acm`` client for imported certificates."""

    def imported(self, vpc_id: str) -> tuple[Imported, ...]:
        """The imported certificates with our tags, the oldest first. Needs a call for each imported certificate in the Region."""
        summaries = self.pages(
            "ListCertificates", "CertificateSummaryList", about="certificates", Includes={"keyTypes": list(KEY_TYPES)}
        )
        ours = identity_tags(vpc_id).items()
        found = []
        for arn in (each["CertificateArn"] for each in summaries if each.get("Type", "IMPORTED") == "IMPORTED"):
            tags = self.tags(arn)
            about = self.described(arn) if tags is not None and ours <= tags.items() else None
            if tags is not None and about is not None:
                found.append((str(about.get("ImportedAt") or about.get("CreatedAt")), arn, about, tags))
        found.sort(key=lambda each: each[:2])
        return tuple(self._read(arn, about, tags) for _when, arn, about, tags in found)

    def looked_up(self, arn: str) -> Imported | None:
        tags = self.tags(arn)
        about = self.described(arn) if tags is not None else None
        return None if tags is None or about is None else self._read(arn, about, tags)

    def tags(self, arn: str) -> dict[str, str] | None:
        try:
            answer = self.call("ListTagsForCertificate", about=f"certificate {arn}", CertificateArn=arn)
        except AwsError as error:
            if error.code == "ResourceNotFoundException":  # removed since the listing
                return None
            raise
        return plain_tags(answer.get("Tags"))

    def described(self, arn: str) -> dict[str, t.Any] | None:
        try:
            answer = self.call("DescribeCertificate", about=f"certificate {arn}", CertificateArn=arn)
        except AwsError as error:
            if error.code == "ResourceNotFoundException":
                return None
            raise
        certificate: dict[str, t.Any] = answer["Certificate"]
        return certificate

    def _read(self, arn: str, about: dict[str, t.Any], tags: dict[str, str]) -> Imported:
        answer = self.call("GetCertificate", about=f"certificate {arn}", CertificateArn=arn)
        return Imported(
            arn=arn,
            certificate=read_certificate(answer["Certificate"]),
            chain=chain(answer.get("CertificateChain") or ""),
            in_use_by=tuple(sorted(about.get("InUseBy") or ())),
            tags=tags,
        )
