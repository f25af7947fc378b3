# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired PKI: create, sign, renew, revoke and remove. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.secrets import Kept
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from ..identity import OWNER
from . import ledger as pki_ledger
from .crypto import is_issued_by
from .model import Authority, Desired, Person, Server, State
from .people import MAKE_PERSON, RENEW_PERSON, people_steps, restore_step
from .revocation import SIGN_CRL, revocation_steps
from .values import Certificate, Crl

MAKE_AUTHORITY = "MakeAuthority"
RECORD, ISSUE = "RecordIssued", "IssueCertificates"
MAKE_SERVER, RENEW_SERVER = "MakeServer", "RenewServer"
DELETE, TAG = "DeleteSecret", "TagResource"
SIGNING = (MAKE_AUTHORITY, SIGN_CRL, MAKE_SERVER, RENEW_SERVER, MAKE_PERSON, RENEW_PERSON)


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Refused: if the authority is unusable, or a secret belongs to a different owner.
    """
    plans = {"present": _plan_present, "absent": _plan_absent}
    return plans[desired.state](desired, state) if desired.state in plans else Plan()


def _plan_present(desired: Desired, state: State) -> Plan:
    """The CRL is signed before any step that gives access."""
    _check_owners(desired, state)
    authority, recording = _recorded(desired, *_authority(desired, state.authority), state.people)
    giving = people_steps(desired, t.cast(Certificate, authority.certificate), state.people)
    making = _issued(recording, giving)
    steps = (
        *making[0],
        *revocation_steps(desired, authority, state.people),
        *_tagged(desired, state),
        *_server(desired, authority, state.server),
        *making[1],
        *giving,
    )
    _check_key(desired, state.authority, steps)
    return Plan(steps, notes=_notes(desired, state))


def _plan_absent(desired: Desired, state: State) -> Plan:
    """The authority is removed last, so that it is still available after an interrupted run."""
    secrets = [person.kept for _name, person in sorted(state.people.items())]
    secrets += [part.kept for part in (state.server, state.authority) if part is not None]
    ours = [kept for kept in secrets if kept.tags.get(OWNER) == desired.vpc_id]
    notes = tuple(
        f"Secret {kept.name} has no tag {OWNER}={desired.vpc_id}, so it was not removed."
        for kept in secrets
        if kept not in ours
    )
    return Plan(tuple(_deletion(desired, kept.name) for kept in ours if not kept.deleted), notes=notes)


def _deletion(desired: Desired, secret: str) -> Step:
    how = "permanent" if desired.force else f"can be restored for {desired.recovery_days} days"
    change = Change("delete", f"secret {secret}", "deletion", how)
    return Step(DELETE, {"secret": secret}, (change,), lambda state: state.without(secret))


def _check_owners(desired: Desired, state: State) -> None:
    named = {*desired.people, *desired.revoked}
    secrets = [person.kept for name, person in state.people.items() if name in named]
    secrets += [part.kept for part in (state.server, state.authority) if part is not None]
    for kept in secrets:
        if kept.tags.get(OWNER) != desired.vpc_id:
            raise Refused(
                f"Secret {kept.name} has no tag {OWNER}={desired.vpc_id}, so this collection did not create it for this VPC, "
                "and did not change it. Choose a different secret_prefix, or remove the secret."
            )


def _authority(desired: Desired, seen: Authority | None) -> tuple[Authority, tuple[Step, ...]]:
    if seen is None:
        own = desired.authority or Certificate.to_be_made(desired.authority_name)
        after = {"days": desired.days.authority} if desired.authority is None else {"fingerprint": own.fingerprint}
        crl = Crl(KNOWN_AFTER_APPLY, 1, KNOWN_AFTER_APPLY, ())
        kept = Kept(desired.authority_secret, dict(desired.tags))
        change = Change("create", f"secret {kept.name}", "authority", None, after)
        made = Authority(kept, own, desired.authority is None, crl)
        return made, (Step(MAKE_AUTHORITY, {}, (change,), _with_authority(made)),)
    name = seen.kept.name
    if seen.kept.deleted:
        raise Refused(
            f"Secret {name} is scheduled for deletion ({seen.kept.deleted}), and a new authority would make every profile "
            f"useless. Restore the secret (aws secretsmanager restore-secret --secret-id {name}) or delete it permanently, then "
            "run again."
        )
    own = t.cast(Certificate, seen.certificate)
    if desired.authority is not None and desired.authority.fingerprint != own.fingerprint:
        refuse_option(
            "authority.certificate",
            desired.authority.fingerprint,
            f"{own.fingerprint}, or a different certificate after the removal of the secrets (state=absent)",
            f"secret {name} contains {own.fingerprint}, and a different authority would make every profile useless",
        )
    if own.ends_within(0, now=desired.now):
        raise Refused(
            f"The authority in secret {name} expired at {own.not_after}, and with it every certificate. Remove the secrets "
            "(state=absent, force=true), run again, and distribute new profiles."
        )
    return seen, ()


def _recorded(
    desired: Desired, authority: Authority, steps: tuple[Step, ...], people: t.Mapping[str, Person]
) -> tuple[Authority, tuple[Step, ...]]:
    """Add to the ledger the certificates that it lacks, for example because they are older than the ledger."""
    missing = pki_ledger.unrecorded(authority, people, now=desired.now)
    if not missing:
        return authority, steps
    names = sorted({each.name for each in missing})
    change = Change("update", f"secret {authority.kept.name}", "issued certificates", None, names)
    known = pki_ledger.remaining(authority.issued, authority.revoked, now=desired.now)  # the ledger as it will be written
    after = dataclasses.replace(authority, issued=(*known, *missing))
    return after, (*steps, Step(RECORD, {"missing": missing}, (change,), _with_authority(after)))


def _with_authority(authority: Authority) -> Effect:
    return lambda state: dataclasses.replace(state, authority=authority)


def _issued(
    before: tuple[Step, ...], giving: tuple[Step, ...]
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Add all new certificates to the ledger in one write. For a new authority, this is the write that creates its secret."""
    names = tuple(step.arguments["name"] for step in giving if step.operation in (MAKE_PERSON, RENEW_PERSON))
    if before and before[0].operation == MAKE_AUTHORITY:
        return (dataclasses.replace(before[0], arguments={"names": names}), *before[1:]), ()
    return before, (Step(ISSUE, {"names": names}, ()),) if names else ()


