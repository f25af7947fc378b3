# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies a plan of the PKI: creates, signs, renews, records and removes the contents of its secrets."""

from __future__ import annotations

import typing as t

from ..._aws.secrets import Kept, Secrets
from ..._core.failure import Refused, refuse_option
from ..._core.plan import Step
from . import (
    contents as pki_contents,
    crypto as pki_crypto,
    ledger as pki_ledger,
    people as pki_people,
    plan as pki_plan,
    revocation as pki_revocation,
)
from .model import Authority, Desired
from .observe import read_authority
from .values import Certificate, Issued

ISSUING = pki_contents.LARGEST - pki_contents.FOR_REVOCATIONS

_KEY, _HIDDEN = "authority.private_key", "(not shown)"


class Applier:
    """Applies the steps. The authority's key is read from its secret only for a signature."""

    def __init__(self, secrets: Secrets, desired: Desired, *, given_key: str | None, kms_key_id: str | None) -> None:
        """
        :raises Refused: if the given key does not match the given authority.
        """
        self._secrets = secrets
        self._desired = desired
        self._given_key = given_key
        self._kms_key_id = kms_key_id
        self._loaded: tuple[pki_crypto.Signer, Certificate] | None = None
        self._made: dict[str, pki_crypto.Made] = {}
        """Certificates that are in the ledger but not yet in their secrets, keyed by person."""
        if given_key and desired.authority:
            self._check_given(given_key, desired.authority)

    def __call__(self, step: Step) -> None:
        how: dict[str, t.Callable[..., None]] = {
            pki_plan.MAKE_AUTHORITY: self._make_authority,
            pki_plan.RECORD: self._record,
            pki_plan.ISSUE: self._issue,
            pki_revocation.SIGN_CRL: self._sign_crl,
            pki_plan.MAKE_SERVER: self._make_server,
            pki_plan.RENEW_SERVER: self._renew_server,
            pki_people.MAKE_PERSON: self._make_person,
            pki_people.RENEW_PERSON: self._renew_person,
            pki_people.TAG_PERSON: self._secrets.tag,
            pki_plan.TAG: self._secrets.tag,
            pki_people.RESTORE: self._secrets.restore,
            pki_people.RECORD_RESTORED: self._record_restored,
            pki_revocation.FORGET: lambda name: self._secrets.delete(name, days=None),
            pki_plan.DELETE: lambda name: self._secrets.delete(
                name, days=None if self._desired.force else self._desired.recovery_days
            ),
        }
        arguments = dict(step.arguments)
        secret = arguments.pop("secret", None)
        how[step.operation](*([secret] if secret else []), **arguments)

    def _create(self, name: str, text: str, what: str, tags: t.Mapping[str, str]) -> None:
        description = f"{what} of the Client VPN of {self._desired.vpc_id}"
        self._secrets.create(name, text, description=description, tags=tags, kms_key_id=self._kms_key_id)

    def _make_authority(self, *, names: tuple[str, ...]) -> None:
        desired = self._desired
        if desired.authority is None:
            made = pki_crypto.make_authority(desired.authority_name, days=desired.days.authority, now=desired.now)
            own, key, stored = made.certificate, made.private_key, made.private_key
        else:
            own, key, stored = desired.authority, self._given_key or "", None
        signer = pki_crypto.Signer(own, key)
        crl = signer.crl((), number=1, days=desired.days.crl, now=desired.now)
        text = pki_contents.authority_text(own.pem, stored, crl, (), self._issued(signer, names), largest=ISSUING)
        self._create(desired.authority_secret, text, "Authority", desired.tags)
        self._loaded = (signer, own)

    def _issued(self, signer: pki_crypto.Signer, names: tuple[str, ...]) -> tuple[Issued, ...]:
        """Create certificates and return their entries for the ledger. Later steps write the certificates to secrets."""
        days, now = self._desired.days.person, self._desired.now
        self._made = {name: signer.person(name, days=days, now=now) for name in names}
        return tuple(
            Issued(name, made.certificate.serial, made.certificate.not_after) for name, made in self._made.items()
        )

    def _issue(self, *, names: tuple[str, ...]) -> None:
        signer, _own = self._signer()
        self._write_ledger(self._issued(signer, names), largest=ISSUING)

    def _record(self, *, missing: tuple[Issued, ...]) -> None:
        self._write_ledger(missing)

    def _record_restored(self, *, name: str) -> None:
        """Record the certificates of a restored secret in the ledger, because the secret may be older than the ledger."""
        secret, authority = self._desired.person_secret(name), read_authority(self._secrets, self._desired)
        held = self._secrets.text_if_any(secret)
        if held is not None and authority is not None:
            person = pki_contents.read_person(name, Kept(secret), held)
            missing = pki_ledger.unrecorded(authority, {name: person}, now=self._desired.now)
            if missing:
                self._write_ledger(missing)

    def _write_ledger(self, more: tuple[Issued, ...], *, largest: int = pki_contents.LARGEST) -> None:
        name = self._desired.authority_secret
        text = self._secrets.text(name)
        have, key = pki_contents.read_authority(Kept(name), text), pki_contents.private_key(name, text)
        own = t.cast(Certificate, have.certificate)
        known = pki_ledger.remaining(have.issued, have.revoked, now=self._desired.now)
        ledger = (*known, *(each for each in more if each not in known))
        self._secrets.put(
            name, pki_contents.authority_text(own.pem, key, have.crl, have.revoked, ledger, largest=largest)
        )

    def _sign_crl(self, *, seen: Authority, number: int, names: tuple[str, ...]) -> None:
        desired, name = self._desired, self._desired.authority_secret
        text = self._secrets.text(name)
        if not _same(pki_contents.read_authority(seen.kept, text), seen):
            raise Refused(f"Secret {name} was changed concurrently. Run again.")
        leaving = []
        for person in names:
            secret = desired.person_secret(person)
            held = self._secrets.text_if_any(secret)
            if held is not None:
                leaving.append(pki_contents.read_person(person, Kept(secret), held))
        entries = pki_revocation.entries_after(desired, seen, leaving)
        signer, own = self._signer()
        crl = signer.crl(entries, number=number, days=desired.days.crl, now=desired.now)
        ledger = pki_ledger.remaining(seen.issued, entries, now=desired.now)
        stored = pki_contents.private_key(name, text)
        self._secrets.put(name, pki_contents.authority_text(own.pem, stored, crl, entries, ledger))

    def _make_server(self) -> None:
        self._create(self._desired.server_secret, self._server_text(), "Server certificate", self._desired.tags)

    def _renew_server(self) -> None:
        name = self._desired.server_secret
        arn = pki_contents.recorded_arn(self._secrets.text_if_any(name))
        self._secrets.put(name, self._server_text(arn))

    def _server_text(self, arn: str = "") -> str:
        signer, own = self._signer()
        made = signer.server(self._desired.server_name, days=self._desired.days.server, now=self._desired.now)
        return pki_contents.server_text(made.certificate.pem, made.private_key, own.pem, arn)

    def _make_person(self, *, name: str) -> None:
        text, tags = self._given(name)
        self._create(self._desired.person_secret(name), text, f"Certificate of {name}", tags)

    def _renew_person(self, *, name: str) -> None:
        secret, (text, tags) = self._desired.person_secret(name), self._given(name)
        self._secrets.put(secret, text)
        self._secrets.tag(secret, tags)

    def _given(self, name: str) -> tuple[str, dict[str, str]]:
        """The new content and tags of a person's secret."""
        _signer, own = self._signer()
        made = self._made.pop(name)
        text = pki_contents.person_text(name, made.certificate.pem, made.private_key)
        return text, {**self._desired.tags, **pki_people.person_tags(made.certificate, own)}

    def _signer(self) -> tuple[pki_crypto.Signer, Certificate]:
        """
        :raises Refused: if the given key does not match the authority in the secret.
        """
        if self._loaded is None:
            name = self._desired.authority_secret
            text = self._secrets.text(name)
            own = t.cast(Certificate, pki_contents.read_authority(Kept(name), text).certificate)
            if self._given_key:
                self._check_given(self._given_key, own)
            key = self._given_key or pki_contents.private_key(name, text) or ""
            self._loaded = (pki_crypto.Signer(own, key), own)
        return self._loaded

    @staticmethod
    def _check_given(key: str, certificate: Certificate) -> None:
        try:
            fits = pki_crypto.key_fits(key, certificate)
        except pki_crypto.NotReadable as error:
            refuse_option(_KEY, _HIDDEN, "a private key in PEM without a passphrase", str(error))
        if not fits:
            refuse_option(_KEY, _HIDDEN, f"the key of the authority with fingerprint {certificate.fingerprint}")


def _same(have: Authority, seen: Authority) -> bool:
    """Whether the two are equal. The order in the ledger does not matter."""
    parts = [(each.certificate, each.crl, each.revoked, frozenset(each.issued)) for each in (have, seen)]
    return parts[0] == parts[1]
