# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where the PKI of a Client VPN lives: one secret for the authority, one for the server, one a person.

Listings of Secrets Manager lag behind, so what a listing does not show as being in order is looked at by itself before
anything is planned.
"""

from __future__ import annotations

import typing as t
from concurrent.futures import ThreadPoolExecutor

from .._plan import Refused, Step
from .._secrets import Kept, Secrets
from . import pki_contents, pki_crypto, pki_plan
from .pki_model import Authority, Person, Server, State, Wanted
from .pki_values import Certificate

THREADS = 8
"""People who left grow in number, and each look is a call."""


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
        if given_key and wanted.authority:
            self._check_given(given_key, wanted.authority)

    def observe(self) -> State:
        """What is there. Of people only those are read who are not in order by their tags.

        :raises AwsError: for any answer but a secret or its certain absence.
        :raises Refused: for a secret that holds something else.
        """
        return self._observe(self._wanted.people, self._wanted.revoked)

    def observe_all(self) -> State:
        """As :meth:`observe`, without a look at single people."""
        return self._observe((), ())

    def observe_names(self) -> State:
        """Which secrets there are, each looked at, none read."""
        authority = self._secrets.describe(self._wanted.authority_secret)
        server = self._secrets.describe(self._wanted.server_secret)
        people = [self._secrets.describe(kept.name) for kept in self._listed().values()]
        return State(
            Authority(authority) if authority else None,
            Server(server) if server else None,
            {self._name(kept): Person(self._name(kept), kept) for kept in people if kept is not None},
        )

    def apply(self, step: Step) -> None:
        how: dict[str, t.Callable[..., None]] = {
            pki_plan.MAKE_AUTHORITY: self._make_authority,
            pki_plan.SIGN_CRL: self._sign_crl,
            pki_plan.MAKE_SERVER: self._make_server,
            pki_plan.RENEW_SERVER: self._renew_server,
            pki_plan.MAKE_PERSON: self._make_person,
            pki_plan.RENEW_PERSON: self._renew_person,
            pki_plan.TAG_PERSON: self._secrets.tag,
            pki_plan.TAG: self._secrets.tag,
            pki_plan.RESTORE: self._secrets.restore,
            pki_plan.FORGET: lambda name: self._secrets.delete(name, days=None),
            pki_plan.DELETE: lambda name: self._secrets.delete(
                name, days=None if self._wanted.force else self._wanted.recovery_days
            ),
        }
        arguments = dict(step.arguments)
        secret = arguments.pop("secret", None)
        how[step.operation](*([secret] if secret else []), **arguments)

    def _observe(self, people: tuple[str, ...], revoked: tuple[str, ...]) -> State:
        authority, server = self._authority(), self._server()
        own = authority.certificate if authority else None
        found = {name: Person(name, kept) for name, kept in self._listed().items()}
        days, now = self._wanted.days.renew_before, self._wanted.now
        looked_at = [
            name
            for name in (*people, *revoked)
            if name in revoked or name not in found or not found[name].is_fresh(own, days, now=now)
        ]
        with ThreadPoolExecutor(max_workers=THREADS) as pool:
            secrets = pool.map(self._secrets.describe, map(self._wanted.person_secret, looked_at))
            for name, kept in zip(looked_at, list(secrets)):
                found.pop(name, None)
                if kept is not None:
                    person = Person(name, kept)
                    in_order = name in people and person.is_fresh(own, days, now=now)
                    found[name] = person if in_order or kept.deleted else self._read_person(name, kept)
        return State(authority, server, found)

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

    def _read_person(self, name: str, kept: Kept) -> Person:
        return pki_contents.read_person(name, kept, self._secrets.text(kept.name))

    def _create(self, name: str, text: str, what: str, tags: t.Mapping[str, str]) -> None:
        description = f"{what} of the Client VPN of {self._wanted.vpc_id}"
        self._secrets.create(name, text, description=description, tags=tags, kms_key_id=self._kms_key_id)

    def _make_authority(self) -> None:
        wanted = self._wanted
        if wanted.authority is None:
            made = pki_crypto.make_authority(wanted.authority_name, days=wanted.days.authority, now=wanted.now)
            own, key, stored = made.certificate, made.private_key, made.private_key
        else:
            own, key, stored = wanted.authority, self._given_key or "", None
        signer = pki_crypto.Signer(own, key)
        crl = signer.crl((), number=1, days=wanted.days.crl, now=wanted.now)
        text = pki_contents.authority_text(own.pem, stored, crl, ())
        self._create(wanted.authority_secret, text, "Authority", wanted.tags)
        self._loaded = (signer, own)

    def _sign_crl(self, *, seen: Authority, number: int, names: tuple[str, ...]) -> None:
        wanted, name = self._wanted, self._wanted.authority_secret
        text = self._secrets.text(name)
        if pki_contents.read_authority(seen.kept, text) != seen:
            raise Refused(f"Secret {name} was changed by somebody else meanwhile; run again.")
        leaving = []
        for person in names:
            kept = self._secrets.describe(wanted.person_secret(person))
            if kept is not None:
                leaving.append(self._read_person(person, kept))
        entries = pki_plan.entries_after(wanted, seen, leaving)
        signer, own = self._signer()
        crl = signer.crl(entries, number=number, days=wanted.days.crl, now=wanted.now)
        stored = pki_contents.private_key(name, text)
        self._secrets.put(name, pki_contents.authority_text(own.pem, stored, crl, entries))

    def _make_server(self) -> None:
        self._create(self._wanted.server_secret, self._server_text(), "Server certificate", self._wanted.tags)

    def _renew_server(self) -> None:
        self._secrets.put(self._wanted.server_secret, self._server_text())

    def _server_text(self) -> str:
        signer, own = self._signer()
        made = signer.server(self._wanted.server_name, days=self._wanted.days.server, now=self._wanted.now)
        return pki_contents.server_text(made.certificate.pem, made.private_key, own.pem)

    def _make_person(self, *, name: str) -> None:
        signer, own = self._signer()
        made = signer.person(name, days=self._wanted.days.person, now=self._wanted.now)
        text = pki_contents.person_text(name, made.certificate.pem, made.private_key, ())
        tags = {**self._wanted.tags, **pki_plan.person_tags(made.certificate, own)}
        self._create(self._wanted.person_secret(name), text, f"Certificate of {name}", tags)

    def _renew_person(self, *, name: str) -> None:
        """The earlier certificates are noted, since they hold until they end, and have to be revoked with the new."""
        wanted, secret = self._wanted, self._wanted.person_secret(name)
        kept = self._secrets.describe(secret)
        person = self._read_person(name, kept or Kept(secret))
        earlier = pki_plan.unexpired(person.certificates(), now=wanted.now)
        signer, own = self._signer()
        made = signer.person(name, days=wanted.days.person, now=wanted.now)
        self._secrets.put(secret, pki_contents.person_text(name, made.certificate.pem, made.private_key, earlier))
        self._secrets.tag(secret, {**wanted.tags, **pki_plan.person_tags(made.certificate, own)})

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
