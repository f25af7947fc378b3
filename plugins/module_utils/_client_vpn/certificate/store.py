# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""ACM, and the secret whose certificate it is to hold. The private key goes from one to the other and stays nowhere."""

from __future__ import annotations

import json
import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.secrets import Secrets
from ..._aws.tags import api_tags, plain_tags
from ..._core.failure import Refused
from ..._core.plan import Step
from ..._core.wait import WaitTimeout, wait_for
from ..identity import identity_tags
from ..pki.contents import recorded_arn
from ..pki.crypto import NotReadable, key_fits, read_certificate
from ..pki.values import Certificate
from . import plan as acm_plan
from .plan import Imported, State, Wanted

IMPORT_SECONDS = 90.0
KEY_TYPES = ("RSA_1024", "RSA_2048", "RSA_3072", "RSA_4096", "EC_prime256v1", "EC_secp384r1", "EC_secp521r1")
"""A listing that does not name them shows RSA with 1024 and 2048 bits only."""
REFUSALS: tuple[str, ...] = ("InvalidArnException", "InvalidParameterException", "InvalidTagException", "LimitExceededException")
REFUSALS += ("ResourceNotFoundException", "TagPolicyException", "TooManyTagsException", "ValidationException")
REFUSALS += ("AccessDeniedException", "AccessDenied", "ExpiredTokenException", "UnrecognizedClientException")


class Pair(t.NamedTuple):
    """What a secret holds. Pass it on, never keep it."""

    certificate: str
    private_key: str
    chain: str


