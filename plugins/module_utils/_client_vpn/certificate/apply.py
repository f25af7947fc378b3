# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Imports the certificate of a secret into ACM. The private key is passed to ACM and stored nowhere else."""

from __future__ import annotations

import json

from ..._aws.client import Api, AwsError
from ..._aws.secrets import Secrets
from ..._aws.tags import api_tags
from ..._core.failure import Refused
from ..._core.plan import Step
from ..._core.wait import WaitTimeout, wait_for
from ..identity import identity_tags
from ..pki.crypto import read_certificate
from .api import Acm
from .model import Desired
from .plan import IMPORT, RECORD, REIMPORT, TAG
from .secret import Pair, pair

IMPORT_SECONDS = 90.0
REFUSALS: tuple[str, ...] = ("InvalidArnException", "InvalidParameterException", "InvalidTagException", "LimitExceededException")
REFUSALS += ("ResourceNotFoundException", "TagPolicyException", "TooManyTagsException", "ValidationException")
REFUSALS += ("AccessDeniedException", "AccessDenied", "ExpiredTokenException", "UnrecognizedClientException")


class Applier:
    """Applies the steps. ``once`` is a client without retries: an import has no client token, so a repeated import after a lost
    reply would create a second certificate.
    """

    def __init__(self, acm: Acm, once: Api, secrets: Secrets, desired: Desired) -> None:
        self._acm = acm
        self._once = once
        self._secrets = secrets
        self._desired = desired

    def __call__(self, step: Step) -> None:
        arguments = step.arguments
        if step.operation == IMPORT:
            self._import(arguments["fingerprint"])
        elif step.operation == REIMPORT:
            self._import_over(arguments["arn"], arguments["fingerprint"])
        elif step.operation == RECORD:
            self._record(arguments["arn"])
        elif step.operation == TAG:
            arn, tags = arguments["arn"], api_tags(arguments["tags"])
            self._acm.call("AddTagsToCertificate", about=f"certificate {arn}", CertificateArn=arn, Tags=tags)
        else:
            self._delete(arguments["arn"])

    def _expected(self, fingerprint: str) -> Pair:
        """The content of the secret.

        :raises Refused: if the secret was changed after the plan was made.
        """
        held = pair(self._desired.secret, self._secrets.text_if_any(self._desired.secret))
        if held is None or read_certificate(held.certificate).fingerprint != fingerprint:
            raise Refused(f"Secret {self._desired.secret} was changed concurrently. Run again.")
        return held

    def _import(self, fingerprint: str) -> None:
        """Import the certificate. A retry first checks whether an earlier import took effect although its reply was lost."""
        held, about = self._expected(fingerprint), f"certificate in secret {self._desired.secret}"
        failed: list[AwsError] = []

        def imported() -> str:
            if failed:
                ours = self._acm.imported(self._desired.vpc_id)
                there = [each.arn for each in ours if each.certificate.fingerprint == fingerprint]
                if there:
                    return there[0]
            try:
                tags = api_tags(self._desired.tags)
                answer = self._once.call("ImportCertificate", about=about, Tags=tags, **_material(held))
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
        """Wait until ACM returns a new certificate with its tags, which takes some seconds."""
        ours = identity_tags(self._desired.vpc_id).items()
        wait_for(
            lambda: (self._acm.tags(arn) or {}).items() >= ours and self._acm.described(arn) is not None,
            done=bool,
            subject=f"certificate {arn}",
            timeout=IMPORT_SECONDS,
            interval=5.0,
            state=lambda seen: "imported, but not returned by ACM,",
        )

    def _record(self, arn: str) -> None:
        """Record the ARN in the secret, so that later runs need not read all certificates of the account."""
        name = self._desired.secret
        self._secrets.put(name, json.dumps({**json.loads(self._secrets.text(name)), "certificate_arn": arn}))

    def _import_over(self, arn: str, fingerprint: str) -> None:
        """Replace a certificate in place, which can safely be repeated. AWS accepts no tags in this call."""
        material = _material(self._expected(fingerprint))
        self._acm.call("ImportCertificate", about=f"certificate {arn}", CertificateArn=arn, **material)

    def _delete(self, arn: str) -> None:
        """Delete a certificate once no resource uses it.

        :raises WaitTimeout: with the resources that use the certificate.
        """

        def users() -> list[str]:
            return list((self._acm.described(arn) or {}).get("InUseBy") or ())

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
                timeout=self._desired.wait_timeout,
                interval=self._desired.poll_interval,
            )
        except WaitTimeout:
            by = ", ".join(users()) or "a resource that ACM does not name yet"
            raise WaitTimeout(f"certificate {arn}", f"in use by {by}", self._desired.wait_timeout) from None


def _material(held: Pair) -> dict[str, bytes]:
    chain = {"CertificateChain": held.chain.encode()} if held.chain else {}
    return {"Certificate": held.certificate.encode(), "PrivateKey": held.private_key.encode(), **chain}
