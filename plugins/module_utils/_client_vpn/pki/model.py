# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The PKI of a Client VPN: what the options ask for, what is there, and how a result shows it. No private keys here."""

from __future__ import annotations

import datetime
import re
import typing as t
from dataclasses import dataclass, field

from ..._aws.secrets import Kept
from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..identity import OWNER, checked_people, checked_prefix, checked_range, checked_tags, checked_vpc
from .crypto import NotReadable, is_authority, is_issued_by, read_certificate
from .values import Certificate, Crl, Issued, Revoked, ends_within, has_ended

SERIAL, NOT_AFTER, AUTHORITY = "mlfleet.hyperpod/serial", "mlfleet.hyperpod/not-after", "mlfleet.hyperpod/authority"
"""Tags of a person's secret. The first tells which entry of the ledger is about it; none of them is believed."""

_DOMAIN = re.compile(r"(?=.{1,57}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class Lifetimes:
    """Days."""

    authority: int = 3650
    server: int = 397
    person: int = 365
    renew_before: int = 30
    crl: int = 365
    crl_renew_before: int = 30

    @classmethod
    def of(cls, params: t.Mapping[str, t.Any]) -> Lifetimes:
        """
        :raises Refused: for a lifetime that is out of its range.
        """
        shortest = min(params["server_days"], params["person_days"])
        return cls(
            authority=checked_range(params, "authority_days", 1, 7300),
            server=checked_range(params, "server_days", 1, 825),
            person=checked_range(params, "person_days", 1, 3650),
            renew_before=checked_range(params, "renew_before", 0, shortest - 1),
            crl=checked_range(params, "crl_days", 1, 3650),
            crl_renew_before=checked_range(params, "crl_renew_before", 0, params["crl_days"] - 1),
        )


@dataclass(frozen=True)
class Wanted:
    """The options, checked. The key of a given authority is not among them."""

    vpc_id: str
    prefix: str
    server_name: str
    now: datetime.datetime
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


def wanted_of(params: t.Mapping[str, t.Any], *, region: str, now: datetime.datetime) -> Wanted:
    """
    :raises Refused: naming the option, its value and what is allowed.
    """
    vpc_id = checked_vpc(params["vpc_id"])
    domain = params["domain"] or f"vpn.{region}.hyperpod.internal"
    if not _DOMAIN.fullmatch(domain):
        refuse_option(
            "domain", domain, "a lower-case domain of at least two labels and at most 57 characters is allowed"
        )
    people = checked_people("people", params["people"])
    revoked = checked_people("revoked", params["revoked"])
    for name in sorted(set(people) & set(revoked)):
        refuse_option("revoked", name, "who is in people too can't be revoked; take the name out of one of them")
    lost = checked_people("lost", params["lost"])
    for name in sorted(set(lost) - set(people)):
        refuse_option("lost", name, "names in people are allowed")
    checked_range(params, "recovery_window", 7, 30)
    return Wanted(
        vpc_id=vpc_id,
        prefix=checked_prefix(params["secret_prefix"], vpc_id),
        server_name=f"server.{domain}",
        now=now.replace(microsecond=0),
        people=people,
        revoked=revoked,
        lost=lost,
        authority=_given_authority(params["authority"]),
        has_given_key=bool((params["authority"] or {}).get("private_key")),
        days=Lifetimes.of(params),
        tags=checked_tags(params["tags"], vpc_id),
        recovery_days=params["recovery_window"],
        force=params["force"],
    )


def _given_authority(given: t.Mapping[str, t.Any] | None) -> Certificate | None:
    if given is None:
        return None
    subject = "authority.certificate"
    try:
        found = read_certificate(given["certificate"])
    except NotReadable as error:  # the value may be a private key, so it is not shown
        refuse_option(subject, "(not shown)", f"{error}; one certificate of an authority in PEM is allowed")
    if not is_authority(found):
        refuse_option(subject, found.common_name, "it must be an authority (basic constraint CA)")
    if found.key_algorithm != "RSA_2048":
        refuse_option(subject, found.key_algorithm, "Client VPN takes RSA with 2048 bits")
    return found


@dataclass(frozen=True)
class Authority:
    """The authority's secret. Of one that is scheduled for deletion nothing else is known."""

    kept: Kept
    certificate: Certificate | None = None
    has_key: bool = False
    crl: Crl | None = None
    revoked: tuple[Revoked, ...] = ()
    issued: tuple[Issued, ...] = ()
    """The ledger: what was given to people, is not revoked, and had not ended when it was last written."""

    @property
    def known(self) -> tuple[Issued | Revoked, ...]:
        """All that the ledger or the list has."""
        return (*self.issued, *self.revoked)

    def entry(self, name: str, serial: str) -> Issued | None:
        """What the ledger has of this person under this serial number."""
        return next((each for each in self.issued if (each.name, each.serial) == (name, serial)), None)


@dataclass(frozen=True)
class Server:
    """The server certificate's secret."""

    kept: Kept
    certificate: Certificate | None = None
    chain: str = ""


@dataclass(frozen=True)
class Person:
    """A person's secret: its certificate if it was read, else what the ledger has under the tag's serial number."""

    name: str
    kept: Kept
    certificate: Certificate | None = None
    earlier: tuple[tuple[str, str], ...] = ()
    """Serial numbers and ends of earlier certificates, in secrets from before there was a ledger."""
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
        """Whether the certificate is of this authority, whose ledger has only its own, and not about to end."""
        if self.kept.deleted or authority is None or not (self.certificate or self.issued):
            return False
        ours = self.certificate is None or is_issued_by(self.certificate, authority)
        return ours and not ends_within(self.not_after, days, now=now)


@dataclass(frozen=True)
class State:
    """What is there."""

    authority: Authority | None = None
    server: Server | None = None
    people: t.Mapping[str, Person] = field(default_factory=dict)


def to_result(wanted: Wanted, seen: State) -> dict[str, t.Any]:
    return {
        "client_vpn_pki": {
            "authority": _authority_result(seen.authority),
            "server": _server_result(seen.server),
            "people": _people_result(wanted, seen),
            "crl": _crl_result(seen.authority),
            "nothing_to_revoke": _nothing_to_revoke(wanted, seen),
        }
    }


def _authority_result(seen: Authority | None) -> dict[str, t.Any] | None:
    if seen is None or seen.certificate is None:
        return None
    own = seen.certificate
    return {
        "certificate": own.pem,
        "fingerprint": own.fingerprint,
        "not_after": own.not_after,
        "secret": seen.kept.name,
    }


def _server_result(seen: Server | None) -> dict[str, t.Any] | None:
    if seen is None or seen.certificate is None:
        return None
    own = seen.certificate
    return {
        "name": own.common_name,
        "certificate": own.pem,
        "chain": seen.chain,
        "fingerprint": own.fingerprint,
        "not_after": own.not_after,
        "secret": seen.kept.name,
    }


def _people_result(wanted: Wanted, seen: State) -> list[dict[str, t.Any]]:
    authority = seen.authority.certificate if seen.authority else None
    revoked = {entry.name for entry in seen.authority.revoked} if seen.authority else set()
    rows = []
    for person in seen.people.values():
        if person.kept.tags.get(OWNER) != wanted.vpc_id or (person.kept.deleted and person.name in revoked):
            continue
        fresh = person.is_fresh(authority, wanted.days.renew_before, now=wanted.now)
        to_come = person.not_after == KNOWN_AFTER_APPLY
        state = "deleted" if person.kept.deleted else "valid" if fresh or to_come else "due"
        rows.append(_row(person.name, person.serial, person.not_after, state, person.kept.name))
    for entry in seen.authority.revoked if seen.authority else ():
        rows.append(_row(entry.name, entry.serial, entry.not_after, "revoked", None))
    for each in seen.authority.issued if seen.authority else ():
        if each.name not in seen.people and not has_ended(each.not_after, now=wanted.now):
            rows.append(_row(each.name, each.serial, each.not_after, "issued", None))
    return sorted(rows, key=lambda row: (row["name"], row["state"] == "revoked", row["not_after"]))


def _nothing_to_revoke(wanted: Wanted, seen: State) -> list[str]:
    revoked = {entry.name for entry in seen.authority.revoked} if seen.authority else set()
    return sorted({*wanted.revoked, *wanted.lost} - revoked)


def _row(name: str, serial: str, not_after: str, state: str, secret: str | None) -> dict[str, t.Any]:
    return {"name": name, "serial": serial, "not_after": not_after, "state": state, "secret": secret}


def _crl_result(seen: Authority | None) -> dict[str, t.Any] | None:
    if seen is None or seen.crl is None:
        return None
    return {
        "pem": seen.crl.pem,
        "number": seen.crl.number,
        "next_update": seen.crl.next_update,
        "entries": [entry.to_result() for entry in seen.revoked],
    }
