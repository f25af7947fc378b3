# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired certificate in ACM. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..pki.values import Certificate
from .model import Desired, Imported, State

IMPORT, REIMPORT, RECORD, TAG, DELETE = (
    "ImportCertificate",
    "ImportCertificateAgain",
    "RecordCertificate",
    "AddTagsToCertificate",
    "DeleteCertificate",
)
ALLOWED = ("RSA_2048", "RSA_1024")


def plan(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """
    :raises Refused: for a key that Client VPN does not support, a secret with unexpected content, and a certificate
        that a different service uses.
    """
    return _plan_present(desired, state, check_mode=check_mode) if desired.present else _plan_absent(desired, state)


def _plan_present(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    wants = _certificate(desired, state, check_mode=check_mode)
    # In check mode, the secret may not exist yet. The issuer is then unknown, so every certificate counts as ours.
    ours = state.imported if state.secret is None else state.ours
    superfluous = [_deletion(each) for each in ours[1:] if not each.in_use_by]
    steps = _updates(desired, state, ours[0], wants) if ours else (_creation(desired, state, wants),)
    return Plan((*superfluous, *steps), notes=_notes(desired, state, ours))


def _plan_absent(desired: Desired, state: State) -> Plan:
    for each in state.ours:
        _refuse_used(each)
    return Plan(tuple(_deletion(each) for each in state.ours), notes=_notes(desired, state, state.ours))


def _creation(desired: Desired, state: State, wants: Certificate) -> Step:
    change = Change("create", f"certificate {wants.common_name}", "fingerprint", None, wants.fingerprint)
    made = Imported(KNOWN_AFTER_APPLY, wants, state.chain, (), desired.tags)
    return Step(IMPORT, {"fingerprint": wants.fingerprint}, (change,), lambda now: now.recording(made, wants))


def _updates(desired: Desired, state: State, have: Imported, wants: Certificate) -> tuple[Step, ...]:
    return (*_again(state, have, wants), *_tagged(desired, have), *_recorded(desired, state, have))


def _again(state: State, have: Imported, wants: Certificate) -> t.Iterator[Step]:
    if have.certificate.fingerprint == wants.fingerprint and state.chain in ((), have.chain):
        return
    _refuse_used(have)
    change = Change("update", f"certificate {have.arn}", "fingerprint", have.certificate.fingerprint, wants.fingerprint)
    after = dataclasses.replace(have, certificate=wants, chain=state.chain)
    arguments = {"arn": have.arn, "fingerprint": wants.fingerprint}
    yield Step(REIMPORT, arguments, (change,), lambda now: now.recording(after, wants))


def _tagged(desired: Desired, have: Imported) -> t.Iterator[Step]:
    added = {key: value for key, value in desired.tags.items() if have.tags.get(key) != value}
    if not added:
        return
    changes = tuple(
        Change("update", f"certificate {have.arn}", f"tags.{key}", have.tags.get(key), added[key]) for key in sorted(added)
    )
    tags = {**have.tags, **added}
    yield Step(TAG, {"arn": have.arn, "tags": added}, changes, lambda now: now.having(have.arn, tags=tags))


def _recorded(desired: Desired, state: State, have: Imported) -> t.Iterator[Step]:
    if state.recorded == have.arn or state.secret is None:
        return
    change = Change("update", f"secret {desired.secret}", "certificate_arn", state.recorded or None, have.arn)
    yield Step(RECORD, {"arn": have.arn}, (change,), lambda now: dataclasses.replace(now, recorded=have.arn))


def _refuse_used(have: Imported) -> None:
    if have.used_elsewhere:
        raise Refused(
            f"Certificate {have.arn} was not changed, because it is also used outside of Client VPN, by "
            f"{', '.join(have.used_elsewhere)}. Configure a different certificate there, then run again."
        )


def _notes(desired: Desired, state: State, ours: tuple[Imported, ...]) -> tuple[str, ...]:
    return tuple(
        f"Certificate {each.arn} was not changed. It has the tags of the Client VPN of {desired.vpc_id}, but the authority in "
        f"secret {desired.secret} did not issue it, and the secret does not record it."
        for each in state.imported
        if each not in ours
    )


def _certificate(desired: Desired, state: State, *, check_mode: bool) -> Certificate:
    """The desired certificate in ACM."""
    if desired.fingerprint == KNOWN_AFTER_APPLY and not check_mode:
        why = "this value is valid only in check mode"
        refuse_option("fingerprint", desired.fingerprint, "the fingerprint of the certificate in the secret", why)
    if state.secret is None:
        if check_mode:
            return Certificate.to_be_made(f"in secret {desired.secret}")
        raise Refused(f"Secret {desired.secret} does not exist. Create it with client_vpn_pki, or set a different secret.")
    if state.secret.key_algorithm not in ALLOWED:
        why = f"its certificate's key is {state.secret.key_algorithm}"
        refuse_option("secret", desired.secret, f"secrets whose certificate has a key of type {' or '.join(ALLOWED)}", why)
    if desired.fingerprint == KNOWN_AFTER_APPLY:
        return Certificate.to_be_made(state.secret.common_name)
    if desired.fingerprint not in (None, state.secret.fingerprint):
        refuse_option(
            "fingerprint",
            desired.fingerprint,
            f"the fingerprint of the certificate in secret {desired.secret}, {state.secret.fingerprint}",
            "the secret contains a different certificate, so run again if the secret was changed concurrently",
        )
    return state.secret


def _deletion(each: Imported) -> Step:
    change = Change("delete", f"certificate {each.arn}", "fingerprint", each.certificate.fingerprint)
    return Step(DELETE, {"arn": each.arn}, (change,), lambda now: now.without(each.arn))