def _server(desired: Desired, authority: Authority, seen: Server | None) -> tuple[Step, ...]:
    own = t.cast(Certificate, authority.certificate)
    made = Server(
        seen.kept if seen else Kept(desired.server_secret, dict(desired.tags)),
        Certificate.to_be_made(desired.server_name),
        own.pem,
    )
    after = {"name": desired.server_name, "days": desired.days.server}
    if seen is None:
        change = Change("create", f"secret {desired.server_secret}", "server certificate", None, after)
        return (Step(MAKE_SERVER, {}, (change,), _with_server(made)),)
    steps = [restore_step(seen.kept)] if seen.kept.deleted else []
    reason = "it was deleted" if seen.kept.deleted else _server_reason(desired, own, seen)
    if not reason:
        return ()
    before = (
        {"name": seen.certificate.common_name, "not_after": seen.certificate.not_after} if seen.certificate else None
    )
    change = Change("update", f"secret {desired.server_secret}", f"server certificate ({reason})", before, after)
    made = dataclasses.replace(made, kept=dataclasses.replace(seen.kept, deleted=""))
    return (*steps, Step(RENEW_SERVER, {}, (change,), _with_server(made)))


def _with_server(server: Server) -> Effect:
    return lambda state: dataclasses.replace(state, server=server)


def _server_reason(desired: Desired, authority: Certificate, seen: Server) -> str:
    own = t.cast(Certificate, seen.certificate)
    if authority.pem == KNOWN_AFTER_APPLY or not is_issued_by(own, authority):
        return "a different authority signed it"
    if own.common_name != desired.server_name or desired.server_name not in own.dns_names:
        return f"its name is {own.common_name}"
    if own.ends_within(desired.days.renew_before, now=desired.now):
        return f"it expires at {own.not_after}"
    return ""


def _tagged(desired: Desired, state: State) -> tuple[Step, ...]:
    """Add the tags of the options. Other tags stay unchanged."""
    parts = [state.authority, state.server, *(state.people.get(name) for name in desired.people)]
    steps = []
    for kept in [part.kept for part in parts if part is not None and not part.kept.deleted]:
        added = {key: value for key, value in desired.tags.items() if kept.tags.get(key) != value}
        if added:
            before = {key: kept.tags.get(key) for key in added}
            change = Change("update", f"secret {kept.name}", "tags", before, added)
            steps.append(Step(TAG, {"secret": kept.name, "tags": added}, (change,), _with_tags(kept.name, added)))
    return tuple(steps)


def _with_tags(secret: str, tags: t.Mapping[str, str]) -> Effect:
    return lambda state: state.tagged(secret, tags)


def _check_key(desired: Desired, seen: Authority | None, steps: tuple[Step, ...]) -> None:
    """Check before any change that the key for signing is available."""
    signing = next((step for step in steps if step.operation in SIGNING), None)
    has_key = desired.has_given_key or (seen.has_key if seen else desired.authority is None)
    if signing is not None and not has_key:
        refuse_option(
            "authority.private_key",
            None,
            "the key of the authority",
            f"{signing.changes[0].resource} needs a signature, and secret {desired.authority_secret} does not contain the key",
        )


def _notes(desired: Desired, state: State) -> tuple[str, ...]:
    notes = []
    authority = state.authority.certificate if state.authority else desired.authority
    if authority and authority.ends_within(max(desired.days.server, desired.days.person), now=desired.now):
        notes.append(
            f"The authority expires at {authority.not_after}, and no certificate is valid longer. Plan new profiles for all "
            "users before this time."
        )
    if state.server and state.server.certificate and state.server.certificate.common_name != desired.server_name:
        notes.append(
            f"The server's name changes from {state.server.certificate.common_name} to {desired.server_name}. Write "
            "and distribute every profile again, because clients check the server's name."
        )
    return tuple(notes)
