# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed PKI of a Client VPN, without private keys."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t
from dataclasses import dataclass, field

from ..._aws.secrets import Kept
from .crypto import is_issued_by
from .values import Certificate, Crl, Issued, Revoked, ends_within

SERIAL, NOT_AFTER, AUTHORITY = "mlfleet.hyperpod/serial", "mlfleet.hyperpod/not-after", "mlfleet.hyperpod/authority"
"""Tags of a person's secret. ``SERIAL`` identifies an entry of the ledger. The tags are not trusted."""


@dataclass(frozen=True)
class Lifetimes:
    """Lifetimes in days."""

    authority: int = 3650
    server: int = 397
    person: int = 365
    renew_before: int = 30
    crl: int = 365
    crl_renew_before: int = 30


@dataclass(frozen=True)
class Desired:
    """The module's options, without the key of a given authority."""

    vpc_id: str
    prefix: str
    server_name: str
    now: datetime.datetime
    state: str = "present"
    people: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    authority: Certificate | None = None
    has_given_key: bool = False
    days: Lifetimes = Lifetimes()
    tags: t.Mapping[str, str] = field(default_factory=dict)
    recovery_days: int = 30
    force: bool = False

    @property
    def authority_secret(self) -> str:
        return f"{self.prefix}/authority"

    @property
    def server_secret(self) -> str:
        return f"{self.prefix}/server"

    def person_secret(self, name: str) -> str:
        return f"{self.prefix}/people/{name}"

    @property
    def authority_name(self) -> str:
        return f"mlfleet hyperpod client VPN {self.vpc_id}"


@dataclass(frozen=True)
class Authority:
    """The authority's secret. If it is scheduled for deletion, its content is unknown."""

    kept: Kept
    certificate: Certificate | None = None
    has_key: bool = False
    crl: Crl | None = None
    revoked: tuple[Revoked, ...] = ()
    issued: tuple[Issued, ...] = ()
    """The ledger: the issued certificates that were neither revoked nor expired when it was last written."""

    @property
    def known(self) -> tuple[Issued | Revoked, ...]:
        """All entries of the ledger and of the CRL."""
        return (*self.issued, *self.revoked)

    def entry(self, name: str, serial: str) -> Issued | None:
        """The entry of the ledger for this person and this serial number."""
        return next((each for each in self.issued if (each.name, each.serial) == (name, serial)), None)


@dataclass(frozen=True)
class Server:
    """The server certificate's secret."""

    kept: Kept
    certificate: Certificate | None = None
    chain: str = ""


@dataclass(frozen=True)
class Person:
    """A person's secret. It has ``certificate`` if it was read, or else ``issued``, the ledger's entry for its tag."""

    name: str
    kept: Kept
    certificate: Certificate | None = None
    earlier: tuple[tuple[str, str], ...] = ()
    """Serial numbers and expiry times of earlier certificates, in secrets that are older than the ledger."""
    issued: Issued | None = None

    @property
    def serial(self) -> str:
        known = self.certificate or self.issued
        return known.serial if known else ""

    @property
    def not_after(self) -> str:
        known = self.certificate or self.issued
        return known.not_after if known else ""

    def is_fresh(self, authority: Certificate | None, days: int, *, now: datetime.datetime) -> bool:
        """Whether the certificate is from this authority, as all in its ledger are, and stays valid for ``days`` days."""
        if self.kept.deleted or authority is None or not (self.certificate or self.issued):
            return False
        ours = self.certificate is None or is_issued_by(self.certificate, authority)
        return ours and not ends_within(self.not_after, days, now=now)


@dataclass(frozen=True)
class State:
    """Observed state."""

    authority: Authority | None = None
    server: Server | None = None
    people: t.Mapping[str, Person] = field(default_factory=dict)

    def with_person(self, person: Person) -> State:
        return dataclasses.replace(self, people={**self.people, person.name: person})

    def without(self, secret: str) -> State:
        """A copy without a secret."""
        people = {name: person for name, person in self.people.items() if person.kept.name != secret}
        authority = None if self.authority and self.authority.kept.name == secret else self.authority
        server = None if self.server and self.server.kept.name == secret else self.server
        return State(authority, server, people)

    def restored(self, secret: str) -> State:
        return self._having(secret, lambda kept: dataclasses.replace(kept, deleted=""))

    def tagged(self, secret: str, tags: t.Mapping[str, str]) -> State:
        return self._having(secret, lambda kept: dataclasses.replace(kept, tags={**kept.tags, **tags}))

    def _having(self, secret: str, change: t.Callable[[Kept], Kept]) -> State:
        def changed(part: t.Any) -> t.Any:
            ours = part is not None and part.kept.name == secret
            return dataclasses.replace(part, kept=change(part.kept)) if ours else part

        people = {name: changed(person) for name, person in self.people.items()}
        return State(changed(self.authority), changed(self.server), people)
