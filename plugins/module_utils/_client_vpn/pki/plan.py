# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From the PKI that is there to the one that is wanted: what is made, signed, renewed, revoked and removed."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.secrets import Kept
from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..identity import OWNER
from . import ledger as pki_ledger
from .crypto import has_signed, is_issued_by
from .model import SERIAL, Authority, Person, Server, State, Wanted
from .people import MAKE_PERSON, RENEW_PERSON, people_plan, restore_step
from .values import Certificate, Crl, Revoked, ends_within, has_ended, iso

MAKE_AUTHORITY, SIGN_CRL = "MakeAuthority", "SignCrl"
RECORD, ISSUE = "RecordIssued", "IssueCertificates"
MAKE_SERVER, RENEW_SERVER = "MakeServer", "RenewServer"
DELETE, FORGET, TAG = "DeleteSecret", "ForgetPerson", "TagResource"
SIGNING = (MAKE_AUTHORITY, SIGN_CRL, MAKE_SERVER, RENEW_SERVER, MAKE_PERSON, RENEW_PERSON)


def plan_present(wanted: Wanted, seen: State) -> Plan:
    """The list of revoked certificates comes before everything that only widens access.

    :raises Refused: if the authority is not usable, or a secret is somebody else's.
    """
    _check_owners(wanted, seen)
    authority, recording = _recorded(wanted, *_authority(wanted, seen.authority), seen.people)
    after, revoking = _revocation(wanted, authority, seen.people)
    server, serving = _server(wanted, authority, seen.server)
    people, giving = people_plan(wanted, t.cast(Certificate, authority.certificate), seen.people)
    making = _issued(recording, giving)
    every = (*making[0], *revoking, *_tagged(wanted, seen), *serving, *making[1], *giving)
    _check_key(wanted, seen.authority, every)
    return Plan(steps=every, predicted=State(after, server, people), notes=_notes(wanted, seen))


def plan_absent(wanted: Wanted, seen: State) -> Plan:
    """The authority last: a run that dies before leaves one that can still be asked."""
    secrets = [person.kept for _name, person in sorted(seen.people.items())]
    secrets += [part.kept for part in (seen.server, seen.authority) if part is not None]
    ours = [kept for kept in secrets if kept.tags.get(OWNER) == wanted.vpc_id]
    notes = tuple(
        f"Secret {kept.name} has no tag {OWNER}={wanted.vpc_id}, so it was left as it is."
        for kept in secrets
        if kept not in ours
    )
    how = "for good" if wanted.force else f"can be restored for {wanted.recovery_days} days"
    steps = tuple(
        Step(DELETE, {"secret": kept.name}, (Change("delete", f"secret {kept.name}", "deletion", how),))
        for kept in ours
        if not kept.deleted
    )
    return Plan(steps=steps, predicted=State() if steps else _without_deleted(seen), notes=notes)


def _without_deleted(seen: State) -> State:
    return State(people={name: person for name, person in seen.people.items() if not person.kept.deleted})


def _check_owners(wanted: Wanted, seen: State) -> None:
    named = {*wanted.people, *wanted.revoked}
    secrets = [person.kept for name, person in seen.people.items() if name in named]
    secrets += [part.kept for part in (seen.server, seen.authority) if part is not None]
    for kept in secrets:
        if kept.tags.get(OWNER) != wanted.vpc_id:
            raise Refused(
                f"Secret {kept.name} has no tag {OWNER}={wanted.vpc_id}, so it was not made for this VPC by this "
                "collection; it was left as it is. Choose another secret_prefix, or remove the secret."
            )


def _authority(wanted: Wanted, seen: Authority | None) -> tuple[Authority, tuple[Step, ...]]:
    if seen is None:
        own = wanted.authority or Certificate.to_be_made(wanted.authority_name)
        after = {"days": wanted.days.authority} if wanted.authority is None else {"fingerprint": own.fingerprint}
        crl = Crl(KNOWN_AFTER_APPLY, 1, KNOWN_AFTER_APPLY, ())
        kept = Kept(wanted.authority_secret, dict(wanted.tags))
        change = Change("create", f"secret {kept.name}", "authority", None, after)
        made = Authority(kept, own, wanted.authority is None, crl)
        return made, (Step(MAKE_AUTHORITY, {}, (change,)),)
    name = seen.kept.name
    if seen.kept.deleted:
        raise Refused(
            f"Secret {name} is scheduled for deletion ({seen.kept.deleted}); a new authority would make every profile "
            f"useless. Restore it (aws secretsmanager restore-secret --secret-id {name}), or delete it for good, then "
            "run again."
        )
    own = t.cast(Certificate, seen.certificate)
    if wanted.authority is not None and wanted.authority.fingerprint != own.fingerprint:
        raise Refused(
            f"authority.certificate: its fingerprint is {wanted.authority.fingerprint}, but secret {name} knows "
            f"{own.fingerprint}; another authority would make every profile useless. Give that one, or remove the "
            "secrets first (state=absent)."
        )
    if own.ends_within(0, now=wanted.now):
        raise Refused(
            f"The authority in secret {name} ended {own.not_after}, and with it every certificate; remove the secrets "
            "(state=absent, force=true) and run again, then hand out new profiles."
        )
    return seen, ()


