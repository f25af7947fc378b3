# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where the PKI of a Client VPN lives: one secret for the authority, one for the server, one a person.

Listings of Secrets Manager lag behind by minutes, so everybody who is named in the options is described; a listing only
adds people whom the options do not name.
"""

from __future__ import annotations

import typing as t
from concurrent.futures import ThreadPoolExecutor

from ..._aws.secrets import Kept, Secrets
from ..._core.failure import Refused
from ..._core.plan import Step
from ..identity import OWNER
from . import (
    contents as pki_contents,
    crypto as pki_crypto,
    ledger as pki_ledger,
    people as pki_people_plan,
    plan as pki_plan,
)
from .model import SERIAL, Authority, Person, Server, State, Wanted
from .values import Certificate, Issued

THREADS = 8
"""People who left grow in number, and each look is a call."""
ISSUING = pki_contents.LARGEST - pki_contents.FOR_REVOCATIONS


class PkiStore:
    """The secrets of one PKI. The authority's key is taken out of its secret only when something is signed."""

    def __init__(self, secrets: Secrets, wanted: Wanted, *, given_key: str | None, kms_key_id: str | None) -> None:
        """
        :raises Refused: if the given key is not that of the given authority.
        """
        self._secrets = secrets
        self._wanted = wanted
        self._given_key = given_key
        self._kms_key_id = kms_key_id
        self._loaded: tuple[pki_crypto.Signer, Certificate] | None = None
        self._made: dict[str, pki_crypto.Made] = {}
        """Certificates that are in the ledger, and not yet in their secrets."""
        if given_key and wanted.authority:
            self._check_given(given_key, wanted.authority)

    def observe(self) -> State:
        """What is there. The secrets of people are read where the ledger does not know better, or something is due.

        :raises AwsError: for any answer but a secret or its certain absence.
        :raises Refused: for a secret of a named person that holds something else.
        """
        authority, server = self._authority(), self._server()
        with ThreadPoolExecutor(max_workers=THREADS) as pool:
            known = [self._known(authority, kept) for kept in self._kept(pool)]
            own = authority.certificate if authority else None
            read = [each for each in known if self._is_to_be_read(each, own)]
            seen = {each.name: each for each in known if each not in read}
            seen.update({each.name: each for each in pool.map(self._read, read) if each is not None})
        return State(authority, server, seen)

    def observe_names(self) -> State:
        """Which secrets there are, each looked at, none read."""
        authority = self._secrets.describe(self._wanted.authority_secret)
        server = self._secrets.describe(self._wanted.server_secret)
        listed = [kept.name for kept in self._listed().values()]
        named = [self._wanted.person_secret(name) for name in self._wanted.people]
        with ThreadPoolExecutor(max_workers=THREADS) as pool:
            people = list(pool.map(self._secrets.describe, dict.fromkeys([*listed, *named])))
        return State(
            Authority(authority) if authority else None,
            Server(server) if server else None,
            {self._name(kept): Person(self._name(kept), kept) for kept in people if kept is not None},
        )

    def apply(self, step: Step) -> None:
        how: dict[str, t.Callable[..., None]] = {
            pki_plan.MAKE_AUTHORITY: self._make_authority,
            pki_plan.RECORD: self._record,
            pki_plan.ISSUE: self._issue,
            pki_plan.SIGN_CRL: self._sign_crl,
            pki_plan.MAKE_SERVER: self._make_server,
            pki_plan.RENEW_SERVER: self._renew_server,
            pki_people_plan.MAKE_PERSON: self._make_person,
            pki_people_plan.RENEW_PERSON: self._renew_person,
            pki_people_plan.TAG_PERSON: self._secrets.tag,
            pki_plan.TAG: self._secrets.tag,
            pki_people_plan.RESTORE: self._secrets.restore,
            pki_people_plan.RECORD_RESTORED: self._record_restored,
            pki_plan.FORGET: lambda name: self._secrets.delete(name, days=None),
            pki_plan.DELETE: lambda name: self._secrets.delete(
                name, days=None if self._wanted.force else self._wanted.recovery_days
            ),
        }
        arguments = dict(step.arguments)
        secret = arguments.pop("secret", None)
        how[step.operation](*([secret] if secret else []), **arguments)

    def _kept(self, pool: ThreadPoolExecutor) -> list[Kept]:
        wanted = self._wanted
        named = (*wanted.people, *wanted.revoked)
        described = list(pool.map(self._secrets.describe, map(wanted.person_secret, named)))
        listed = [kept for name, kept in self._listed().items() if name not in named]
        return [*(kept for kept in described if kept is not None), *listed]

    def _known(self, authority: Authority | None, kept: Kept) -> Person:
        name = self._name(kept)
        return Person(name, kept, issued=authority.entry(name, kept.tags.get(SERIAL, "")) if authority else None)

    def _is_to_be_read(self, person: Person, authority: Certificate | None) -> bool:
        wanted = self._wanted
        if person.kept.deleted or person.kept.tags.get(OWNER) != wanted.vpc_id:
            return False
        due = person.name in wanted.people and not person.is_fresh(authority, wanted.days.renew_before, now=wanted.now)
        return due or person.issued is None or person.name in (*wanted.revoked, *wanted.lost)

    def _read(self, person: Person) -> Person | None:
        """None where the listing was wrong. What somebody keeps there whom the options do not name is left alone."""
        text = self._secrets.text_if_any(person.kept.name)
        if text is None:
            return None
        try:
            return pki_contents.read_person(person.name, person.kept, text)
        except Refused:
            if person.name in (*self._wanted.people, *self._wanted.revoked):
                raise
            return person

    def _authority(self) -> Authority | None:
        kept = self._secrets.describe(self._wanted.authority_secret)
        if kept is None or kept.deleted:
            return Authority(kept) if kept else None
        return pki_contents.read_authority(kept, self._secrets.text(kept.name))

    def _server(self) -> Server | None:
        kept = self._secrets.describe(self._wanted.server_secret)
        if kept is None or kept.deleted:
            return Server(kept) if kept else None
        return pki_contents.read_server(kept, self._secrets.text(kept.name))

    def _listed(self) -> dict[str, Kept]:
        """By person."""
        return {self._name(kept): kept for kept in self._secrets.below(self._wanted.person_secret(""))}

    def _name(self, kept: Kept) -> str:
        return kept.name[len(self._wanted.person_secret("")) :]

    def _create(self, name: str, text: str, what: str, tags: t.Mapping[str, str]) -> None:
        description = f"{what} of the Client VPN of {self._wanted.vpc_id}"
        self._secrets.create(name, text, description=description, tags=tags, kms_key_id=self._kms_key_id)

    def _make_authority(self, *, names: tuple[str, ...]) -> None:
        wanted = self._wanted
        if wanted.authority is None:
            made = pki_crypto.make_authority(wanted.authority_name, days=wanted.days.authority, now=wanted.now)
            own, key, stored = made.certificate, made.private_key, made.private_key
        else:
            own, key, stored = wanted.authority, self._given_key or "", None
        signer = pki_crypto.Signer(own, key)
        crl = signer.crl((), number=1, days=wanted.days.crl, now=wanted.now)
        text = pki_contents.authority_text(own.pem, stored, crl, (), self._issued(signer, names), largest=ISSUING)
        self._create(wanted.authority_secret, text, "Authority", wanted.tags)
        self._loaded = (signer, own)

    def _issued(self, signer: pki_crypto.Signer, names: tuple[str, ...]) -> tuple[Issued, ...]:
        """New certificates, for the ledger; they are handed out by the steps that follow."""
        days, now = self._wanted.days.person, self._wanted.now
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
        """What the person's secret held when it was deleted, and may have been issued before there was a ledger."""
        secret, authority = self._wanted.person_secret(name), self._authority()
        held = self._secrets.text_if_any(secret)
        if held is not None and authority is not None:
            person = pki_contents.read_person(name, Kept(secret), held)
            missing = pki_ledger.unrecorded(authority, {name: person}, now=self._wanted.now)
            if missing:
                self._write_ledger(missing)

    def _write_ledger(self, more: tuple[Issued, ...], *, largest: int = pki_contents.LARGEST) -> None:
        name = self._wanted.authority_secret
        text = self._secrets.text(name)
        have, key = pki_contents.read_authority(Kept(name), text), pki_contents.private_key(name, text)
        own = t.cast(Certificate, have.certificate)
        known = pki_ledger.remaining(have.issued, have.revoked, now=self._wanted.now)
        ledger = (*known, *(each for each in more if each not in known))
        self._secrets.put(
            name, pki_contents.authority_text(own.pem, key, have.crl, have.revoked, ledger, largest=largest)
        )

    def _sign_crl(self, *, seen: Authority, number: int, names: tuple[str, ...]) -> None:
        wanted, name = self._wanted, self._wanted.authority_secret
        text = self._secrets.text(name)
        if not _same(pki_contents.read_authority(seen.kept, text), seen):
            raise Refused(f"Secret {name} was changed by somebody else meanwhile; run again.")
        leaving = []
        for person in names:
            secret = wanted.person_secret(person)
            held = self._secrets.text_if_any(secret)
            if held is not None:
                leaving.append(pki_contents.read_person(person, Kept(secret), held))
        entries = pki_plan.entries_after(wanted, seen, leaving)
        signer, own = self._signer()
        crl = signer.crl(entries, number=number, days=wanted.days.crl, now=wanted.now)
        ledger = pki_ledger.remaining(seen.issued, entries, now=wanted.now)
        stored = pki_contents.private_key(name, text)
        self._secrets.put(name, pki_contents.authority_text(own.pem, stored, crl, entries, ledger))

    def _make_server(self) -> None:
        self._create(self._wanted.server_secret, self._server_text(), "Server certificate", self._wanted.tags)

    def _renew_server(self) -> None:
        name = self._wanted.server_secret
        arn = pki_contents.recorded_arn(self._secrets.text_if_any(name))
        self._secrets.put(name, self._server_text(arn))

    def _server_text(self, arn: str = "") -> str:
        signer, own = self._signer()
        made = signer.server(self._wanted.server_name, days=self._wanted.days.server, now=self._wanted.now)
        return pki_contents.server_text(made.certificate.pem, made.private_key, own.pem, arn)

    def _make_person(self, *, name: str) -> None:
        text, tags = self._given(name)
        self._create(self._wanted.person_secret(name), text, f"Certificate of {name}", tags)

    def _renew_person(self, *, name: str) -> None:
        secret, (text, tags) = self._wanted.person_secret(name), self._given(name)
        self._secrets.put(secret, text)
        self._secrets.tag(secret, tags)

    def _given(self, name: str) -> tuple[str, dict[str, str]]:
        """What a person's secret is to hold, and its tags."""
        _signer, own = self._signer()
        made = self._made.pop(name)
        text = pki_contents.person_text(name, made.certificate.pem, made.private_key)
        return text, {**self._wanted.tags, **pki_people_plan.person_tags(made.certificate, own)}

    def _signer(self) -> tuple[pki_crypto.Signer, Certificate]:
        """
        :raises Refused: if the given key is not that of the authority in the secret.
        """
        if self._loaded is None:
            name = self._wanted.authority_secret
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
            raise Refused(f"authority.private_key: {error}; give such a key.") from None
        if not fits:
            raise Refused(
                "authority.private_key: it does not belong to the authority with fingerprint "
                f"{certificate.fingerprint}; give both halves of one key."
            )


def _same(have: Authority, seen: Authority) -> bool:
    """The order in the ledger means nothing."""
    parts = [(each.certificate, each.crl, each.revoked, frozenset(each.issued)) for each in (have, seen)]
    return parts[0] == parts[1]
