# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds issued certificates in the authority's ledger and in people's secrets. Tags are not trusted.

A certificate is written to the ledger before it is written to a secret, so the ledger lists every certificate in use.
"""

from __future__ import annotations

import datetime
import re
import typing as t

from .crypto import is_issued_by
from .model import Authority, Person
from .values import Issued, Revoked, has_ended

_SERIAL = re.compile(r"[0-9a-f]{1,40}")


def out_there(authority: Authority, name: str, person: Person | None) -> tuple[Issued, ...]:
    """The certificates that a person may have, even if the person's secret no longer exists."""
    found = {each.serial: each for each in authority.issued if each.name == name}
    for each in held(authority, person) if person else ():
        found.setdefault(each.serial, each)
    return tuple(found[serial] for serial in sorted(found))


def held(authority: Authority, person: Person) -> tuple[Issued, ...]:
    """The current certificate in a person's secret, and the earlier ones that the secret lists if it is older than the ledger.

    Certificates of other people are ignored.
    """
    own = person.certificate
    if own is None or authority.certificate is None:
        return ()
    if own.common_name != person.name or not is_issued_by(own, authority.certificate):
        return ()
    found = {own.serial: Issued(person.name, own.serial, own.not_after)}
    for serial, not_after in person.earlier:
        if _SERIAL.fullmatch(serial):
            found.setdefault(serial, Issued(person.name, serial, not_after))
    others = {each.serial for each in authority.known if each.name != person.name}
    return tuple(each for serial, each in found.items() if serial not in others)


def unrecorded(
    authority: Authority, people: t.Mapping[str, Person], *, now: datetime.datetime
) -> tuple[Issued, ...]:
    """Unexpired certificates in people's secrets that are neither in the ledger nor on the CRL."""
    known = {each.serial for each in authority.known}
    own = {person.certificate.serial: name for name, person in people.items() if person.certificate}
    found: dict[str, Issued] = {}
    for name in sorted(people):
        for each in held(authority, people[name]):
            if each.serial not in known and own.get(each.serial, name) == name and not has_ended(each.not_after, now=now):
                found.setdefault(each.serial, each)
    return tuple(found.values())


def remaining(
    issued: t.Iterable[Issued], revoked: t.Iterable[Revoked], *, now: datetime.datetime
) -> tuple[Issued, ...]:
    """The ledger without expired or revoked certificates."""
    gone = {each.serial for each in revoked}
    return tuple(each for each in issued if each.serial not in gone and not has_ended(each.not_after, now=now))