def _recorded(
    wanted: Wanted, authority: Authority, steps: tuple[Step, ...], people: t.Mapping[str, Person]
) -> tuple[Authority, tuple[Step, ...]]:
    """With what was issued before there was a ledger, and what it misses for any other reason."""
    missing = pki_ledger.unrecorded(authority, people, now=wanted.now)
    if not missing:
        return authority, steps
    names = sorted({each.name for each in missing})
    change = Change("update", f"secret {authority.kept.name}", "issued certificates", None, names)
    known = pki_ledger.remaining(authority.issued, authority.revoked, now=wanted.now)  # as it is written
    after = dataclasses.replace(authority, issued=(*known, *missing))
    return after, (*steps, Step(RECORD, {"missing": missing}, (change,)))


def _issued(
    before: tuple[Step, ...], giving: tuple[Step, ...]
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """All new certificates go into the ledger in one write, into the first one of an authority that is to be made."""
    names = tuple(step.arguments["name"] for step in giving if step.operation in (MAKE_PERSON, RENEW_PERSON))
    if before and before[0].operation == MAKE_AUTHORITY:
        return (dataclasses.replace(before[0], arguments={"names": names}), *before[1:]), ()
    return before, (Step(ISSUE, {"names": names}, ()),) if names else ()


def _revocation(
    wanted: Wanted, authority: Authority, people: t.Mapping[str, Person]
) -> tuple[Authority, tuple[Step, ...]]:
    """The authority after it, and the steps: read what was given out, sign, and only then forget."""
    leaving = [people[name] for name in wanted.revoked if name in people and not _is_going(authority, people[name])]
    steps = [restore_step(person.kept) for person in leaving if person.kept.deleted]
    known = [*leaving, *(people[name] for name in wanted.lost if name in people)]
    entries = entries_after(wanted, authority, known)
    # What these held is read once they are restored.
    unread = tuple(
        Revoked(KNOWN_AFTER_APPLY, person.name, iso(wanted.now), KNOWN_AFTER_APPLY)
        for person in leaving
        if person.kept.deleted
    )
    entries = (*entries, *unread)
    new = tuple(each for each in entries if each not in authority.revoked)
    reason = _crl_reason(wanted, authority, new)
    if reason and authority.crl is not None and authority.crl.pem == KNOWN_AFTER_APPLY:
        reason = ""  # made a step earlier
    after = authority
    if reason:
        number = authority.crl.number + 1 if authority.crl else 1
        crl = Crl(KNOWN_AFTER_APPLY, number, KNOWN_AFTER_APPLY, tuple(sorted(each.serial for each in entries)))
        issued = pki_ledger.remaining(authority.issued, entries, now=wanted.now)
        after = dataclasses.replace(authority, crl=crl, revoked=entries, issued=issued)
        arguments = {"seen": authority, "number": number, "names": tuple(person.name for person in known)}
        steps.append(Step(SIGN_CRL, arguments, (_crl_change(authority, after, reason),)))
    for person in leaving:
        gone = Change("delete", f"certificate of {person.name}", None, {"serial": person.serial})
        steps.append(Step(FORGET, {"secret": person.kept.name}, (gone,)))
    return after, tuple(steps)


def _is_going(authority: Authority, person: Person) -> bool:
    """Whether the secret is being deleted already, and is not needed to know what to revoke.

    Its tag only says whether to look into it; what is revoked, the ledger and the certificate in it say.
    """
    known = {each.serial for each in authority.known if each.name == person.name}
    return bool(person.kept.deleted) and person.kept.tags.get(SERIAL) in known


def entries_after(wanted: Wanted, authority: Authority, leaving: t.Iterable[Person]) -> tuple[Revoked, ...]:
    """The list with everything that was given out to those who leave or lost theirs, and without what has ended.

    ``leaving``: those of them who have a secret. The ledger knows about the others.
    """
    known, people = {each.serial for each in authority.revoked}, {person.name: person for person in leaving}
    new = [
        Revoked(each.serial, name, iso(wanted.now), each.not_after)
        for name in (*wanted.revoked, *wanted.lost)
        for each in pki_ledger.out_there(authority, name, people.get(name))
        if each.serial not in known and not has_ended(each.not_after, now=wanted.now)
    ]
    return (*(each for each in authority.revoked if not has_ended(each.not_after, now=wanted.now)), *new)


def _crl_reason(wanted: Wanted, authority: Authority, new: tuple[Revoked, ...]) -> str:
    if new:
        return f"{', '.join(sorted({each.name for each in new}))} revoked"
    crl = authority.crl
    if crl is None:
        return "there is none"
    if crl.pem == KNOWN_AFTER_APPLY:
        return ""
    if not has_signed(crl, t.cast(Certificate, authority.certificate)):
        return "another authority signed it"
    if ends_within(crl.next_update, wanted.days.crl_renew_before, now=wanted.now):
        return f"it ends {crl.next_update}"
    return ""


def _crl_change(before: Authority, after: Authority, reason: str) -> Change:
    def words(part: Authority) -> t.Any:
        return part.crl and {
            "number": part.crl.number,
            "entries": sorted(f"{each.name} {each.serial}" for each in part.revoked),
        }

    action = "update" if before.crl else "create"
    return Change(action, f"list of revoked certificates ({reason})", None, words(before), words(after))


def _server(wanted: Wanted, authority: Authority, seen: Server | None) -> tuple[Server, tuple[Step, ...]]:
    own = t.cast(Certificate, authority.certificate)
    made = Server(
        seen.kept if seen else Kept(wanted.server_secret, dict(wanted.tags)),
        Certificate.to_be_made(wanted.server_name),
        own.pem,
    )
    after = {"name": wanted.server_name, "days": wanted.days.server}
    if seen is None:
        change = Change("create", f"secret {wanted.server_secret}", "server certificate", None, after)
        return made, (Step(MAKE_SERVER, {}, (change,)),)
    steps = [restore_step(seen.kept)] if seen.kept.deleted else []
    reason = "it was deleted" if seen.kept.deleted else _server_reason(wanted, own, seen)
    if not reason:
        return seen, ()
    before = (
        {"name": seen.certificate.common_name, "not_after": seen.certificate.not_after} if seen.certificate else None
    )
    change = Change("update", f"secret {wanted.server_secret}", f"server certificate ({reason})", before, after)
    made = dataclasses.replace(made, kept=dataclasses.replace(seen.kept, deleted=""))
    return made, (*steps, Step(RENEW_SERVER, {}, (change,)))


def _server_reason(wanted: Wanted, authority: Certificate, seen: Server) -> str:
    own = t.cast(Certificate, seen.certificate)
    if authority.pem == KNOWN_AFTER_APPLY or not is_issued_by(own, authority):
        return "another authority signed it"
    if own.common_name != wanted.server_name or wanted.server_name not in own.dns_names:
        return f"its name is {own.common_name}"
    if own.ends_within(wanted.days.renew_before, now=wanted.now):
        return f"it ends {own.not_after}"
    return ""


def _tagged(wanted: Wanted, seen: State) -> tuple[Step, ...]:
    """Only what the options add: tags that were made by others stay."""
    parts = [seen.authority, seen.server, *(seen.people.get(name) for name in wanted.people)]
    steps = []
    for kept in [part.kept for part in parts if part is not None and not part.kept.deleted]:
        added = {key: value for key, value in wanted.tags.items() if kept.tags.get(key) != value}
        if added:
            before = {key: kept.tags.get(key) for key in added}
            change = Change("update", f"secret {kept.name}", "tags", before, added)
            steps.append(Step(TAG, {"secret": kept.name, "tags": added}, (change,)))
    return tuple(steps)


def _check_key(wanted: Wanted, seen: Authority | None, steps: tuple[Step, ...]) -> None:
    """Before anything changes: is there a key for what is to be signed?"""
    signing = next((step for step in steps if step.operation in SIGNING), None)
    has_key = wanted.has_given_key or (seen.has_key if seen else wanted.authority is None)
    if signing is not None and not has_key:
        raise Refused(
            f"authority.private_key: it is needed to sign ({signing.changes[0].resource}), since the key is not in "
            f"secret {wanted.authority_secret}; give the key of the authority."
        )


def _notes(wanted: Wanted, seen: State) -> tuple[str, ...]:
    notes = []
    authority = seen.authority.certificate if seen.authority else wanted.authority
    if authority and authority.ends_within(max(wanted.days.server, wanted.days.person), now=wanted.now):
        notes.append(
            f"The authority ends {authority.not_after}, and no certificate lasts longer; plan new profiles for "
            "everybody before that day."
        )
    if seen.server and seen.server.certificate and seen.server.certificate.common_name != wanted.server_name:
        notes.append(
            f"The server's name changes from {seen.server.certificate.common_name} to {wanted.server_name}; every "
            "profile has to be written anew, since clients compare the name."
        )
    return tuple(notes)
