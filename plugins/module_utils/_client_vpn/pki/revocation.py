# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans revocations: the CRL is signed first, and the secrets of people who leave are removed afterwards."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Step
from . import ledger as pki_ledger
from .crypto import has_signed
from .model import SERIAL, Authority, Desired, Person
from .people import restore_step
from .values import Certificate, Crl, Revoked, ends_within, has_ended, iso

SIGN_CRL, FORGET = "SignCrl", "ForgetPerson"


def revocation_steps(desired: Desired, authority: Authority, people: t.Mapping[str, Person]) -> tuple[Step, ...]:
    """Restore deleted secrets in order to read them, sign the CRL, and then remove the secrets of people who leave."""
    leaving = [people[name] for name in desired.revoked if name in people and not _is_going(authority, people[name])]
    steps = [restore_step(person.kept) for person in leaving if person.kept.deleted]
    known = [*leaving, *(people[name] for name in desired.lost if name in people)]
    entries = entries_after(desired, authority, known)
    # The certificates in deleted secrets are read after the secrets are restored.
    unread = tuple(
        Revoked(KNOWN_AFTER_APPLY, person.name, iso(desired.now), KNOWN_AFTER_APPLY)
        for person in leaving
        if person.kept.deleted
    )
    entries = (*entries, *unread)
    new = tuple(each for each in entries if each not in authority.revoked)
    reason = _crl_reason(desired, authority, new)
    if reason and authority.crl is not None and authority.crl.pem == KNOWN_AFTER_APPLY:
        reason = ""  # an earlier step creates it
    if reason:
        number = authority.crl.number + 1 if authority.crl else 1
        crl = Crl(KNOWN_AFTER_APPLY, number, KNOWN_AFTER_APPLY, tuple(sorted(each.serial for each in entries)))
        issued = pki_ledger.remaining(authority.issued, entries, now=desired.now)
        after = dataclasses.replace(authority, crl=crl, revoked=entries, issued=issued)
        arguments = {"seen": authority, "number": number, "names": tuple(person.name for person in known)}
        change = _crl_change(authority, after, reason)
        steps.append(Step(SIGN_CRL, arguments, (change,), lambda state: dataclasses.replace(state, authority=after)))
    for person in leaving:
        gone = Change("delete", f"certificate of {person.name}", None, {"serial": person.serial})
        steps.append(Step(FORGET, {"secret": person.kept.name}, (gone,), _without(person.kept.name)))
    return tuple(steps)


def _without(secret: str) -> Effect:
    return lambda state: state.without(secret)


def _is_going(authority: Authority, person: Person) -> bool:
    """Whether the secret is already scheduled for deletion and is not needed to find certificates to revoke.

    The tag only decides whether the secret is read. The ledger and the certificate decide what is revoked.
    """
    known = {each.serial for each in authority.known if each.name == person.name}
    return bool(person.kept.deleted) and person.kept.tags.get(SERIAL) in known


def entries_after(desired: Desired, authority: Authority, leaving: t.Iterable[Person]) -> tuple[Revoked, ...]:
    """The unexpired entries of the CRL, and new ones for the certificates of people who leave or lost their keys.

    ``leaving``: the secrets of these people. For people without a secret, the ledger lists the certificates.
    """
    known, people = {each.serial for each in authority.revoked}, {person.name: person for person in leaving}
    new = [
        Revoked(each.serial, name, iso(desired.now), each.not_after)
        for name in (*desired.revoked, *desired.lost)
        for each in pki_ledger.out_there(authority, name, people.get(name))
        if each.serial not in known and not has_ended(each.not_after, now=desired.now)
    ]
    return (*(each for each in authority.revoked if not has_ended(each.not_after, now=desired.now)), *new)


def _crl_reason(desired: Desired, authority: Authority, new: tuple[Revoked, ...]) -> str:
    if new:
        return f"{', '.join(sorted({each.name for each in new}))} revoked"
    crl = authority.crl
    if crl is None:
        return "it is missing"
    if crl.pem == KNOWN_AFTER_APPLY:
        return ""
    if not has_signed(crl, t.cast(Certificate, authority.certificate)):
        return "a different authority signed it"
    if ends_within(crl.next_update, desired.days.crl_renew_before, now=desired.now):
        return f"it expires at {crl.next_update}"
    return ""


def _crl_change(before: Authority, after: Authority, reason: str) -> Change:
    def words(part: Authority) -> t.Any:
        return part.crl and {
            "number": part.crl.number,
            "entries": sorted(f"{each.name} {each.serial}" for each in part.revoked),
        }

    action = "update" if before.crl else "create"
    return Change(action, f"revocation list ({reason})", None, words(before), words(after))