class Certificates:
    """The certificates of one VPC's Client VPN in ACM.

    ``once`` is a client that does not try again by itself: an import has no token, and each repetition of one whose
    answer was lost would be another certificate.
    """

    def __init__(self, acm: Api, once: Api, secrets: Secrets, wanted: Wanted) -> None:
        self._acm = acm
        self._once = once
        self._secrets = secrets
        self._wanted = wanted

    def observe(self, *, present: bool = True) -> State:
        """
        :raises AwsError: for any answer but a secret or its certain absence.
        :raises Refused: for a secret that holds something else.
        """
        text = self._secrets.text_if_any(self._wanted.secret)
        pair = self._pair(text) if present else None
        recorded, authorities = recorded_arn(text), _authorities(text)
        known = self._looked_up(recorded) if recorded else None
        if present and known is not None:
            imported: tuple[Imported, ...] = (known,)
        else:
            found = self._imported()
            there = [each.arn for each in found]
            imported = (known, *found) if known is not None and known.arn not in there else found
        own = read_certificate(pair.certificate) if pair else None
        return State(own, _chain(pair.chain) if pair else (), imported, recorded, authorities)

    def apply(self, step: Step) -> None:
        arguments = step.arguments
        if step.operation == acm_plan.IMPORT:
            self._import(arguments["fingerprint"])
        elif step.operation == acm_plan.REIMPORT:
            self._import_over(arguments["arn"], arguments["fingerprint"])
        elif step.operation == acm_plan.RECORD:
            self._record(arguments["arn"])
        elif step.operation == acm_plan.TAG:
            tags = api_tags(arguments["tags"])
            arn = arguments["arn"]
            self._acm.call("AddTagsToCertificate", about=f"certificate {arn}", CertificateArn=arn, Tags=tags)
        else:
            self._delete(arguments["arn"])

    def _pair(self, text: str | None) -> Pair | None:
        """
        :raises Refused: if the secret holds no certificate with its key.
        """
        name = self._wanted.secret
        if text is None:
            return None
        try:
            data = json.loads(text)
            pair = Pair(data["certificate"], data["private_key"], data.get("chain") or "")
            if not key_fits(pair.private_key, read_certificate(pair.certificate)):
                raise NotReadable("key and certificate are no pair")
            _chain(pair.chain)
        except (ValueError, KeyError, TypeError, AttributeError):  # NotReadable is a ValueError
            raise Refused(
                f"Secret {name} does not hold a certificate and its private key in PEM (certificate, private_key, "
                "chain); it was left as it is."
            ) from None
        return pair

    def _imported(self) -> tuple[Imported, ...]:
        """What carries our tags, the oldest first. A call for each certificate of the account and Region."""
        summaries = self._acm.pages(
            "ListCertificates", "CertificateSummaryList", about="certificates", Includes={"keyTypes": list(KEY_TYPES)}
        )
        ours = identity_tags(self._wanted.vpc_id).items()
        found = []
        for arn in (each["CertificateArn"] for each in summaries if each.get("Type", "IMPORTED") == "IMPORTED"):
            tags = self._tags(arn)
            about = self._described(arn) if tags is not None and ours <= tags.items() else None
            if tags is not None and about is not None:
                found.append((str(about.get("ImportedAt") or about.get("CreatedAt")), arn, about, tags))
        found.sort(key=lambda each: each[:2])
        return tuple(self._read(arn, about, tags) for _when, arn, about, tags in found)

    def _looked_up(self, arn: str) -> Imported | None:
        tags = self._tags(arn)
        about = self._described(arn) if tags is not None else None
        return None if tags is None or about is None else self._read(arn, about, tags)

    def _tags(self, arn: str) -> dict[str, str] | None:
        try:
            answer = self._acm.call("ListTagsForCertificate", about=f"certificate {arn}", CertificateArn=arn)
        except AwsError as error:
            if error.code == "ResourceNotFoundException":  # somebody removed it since the listing
                return None
            raise
        return plain_tags(answer.get("Tags"))

    def _described(self, arn: str) -> dict[str, t.Any] | None:
        try:
            answer = self._acm.call("DescribeCertificate", about=f"certificate {arn}", CertificateArn=arn)
        except AwsError as error:
            if error.code == "ResourceNotFoundException":
                return None
            raise
        certificate: dict[str, t.Any] = answer["Certificate"]
        return certificate

    def _read(self, arn: str, about: dict[str, t.Any], tags: dict[str, str]) -> Imported:
        answer = self._acm.call("GetCertificate", about=f"certificate {arn}", CertificateArn=arn)
        return Imported(
            arn=arn,
            certificate=read_certificate(answer["Certificate"]),
            chain=_chain(answer.get("CertificateChain") or ""),
            in_use_by=tuple(sorted(about.get("InUseBy") or ())),
            tags=tags,
        )

    def _expected(self, fingerprint: str) -> Pair:
        """
        :raises Refused: if the secret was changed since the plan.
        """
        pair = self._pair(self._secrets.text_if_any(self._wanted.secret))
        if pair is None or read_certificate(pair.certificate).fingerprint != fingerprint:
            raise Refused(f"Secret {self._wanted.secret} was changed by somebody else meanwhile; run again.")
        return pair

    def _import(self, fingerprint: str) -> None:
        """Each try looks first whether one before it took effect although its answer did not arrive."""
        pair, about = self._expected(fingerprint), f"certificate in secret {self._wanted.secret}"
        failed: list[AwsError] = []

        def imported() -> str:
            if failed:
                there = [each.arn for each in self._imported() if each.certificate.fingerprint == fingerprint]
                if there:
                    return there[0]
            try:
                tags = api_tags(self._wanted.tags)
                answer = self._once.call("ImportCertificate", about=about, Tags=tags, **_material(pair))
            except AwsError as error:
                if error.code in REFUSALS:
                    raise
                failed.append(error)
                return ""
            arn: str = answer["CertificateArn"]
            return arn

        try:
            arn = wait_for(imported, done=bool, subject=about, timeout=IMPORT_SECONDS, interval=10.0)
        except WaitTimeout:
            raise failed[-1] from None
        self._wait_until_shown(arn)
        self._record(arn)

    def _wait_until_shown(self, arn: str) -> None:
        """ACM takes some seconds to know a new certificate and its tags."""
        ours = identity_tags(self._wanted.vpc_id).items()
        wait_for(
            lambda: (self._tags(arn) or {}).items() >= ours and self._described(arn) is not None,
            done=bool,
            subject=f"certificate {arn}",
            timeout=IMPORT_SECONDS,
            interval=5.0,
            state=lambda seen: "imported and not shown by ACM",
        )

    def _record(self, arn: str) -> None:
        """In the secret, so that no run has to look through all certificates of the account."""
        name = self._wanted.secret
        self._secrets.put(name, json.dumps({**json.loads(self._secrets.text(name)), "certificate_arn": arn}))

    def _import_over(self, arn: str, fingerprint: str) -> None:
        """In place, so that a repetition does no harm. Tags are not allowed here."""
        material = _material(self._expected(fingerprint))
        self._acm.call("ImportCertificate", about=f"certificate {arn}", CertificateArn=arn, **material)

    def _delete(self, arn: str) -> None:
        """As soon as nothing uses it.

        :raises WaitTimeout: naming what still does.
        """

        def users() -> list[str]:
            return list((self._described(arn) or {}).get("InUseBy") or ())

        def gone() -> bool:
            if users():
                return False
            try:
                self._acm.call("DeleteCertificate", about=f"certificate {arn}", CertificateArn=arn)
            except AwsError as error:
                if error.code == "ResourceInUseException":
                    return False
                if error.code != "ResourceNotFoundException":
                    raise
            return True

        try:
            wait_for(
                gone,
                done=bool,
                subject=f"certificate {arn}",
                timeout=self._wanted.wait_timeout,
                interval=self._wanted.poll_interval,
            )
        except WaitTimeout:
            by = ", ".join(users()) or "something that ACM does not name yet"
            raise WaitTimeout(f"certificate {arn}", f"in use by {by}", self._wanted.wait_timeout) from None


def _material(pair: Pair) -> dict[str, bytes]:
    chain = {"CertificateChain": pair.chain.encode()} if pair.chain else {}
    return {"Certificate": pair.certificate.encode(), "PrivateKey": pair.private_key.encode(), **chain}


def _chain(pem: str) -> tuple[str, ...]:
    return tuple(read_certificate(part).fingerprint for part in _parts(pem))


def _parts(pem: str) -> list[str]:
    end = "-----END CERTIFICATE-----"
    return [f"{part}{end}" for part in pem.split(end)[:-1]]


def _authorities(text: str | None) -> tuple[Certificate, ...]:
    """The chain in a secret; nothing where it holds something else."""
    try:
        chain = json.loads(text or "{}").get("chain") or ""
        return tuple(read_certificate(part) for part in _parts(chain))
    except (ValueError, AttributeError):
        return ()
